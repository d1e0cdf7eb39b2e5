/**
 * The cluster for the benchmark of quality: the `price` workload as our planner places it, half of whose pods are gone. It
 * also says what a state of that cluster costs and whether it is possible at all, with arithmetic of its own.
 */
import { KarpenterLabel, KubernetesLabel } from '../../packages/chandler/src/api/index.ts';
import type { DisruptionInput } from '../../packages/chandler/src/disruption/index.ts';
import { Planner, type Pod } from '../../packages/chandler/src/scheduling/index.ts';
import { assertWork } from '../result.ts';
import { catalogue, type TypeRow } from '../scheduling/catalogue.ts';
import { GoRand } from '../scheduling/go-rand.ts';
import { priceWorkload } from '../scheduling/price-workload.ts';
import { ON_DEMAND, oneOf, poolOf } from '../scheduling/shapes.ts';
import { benchCluster, benchNode, POOL, withBudget } from './bench-node.ts';

const SEED = 42;

/** A node of the stable cluster. */
export interface RestNode {
  readonly name: string;
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: string;
  /** `namespace/name`. */
  readonly pods: readonly string[];
}

export interface HalfEmptyCluster {
  readonly input: DisruptionInput;
  readonly pods: readonly Pod[];
  readonly start: readonly RestNode[];
}

/** What the NodePool may launch, and whether a spot node may be replaced by another one. */
export interface RestKind {
  readonly onDemand: boolean;
  readonly spotToSpot: boolean;
}

export const REST_KINDS: Readonly<Record<string, RestKind>> = {
  'on-demand': { onDemand: true, spotToSpot: false },
  'spot-to-spot': { onDemand: false, spotToSpot: true },
  spot: { onDemand: false, spotToSpot: false },
};

export function halfEmptyCluster(count: number, { onDemand }: RestKind, budget = '100%'): HalfEmptyCluster {
  const workload = priceWorkload(count, { hostAntiAffinity: false }).input;
  const requirements = [oneOf(KarpenterLabel.capacityType, ON_DEMAND)];
  const pools = onDemand ? [poolOf({ name: POOL, requirements })] : workload.pools;
  const input = { ...workload, pools };
  const random = new GoRand(SEED);
  const left = input.pods.filter(() => random.float64() < 0.5);
  const byName = new Map(left.map((pod) => [nameOf(pod), pod]));
  const { claims } = new Planner().plan(input);
  const start = claims.map(({ cheapest, pods }, index): RestNode => {
    const { instanceType, zone, capacityType } = cheapest;
    return {
      name: `node-${String(index).padStart(4, '0')}`,
      instanceType,
      zone: zone!,
      capacityType: capacityType!,
      pods: pods.filter((pod) => byName.has(pod)),
    };
  });
  return { pods: left, start, input: clusterOf(start, byName, input.pools[0]!, budget) };
}

export function clusterOf(
  nodes: readonly RestNode[],
  pods: ReadonlyMap<string, Pod>,
  pool: DisruptionInput['pools'][number],
  budget = '100%',
): DisruptionInput {
  const made = nodes.map(({ name, instanceType, zone, capacityType, pods: names }) =>
    benchNode({
      name,
      row: ROWS.get(instanceType)!,
      zone,
      capacityType,
      pods: names.map((pod) => pods.get(pod)!),
    }),
  );
  return benchCluster(made, [withBudget(pool, budget)]);
}

export function priceOf(nodes: readonly RestNode[]): number {
  return nodes.reduce((sum, { instanceType, zone, capacityType }) => {
    const offering = ROWS.get(instanceType)!.type.offerings.find(({ requirements }) =>
      [zone, capacityType].every((value) => requirements.some(({ values }) => values?.includes(value))),
    );
    return sum + offering!.price;
  }, 0);
}

/** Every pod is on one node, and each node has room for its pods and their architecture. */
export function checkRest(nodes: readonly RestNode[], pods: readonly Pod[]): readonly string[] {
  const byName = new Map(pods.map((pod) => [nameOf(pod), pod]));
  const placed = nodes.flatMap((node) => node.pods);
  return [
    assertWork(
      placed.length === pods.length &&
        new Set(placed).size === pods.length &&
        placed.every((pod) => byName.has(pod)),
      'every pod that is left runs on one node',
    ),
    assertWork(
      nodes.every((node) =>
        fits(
          ROWS.get(node.instanceType)!,
          node.pods.map((pod) => byName.get(pod)!),
        ),
      ),
      'no node holds more than it has, nor pods for another architecture',
    ),
  ];
}

export function nameOf({ metadata }: Pod): string {
  return `${metadata.namespace}/${metadata.name}`;
}

/** In millicores and MiB, as the workload writes them. */
export function requestOf({ spec }: Pod, resource: 'cpu' | 'memory'): number {
  const text = String(spec.containers[0]!.resources!.requests![resource]);
  return Number(text.slice(0, -(resource === 'cpu' ? 'm' : 'Mi').length));
}

// ---------------------------------------------------------------------------------------------------

const ROWS: ReadonlyMap<string, TypeRow> = new Map(catalogue().map((row) => [row.type.name, row]));

function fits({ allocatable, arch }: TypeRow, pods: readonly Pod[]): boolean {
  const sum = (resource: 'cpu' | 'memory') =>
    pods.reduce((total, pod) => total + requestOf(pod, resource), 0);
  return (
    pods.length <= allocatable.pods &&
    sum('cpu') <= allocatable.cpuMilli &&
    sum('memory') <= allocatable.memoryMi &&
    pods.every(({ spec }) =>
      [undefined, arch].includes(spec.nodeSelector?.[KubernetesLabel.arch] as typeof arch),
    )
  );
}
