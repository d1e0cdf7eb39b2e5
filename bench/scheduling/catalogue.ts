/**
 * A catalogue of 700 instance types with six offerings each, in the proportions of real clouds: prices grow
 * with cpu and memory, ARM is cheaper, spot costs a third to a half and differs by zone, and the reserved
 * share shrinks with the size. The numbers come from one seed and belong to no cloud.
 */
import { KarpenterLabel, KubernetesLabel } from '../../packages/chandler/src/api/index.ts';
import type { InstanceType } from '../../packages/chandler/src/scheduling/index.ts';

import { GoRand } from './go-rand.ts';
import { ON_DEMAND, offeringOf, oneOf, SPOT, ZONE } from './shapes.ts';

export const ZONES = ['zone-1', 'zone-2', 'zone-3'] as const;

/** Labels of the catalogue that a claim may leave open. */
export const FAMILY = 'bench.chandler.sh/family';
export const CATEGORY = 'bench.chandler.sh/category';

export interface TypeRow {
  readonly type: InstanceType;
  readonly arch: 'amd64' | 'arm64';
  readonly category: string;
  readonly family: string;
  readonly cpu: number;
  /** What pods may use. */
  readonly allocatable: { readonly cpuMilli: number; readonly memoryMi: number; readonly pods: number };
}

/** 5 categories x 5 generations x 2 architectures x 14 sizes. */
export function catalogue(seed = 42): TypeRow[] {
  const random = new GoRand(seed);
  const rows: TypeRow[] = [];
  for (const category of CATEGORIES) {
    for (const [generation, ageFactor] of GENERATIONS.entries()) {
      for (const arch of ['amd64', 'arm64'] as const) {
        const family = `${category.name}${generation + 1}${arch === 'arm64' ? 'g' : ''}`;
        const spotByZone = ZONES.map(() => 0.32 + 0.16 * random.float64());
        for (const cpu of SIZES) {
          const spot = spotByZone.map((share) => share + 0.03 * (2 * random.float64() - 1));
          const rate = (0.032 + 0.004 * category.gibPerCpu) * category.factor * ageFactor * ARCH_FACTOR[arch];
          rows.push(typeRow({ category, family, arch, cpu, spot, hourly: cpu * rate }));
        }
      }
    }
  }
  return rows;
}

// ---------------------------------------------------------------------------------------------------

interface Category {
  readonly name: string;
  readonly gibPerCpu: number;
  readonly factor: number;
}

const CATEGORIES: readonly Category[] = [
  { name: 'c', gibPerCpu: 2, factor: 1 },
  { name: 'm', gibPerCpu: 4, factor: 1 },
  { name: 'r', gibPerCpu: 8, factor: 1 },
  { name: 'x', gibPerCpu: 16, factor: 1.05 },
  { name: 't', gibPerCpu: 4, factor: 0.93 },
];
const GENERATIONS = [1.06, 1.03, 1, 0.98, 1.01];
const ARCH_FACTOR = { amd64: 1, arm64: 0.88 };
const SIZES = [1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 72, 96, 128, 192];
/** How many pods a machine takes, by the cpus it has at least. */
const MAX_PODS: readonly [fromCpu: number, pods: number][] = [
  [64, 250],
  [16, 110],
  [4, 58],
  [2, 29],
  [0, 8],
];

interface Draft {
  readonly category: Category;
  readonly family: string;
  readonly arch: 'amd64' | 'arm64';
  readonly cpu: number;
  readonly spot: readonly number[];
  readonly hourly: number;
}

function typeRow({ category, family, arch, cpu, spot, hourly }: Draft): TypeRow {
  const name = `${family}.${cpu}`;
  const memoryMi = cpu * category.gibPerCpu * 1024;
  const pods = MAX_PODS.find(([fromCpu]) => cpu >= fromCpu)![1];
  const reservedCpu = reservedCpuMilli(cpu);
  const reservedMemory = 255 + 11 * pods;
  const eviction = 100;
  const type: InstanceType = {
    name,
    requirements: [
      oneOf(KubernetesLabel.instanceType, name),
      oneOf(KubernetesLabel.arch, arch),
      oneOf(KubernetesLabel.os, 'linux'),
      oneOf(ZONE, ...ZONES),
      oneOf(KarpenterLabel.capacityType, ON_DEMAND, SPOT),
      oneOf(FAMILY, family),
      oneOf(CATEGORY, category.name),
    ],
    capacity: { cpu: String(cpu), memory: `${memoryMi}Mi`, pods: String(pods) },
    overhead: {
      kubeReserved: { cpu: `${reservedCpu}m`, memory: `${reservedMemory}Mi` },
      evictionThreshold: { memory: `${eviction}Mi` },
    },
    offerings: ZONES.flatMap((zone, index) => [
      offeringOf(zone, ON_DEMAND, cents(hourly)),
      offeringOf(zone, SPOT, cents(hourly * spot[index]!)),
    ]),
  };
  const allocatable = {
    cpuMilli: cpu * 1000 - reservedCpu,
    memoryMi: memoryMi - reservedMemory - eviction,
    pods,
  };
  return { type, arch, category: category.name, family, cpu, allocatable };
}

/** 6 % of the first core, 1 % of the second, half a percent of the next two, a quarter of a percent of the rest. */
function reservedCpuMilli(cpu: number): number {
  const rest = Math.max(0, cpu - 4) * 2.5;
  return Math.ceil(60 + (cpu > 1 ? 10 : 0) + (cpu > 2 ? 10 : 0) + rest);
}

/** To a hundredth of a cent, as price lists are. */
function cents(price: number): number {
  return Math.round(price * 10_000) / 10_000;
}
