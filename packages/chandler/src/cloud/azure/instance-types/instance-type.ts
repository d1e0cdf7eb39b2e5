/** One size as the scheduler sees it, for one set of parameters: labels, offerings, capacity and overhead. */
import { parseQuantity, Quantity } from '@chandler/kube';
import type { ResourceList } from '../../../api/index.ts';
import type { InstanceType, LabelRequirement, Overhead } from '../../../scheduling/index.ts';

import { gpuOf, type SkuFacts } from '../sizes/index.ts';
import { nodeClassRequirements, sizeRequirements } from './labels.ts';
import type { AzureOffering } from './offerings.ts';
import type { Parameters } from './parameters.ts';
import { EVICTION_THRESHOLD, guestMemoryBytes, kubeReserved, SYSTEM_RESERVED } from './reserved.ts';

export interface AzureInstanceType extends InstanceType {
  readonly sku: SkuFacts;
  readonly offerings: readonly AzureOffering[];
  readonly overhead: Overhead;
  /** Capacity without all that is reserved. */
  readonly allocatable: ResourceList;
}

/** What a size means to a node class, available or not: computed once per set of parameters. */
export interface FittedSize {
  readonly sku: SkuFacts;
  readonly capacity: ResourceList;
  readonly overhead: Overhead;
  readonly allocatable: ResourceList;
  /** Labels of the size, the node class and the cluster. */
  readonly requirements: readonly LabelRequirement[];
}

/** Fits sizes to one set of parameters. */
export function sizeFitter(parameters: Parameters, region: string): (sku: SkuFacts) => FittedSize {
  const own = nodeClassRequirements(parameters);
  return (sku) => {
    const capacity = capacityOf(sku, parameters);
    const overhead = overheadOf(sku);
    const allocatable = allocatableOf(capacity, overhead);
    return { sku, capacity, overhead, allocatable, requirements: [...sizeRequirements(sku, region), ...own] };
  };
}

/** @param offered the labels that the offerings allow. */
export function instanceType(
  { sku, capacity, overhead, allocatable, requirements }: FittedSize,
  offerings: readonly AzureOffering[],
  offered: readonly LabelRequirement[],
): AzureInstanceType {
  return {
    name: sku.name,
    sku,
    requirements: requirements.concat(offered),
    offerings,
    capacity,
    overhead,
    allocatable,
    ...(sku.maxDataDisks === undefined
      ? {}
      : { volumeAttachmentLimits: { [DISK_DRIVER]: sku.maxDataDisks } }),
  };
}

/** The CSI driver of Azure managed disks: each of its volumes is a data disk of the VM. */
const DISK_DRIVER = 'disk.csi.azure.com';

/** Resources of which there is some: what the status of a claim lists. */
export function withoutZeros(list: ResourceList): ResourceList {
  return Object.fromEntries(Object.entries(list).filter(([, amount]) => !parseQuantity(amount).isZero()));
}

// ---------------------------------------------------------------------------------------------------------------

function overheadOf(sku: SkuFacts): Overhead {
  return {
    kubeReserved: kubeReserved(sku.vcpus, sku.memoryGiB),
    systemReserved: SYSTEM_RESERVED,
    evictionThreshold: EVICTION_THRESHOLD,
  };
}

/** Both makes of GPU are always named, so that a pod that requests the wrong one sees zero. */
function capacityOf(sku: SkuFacts, parameters: Parameters): ResourceList {
  const memory = guestMemoryBytes(sku.memoryGiB, parameters.memoryOverheadPercent);
  const maker = gpuOf(sku.name)?.manufacturer;
  return {
    cpu: String(sku.vcpus),
    memory: Quantity.of(memory, 'BinarySI').toString(),
    'ephemeral-storage': Quantity.of(parameters.osDiskSizeGB * 10 ** 9).toString(),
    pods: String(parameters.maxPods),
    'nvidia.com/gpu': String(maker === 'nvidia' ? sku.gpus : 0),
    'amd.com/gpu': String(maker === 'amd' ? sku.gpus : 0),
  };
}

export function allocatableOf(capacity: ResourceList, overhead: Overhead): ResourceList {
  const result: Record<string, string | number> = { ...capacity };
  for (const part of [overhead.kubeReserved, overhead.systemReserved, overhead.evictionThreshold]) {
    for (const [name, amount] of Object.entries(part ?? {})) {
      const taken = parseQuantity(amount);
      if (taken.isZero()) continue;
      result[name] = parseQuantity(result[name] ?? 0)
        .sub(taken)
        .toString();
    }
  }
  return result as ResourceList;
}
