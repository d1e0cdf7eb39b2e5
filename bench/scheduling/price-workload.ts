/**
 * The fixed workload on which plans are compared by price: seed 42, 5,000 pods in 40 shapes of 125, over the
 * 700-type catalogue. Cpu is log-uniform from 100m to 8, memory 1 to 8 GiB per cpu. A fifth of the shapes spreads
 * over zones, a twentieth runs on arm64 only; in the second variant a tenth keeps its pods on different hosts.
 */
import { KubernetesLabel } from '../../packages/chandler/src/api/index.ts';
import type { PodSpec } from '../../packages/chandler/src/scheduling/index.ts';

import { CATEGORY, catalogue, FAMILY } from './catalogue.ts';
import { GoRand } from './go-rand.ts';
import {
  affinityTerm,
  CATALOGUE,
  HOST,
  type PodShape,
  podOf,
  poolOf,
  spread,
  type Workload,
  ZONE,
} from './shapes.ts';

export interface PriceVariant {
  /** Whether a tenth of the shapes keeps its pods on different hosts. */
  readonly hostAntiAffinity: boolean;
}

export function priceWorkload(count: number, { hostAntiAffinity }: PriceVariant): Workload {
  const podsOf = (seed: number) => {
    const shapes = priceShapes(hostAntiAffinity, seed);
    return Array.from({ length: count }, (_, index) => podOf(shapes[index % SHAPES]!, index));
  };
  const input = {
    pods: podsOf(SEED),
    pools: [poolOf({ name: 'default' })],
    catalogues: { [CATALOGUE]: catalogue().map((row) => row.type) },
    wellKnownLabels: [FAMILY, CATEGORY],
  };
  return {
    name: hostAntiAffinity ? 'price-anti-affinity' : 'price',
    input,
    placeable: count,
    earlier: (round) => ({ ...input, pods: podsOf(SEED + round) }),
  };
}

/** The shapes in a fixed order: which constraint a shape has depends on its place, its size on the seed. */
export function priceShapes(hostAntiAffinity: boolean, seed = SEED): PodShape[] {
  const random = new GoRand(seed);
  return Array.from({ length: SHAPES }, (_, index) => {
    const cpuMilli = Math.round(100 * 80 ** random.float64());
    const memoryMi = Math.round((cpuMilli / 1000) * (1 + 7 * random.float64()) * 1024);
    const labels = { app: `shape-${index}` };
    return { labels, cpuMilli, memoryMi, spec: constraint(index, labels, hostAntiAffinity) };
  });
}

// ---------------------------------------------------------------------------------------------------

const SEED = 42;
const SHAPES = 40;

/** Shapes 0, 5, 10 … spread over zones; 1 and 21 are arm64; 3, 13, 23, 33 are the ones with host anti-affinity. */
function constraint(
  index: number,
  labels: Record<string, string>,
  hostAntiAffinity: boolean,
): Omit<PodSpec, 'containers'> {
  if (index % 5 === 0) return { topologySpreadConstraints: [spread(ZONE, labels, 'DoNotSchedule')] };
  if (index % 20 === 1) return { nodeSelector: { [KubernetesLabel.arch]: 'arm64' } };
  if (hostAntiAffinity && index % 10 === 3) {
    const term = affinityTerm(HOST, labels);
    return { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } };
  }
  return {};
}
