/**
 * The catalogue that is used when none is given: a bit more than a hundred types in every zone, on demand
 * and spot. It is made of `generic-catalogue.table.ts` by formulas that are written down in docs/simulate.md.
 */
import type { ResourceRef } from '@chandler/kube';
import {
  AKS_NODE_CLASSES,
  AWS_WELL_KNOWN_LABELS,
  AwsLabel,
  AZURE_WELL_KNOWN_LABELS,
  AzureLabel,
  CapacityType,
  EC2_NODE_CLASSES,
  KarpenterLabel,
  KubernetesLabel,
} from '../api/index.ts';
import type { InstanceType, LabelRequirement, Offering } from '../scheduling/index.ts';

import { FAMILIES, type Family } from './generic-catalogue.table.ts';

export const GENERIC_ZONES = ['zone-a', 'zone-b', 'zone-c'] as const;
export const GENERIC_REGION = 'anywhere';

/** Its types have the labels of every cloud, so that NodePools of any cloud can be planned. */
export const GENERIC_WELL_KNOWN_LABELS: readonly string[] = [
  ...AZURE_WELL_KNOWN_LABELS,
  ...AWS_WELL_KNOWN_LABELS,
];

/** The node classes of every cloud: a plan from the generic catalogue accepts and ignores them. */
export const NODE_CLASS_KINDS: readonly ResourceRef[] = [AKS_NODE_CLASSES, EC2_NODE_CLASSES];

export interface Places {
  readonly zones: readonly string[];
  readonly region: string;
}

export function genericCatalogue(places: Places): InstanceType[] {
  return FAMILIES.flatMap((family) => family.cpus.map((cpu) => typeOf(family, cpu, places)));
}

/** What a kubelet and the system keep for themselves: the usual brackets, generous on small machines. */
export function reservedFor(
  cpu: number,
  memoryGib: number,
): { readonly cpu: string; readonly memory: string } {
  const milli = bracketed(cpu, CPU_BRACKETS) * 1000;
  const mebi = bracketed(memoryGib, MEMORY_BRACKETS) * 1024;
  return { cpu: `${Math.round(milli)}m`, memory: `${Math.round(mebi)}Mi` };
}

// ---------------------------------------------------------------------------------------------------------------

const PRICE_PER_CPU = 0.0365;
const PRICE_PER_GIB = 0.0029;
/** Spot costs about a third; each type has its own price in each zone. */
const SPOT_SHARES = [0.3, 0.32, 0.34, 0.36, 0.38, 0.4] as const;
const PODS_PER_NODE = 110;
const PODS_ON_SMALL_NODE = 30;

/** So much of the first few units, so much of the next ones. */
type Brackets = readonly (readonly [upTo: number, share: number])[];
const CPU_BRACKETS: Brackets = [
  [1, 0.06],
  [2, 0.01],
  [4, 0.005],
  [Infinity, 0.0025],
];
const MEMORY_BRACKETS: Brackets = [
  [4, 0.25],
  [8, 0.2],
  [16, 0.1],
  [128, 0.06],
  [Infinity, 0.02],
];

function bracketed(amount: number, brackets: Brackets): number {
  let sum = 0;
  let from = 0;
  for (const [upTo, share] of brackets) {
    sum += Math.max(0, Math.min(amount, upTo) - from) * share;
    from = upTo;
  }
  return sum;
}

function typeOf(family: Family, cpu: number, places: Places): InstanceType {
  const memoryGib = cpu * family.memoryPerCpuGib;
  const gpus = family.gpus === undefined ? 0 : Math.max(1, Math.floor(cpu / family.gpus.perCpus));
  const name = `${family.name}-${cpu}x${memoryGib}`;
  const base = cpu * PRICE_PER_CPU + memoryGib * PRICE_PER_GIB;
  const price = base * family.priceFactor + gpus * (family.gpus?.price ?? 0);
  return {
    name,
    requirements: labelsOf(family, name, cpu, memoryGib, gpus, places),
    capacity: {
      cpu: `${cpu}`,
      memory: `${memoryGib}Gi`,
      pods: `${cpu < 2 ? PODS_ON_SMALL_NODE : PODS_PER_NODE}`,
      'ephemeral-storage': '100Gi',
      ...(family.gpus === undefined ? {} : { [family.gpus.name]: `${gpus}` }),
    },
    overhead: { kubeReserved: reservedFor(cpu, memoryGib), evictionThreshold: { memory: '100Mi' } },
    offerings: places.zones.flatMap((zone, index) => offeringsIn(zone, index, name, price)),
  };
}

function labelsOf(
  family: Family,
  name: string,
  cpu: number,
  memoryGib: number,
  gpus: number,
  { zones, region }: Places,
): LabelRequirement[] {
  const labels: Record<string, string> = {
    [KubernetesLabel.instanceType]: name,
    [KubernetesLabel.arch]: family.arch,
    [KubernetesLabel.os]: 'linux',
    [KubernetesLabel.region]: region,
    [AwsLabel.category]: family.awsCategory,
    [AwsLabel.family]: family.name,
    [AwsLabel.generation]: `${family.generation}`,
    [AwsLabel.size]: `${cpu}cpu`,
    [AwsLabel.cpu]: `${cpu}`,
    [AwsLabel.memory]: `${memoryGib * 1024}`,
    [AwsLabel.hypervisor]: 'nitro',
    [AzureLabel.skuName]: name,
    [AzureLabel.skuFamily]: family.azureFamily,
    [AzureLabel.skuVersion]: `${family.generation}`,
    [AzureLabel.skuCpu]: `${cpu}`,
    [AzureLabel.skuMemory]: `${memoryGib * 1024}`,
    ...(gpus === 0 ? {} : { [AwsLabel.gpuCount]: `${gpus}`, [AzureLabel.skuGpuCount]: `${gpus}` }),
  };
  return [
    ...Object.entries(labels).map(([key, value]) => one(key, value)),
    { key: KubernetesLabel.zone, operator: 'In', values: zones },
    {
      key: KarpenterLabel.capacityType,
      operator: 'In',
      values: [CapacityType.onDemand, CapacityType.spot],
    },
  ];
}

function offeringsIn(zone: string, index: number, name: string, price: number): Offering[] {
  const share = SPOT_SHARES[(checksum(name) + index) % SPOT_SHARES.length]!;
  const offering = (capacityType: string, amount: number): Offering => ({
    requirements: [one(KubernetesLabel.zone, zone), one(KarpenterLabel.capacityType, capacityType)],
    price: Number(amount.toFixed(5)),
  });
  return [offering(CapacityType.onDemand, price), offering(CapacityType.spot, price * share)];
}

function one(key: string, value: string): LabelRequirement {
  return { key, operator: 'In', values: [value] };
}

/** A number that a name always gives: prices must not change between runs. */
function checksum(text: string): number {
  let sum = 0;
  for (let index = 0; index < text.length; index++) sum = (sum * 31 + text.charCodeAt(index)) % 9973;
  return sum;
}
