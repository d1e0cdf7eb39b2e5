/**
 * What pods cannot have of a node: the reservations of the kubelet and the system, and the hard eviction thresholds. Soft
 * thresholds do not count: a kubelet lets pods use what is above them.
 */
import { parseQuantity } from '@chandler/kube';
import type { ResourceList } from '../../../api/index.ts';
import type { Overhead } from '../../../scheduling/index.ts';

import { AMI_FAMILY_TRAITS } from './ami-families.table.ts';
import type { UsableInstanceType } from './instance-type-info.ts';
import { isPercentage } from './kubelet-settings.ts';
import type { Parameters } from './parameters.ts';
import { eniPods, podsOf } from './pod-density.ts';

export interface NodeDisks {
  readonly memoryMiB: number;
  readonly ephemeralStorage: string;
}

export function overheadOf(
  info: UsableInstanceType,
  parameters: Parameters,
  { memoryMiB, ephemeralStorage }: NodeDisks,
): Required<Overhead> {
  const { amiFamily, kubelet, networkInterfaces } = parameters;
  // Reserved interfaces are not subtracted: the kubelet of these families does not know of them.
  const pods = AMI_FAMILY_TRAITS[amiFamily].reservesMemoryForEniPods
    ? eniPods(info, 0, networkInterfaces)
    : podsOf(info, parameters);
  return {
    kubeReserved: { ...kubeReserved(info.VCpuInfo.DefaultVCpus, pods), ...kubelet.kubeReserved },
    systemReserved: kubelet.systemReserved,
    evictionThreshold: {
      memory: threshold(kubelet.evictionHard['memory.available'], memoryMiB * MEBIBYTE) ?? EVICTION_MEMORY,
      'ephemeral-storage':
        threshold(kubelet.evictionHard['nodefs.available'], bytesOf(ephemeralStorage)) ??
        share(bytesOf(ephemeralStorage), EVICTION_DISK_PERCENT),
    },
  };
}

export function kubeReserved(vcpus: number, pods: number): ResourceList {
  return {
    cpu: `${reservedCpuMilli(vcpus)}m`,
    memory: `${MEMORY_PER_POD_MIB * pods + MEMORY_BASE_MIB}Mi`,
    'ephemeral-storage': '1Gi',
  };
}

/** Thousandths of a core: each bracket is cut to a whole number. */
export function reservedCpuMilli(vcpus: number): number {
  let sum = 0;
  let from = 0;
  for (const { upTo, rate } of CPU_BRACKETS) {
    sum += Math.trunc(Math.max(0, Math.min(upTo, vcpus * 1000) - from) * rate);
    from = upTo;
  }
  return sum;
}

// ---------------------------------------------------------------------------------------------------------------

const MEBIBYTE = 2 ** 20;
const MEMORY_PER_POD_MIB = 11;
const MEMORY_BASE_MIB = 255;
const EVICTION_MEMORY = '100Mi';
const EVICTION_DISK_PERCENT = 10;

/** In thousandths of a core. */
const CPU_BRACKETS = [
  { upTo: 1000, rate: 0.06 },
  { upTo: 2000, rate: 0.01 },
  { upTo: 4000, rate: 0.005 },
  { upTo: Number.POSITIVE_INFINITY, rate: 0.0025 },
] as const;

/** The kubelet takes 100 % as "no threshold". */
function threshold(text: string | undefined, capacityBytes: number): string | undefined {
  if (text === undefined || !isPercentage(text)) return text;
  const percent = Number(text.slice(0, -1));
  return percent === 100 ? '0' : share(capacityBytes, percent);
}

function share(bytes: number, percent: number): string {
  return String(Math.ceil((bytes / 100) * percent));
}

function bytesOf(quantity: string): number {
  return Number(parseQuantity(quantity).value());
}
