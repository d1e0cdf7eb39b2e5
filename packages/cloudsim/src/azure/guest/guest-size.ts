/**
 * What a kubelet finds on a VM of a size: cores, memory without the share of firmware and kernel, file system without its
 * metadata, GPUs; and what is allocatable for pods.
 */
import { Quantity } from '@chandler/kube';
import type { NodeRegistration } from '../../node-host.ts';
import { KubeletExit, type Reserved } from './kubelet-config.ts';

export interface GuestSize {
  readonly vCpus: number;
  readonly memoryGiB: number;
  readonly gpus: number;
  readonly diskSizeGB: number;
  readonly architecture: 'amd64' | 'arm64';
}

/** Bytes and cores as the operating system sees them. */
export interface GuestCapacity {
  readonly cpu: number;
  readonly memoryBytes: number;
  readonly storageBytes: number;
}

export function capacityOf(size: GuestSize): GuestCapacity {
  const memoryKiB = Math.floor(size.memoryGiB * KIB_PER_GIB * (1 - KERNEL_SHARE)) - KERNEL_KIB;
  return {
    cpu: size.vCpus,
    memoryBytes: Math.max(memoryKiB, KERNEL_KIB) * 1024,
    storageBytes: Math.floor(size.diskSizeGB * KIB_PER_GIB * FILE_SYSTEM_SHARE) * 1024,
  };
}

/** @throws {KubeletExit} when more is reserved than available. */
export function resourcesOf(
  capacity: GuestCapacity,
  reserved: Reserved,
  maxPods: number,
): Pick<NodeRegistration, 'capacity' | 'allocatable'> {
  const milliCpu = capacity.cpu * 1000 - reserved.milliCpu;
  const memoryBytes = capacity.memoryBytes - reserved.memoryBytes;
  const storageBytes =
    capacity.storageBytes -
    Math.max(reserved.storageBytes, Math.floor(capacity.storageBytes * reserved.storageShare));
  if (milliCpu < 0) throw tooMuch('cpu', `${reserved.milliCpu}m`, String(capacity.cpu));
  if (memoryBytes < 0) throw tooMuch('memory', bytes(reserved.memoryBytes), bytes(capacity.memoryBytes));
  return {
    capacity: {
      cpu: String(capacity.cpu),
      memory: bytes(capacity.memoryBytes),
      pods: String(maxPods),
      'ephemeral-storage': bytes(capacity.storageBytes),
    },
    allocatable: {
      cpu: Quantity.ofMilli(milliCpu).toString(),
      memory: bytes(memoryBytes),
      'ephemeral-storage': String(Math.max(0, storageBytes)),
    },
  };
}

// ---------------------------------------------------------------------------------------------------

const KIB_PER_GIB = 1024 * 1024;
/** Seen on nodes of 8 to 64 GiB: 1.5 % and 128 MiB are missing. */
const KERNEL_SHARE = 0.015;
const KERNEL_KIB = 128 * 1024;
/** 129886128Ki of a disk of 128 GiB. */
const FILE_SYSTEM_SHARE = 0.9677;

function bytes(amount: number): string {
  return Quantity.of(amount, 'BinarySI').toString();
}

function tooMuch(resource: string, wanted: string, there: string): KubeletExit {
  return new KubeletExit(
    `failed to run Kubelet: invalid Node Allocatable configuration. Resource "${resource}" has a reservation of ${wanted} ` +
      `but capacity of ${there}. Expected capacity >= reservation.`,
  );
}
