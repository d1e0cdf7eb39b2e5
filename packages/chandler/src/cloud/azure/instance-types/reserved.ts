/**
 * How much of a VM pods can have: what the hypervisor keeps, what AKS makes the kubelet reserve, and the
 * eviction threshold. The arithmetic is that of AKS down to the rounding: plain doubles, summed in the order of the
 * brackets, cut to whole numbers at the end. For some core counts this is one milli-core low (120 vCPUs: 1299m); a
 * node reports the same, so it must not be repaired here.
 */
import { Quantity } from '@chandler/kube';
import type { ResourceList } from '../../../api/index.ts';

export const EVICTION_MEMORY = '750Mi';

/** Memory that the guest sees, in bytes. Fractions of a GiB are left out: 3.5 GiB counts as 3. */
export function guestMemoryBytes(memoryGiB: number, overheadPercent: number): number {
  const bytes = Math.trunc(memoryGiB) * GIBIBYTE;
  return bytes - Math.ceil(bytes * overheadPercent);
}

/** Thousandths of a core. */
export function reservedCpuMilli(vcpus: number): number {
  return Math.trunc(1000 * tax(CPU_BRACKETS, vcpus));
}

export function reservedMemoryMiB(memoryGiB: number): number {
  return Math.trunc(1024 * tax(MEMORY_BRACKETS, memoryGiB));
}

export function kubeReserved(vcpus: number, memoryGiB: number): ResourceList {
  return {
    cpu: Quantity.ofMilli(reservedCpuMilli(vcpus)).toString(),
    memory: Quantity.of(reservedMemoryMiB(memoryGiB) * MEBIBYTE, 'BinarySI').toString(),
  };
}

/** AKS reserves nothing for the system. */
export const SYSTEM_RESERVED: ResourceList = { cpu: '0', memory: '0' };
export const EVICTION_THRESHOLD: ResourceList = { memory: EVICTION_MEMORY };

// ---------------------------------------------------------------------------------------------------------------

const MEBIBYTE = 2 ** 20;
const GIBIBYTE = 2 ** 30;

interface Bracket {
  /** The rate holds up to here, from where the bracket before ended. */
  readonly upTo: number;
  readonly rate: number;
}

const CPU_BRACKETS: readonly Bracket[] = [
  { upTo: 1, rate: 0.06 },
  { upTo: 2, rate: 0.04 },
  { upTo: 4, rate: 0.02 },
  { upTo: Number.MAX_VALUE, rate: 0.01 },
];

const MEMORY_BRACKETS: readonly Bracket[] = [
  { upTo: 4, rate: 0.25 },
  { upTo: 8, rate: 0.2 },
  { upTo: 16, rate: 0.1 },
  { upTo: 128, rate: 0.06 },
  { upTo: Number.MAX_VALUE, rate: 0.02 },
];

function tax(brackets: readonly Bracket[], amount: number): number {
  let sum = 0;
  let from = 0;
  for (const { upTo, rate } of brackets) {
    if (from > amount) break;
    sum += (Math.min(upTo, amount) - from) * rate;
    from = upTo;
  }
  return sum;
}
