/** What a node of a type has: cores, memory, disk, pods, devices, and the addresses of Windows and of branch interfaces. */
import type { ResourceList } from '../../../api/index.ts';

import { AMI_FAMILY_TRAITS, type AmiFamilyTraits, DEFAULT_DISK } from './ami-families.table.ts';
import { architectureOf, type UsableInstanceType } from './instance-type-info.ts';
import { networkLimits } from './network-limits.ts';
import type { Parameters } from './parameters.ts';
import { podsOf } from './pod-density.ts';

export function capacityOf(info: UsableInstanceType, parameters: Parameters): ResourceList {
  const { branchInterfaces = 0, addressesPerInterface = 1 } = networkLimits(info.InstanceType) ?? {};
  const isWindows = 'windowsBuild' in AMI_FAMILY_TRAITS[parameters.amiFamily];
  return {
    cpu: String(info.VCpuInfo.DefaultVCpus),
    memory: `${guestMemoryMiB(info, parameters.memoryOverheadPercent)}Mi`,
    'ephemeral-storage': ephemeralStorage(info, parameters),
    pods: String(podsOf(info, parameters)),
    'vpc.amazonaws.com/pod-eni': String(branchInterfaces),
    'nvidia.com/gpu': String(gpus(info, 'NVIDIA')),
    'amd.com/gpu': String(gpus(info, 'AMD')),
    'habana.ai/gaudi': String(gpus(info, 'Habana')),
    ...neuron(info),
    'vpc.amazonaws.com/efa': String(efaInterfaces(info, parameters)),
    ...(isWindows && architectureOf(info) === 'amd64'
      ? { 'vpc.amazonaws.com/PrivateIPv4Address': String(addressesPerInterface - 1) }
      : {}),
  };
}

/** What the guest sees: without the memory that the hypervisor keeps, and that arm64 kernels set aside. */
export function guestMemoryMiB(info: UsableInstanceType, overheadPercent: number): number {
  const isArm = info.ProcessorInfo?.SupportedArchitectures?.[0] === 'arm64';
  const sizeMiB = info.MemoryInfo.SizeInMiB - (isArm ? ARM_RESERVED_MIB : 0);
  // The same order of operations as upstream's: another one rounds some sizes to one MiB more.
  return sizeMiB - Math.ceil((sizeMiB * MEBIBYTE * overheadPercent) / 1024 / 1024);
}

/** The size of the disk that holds what pods write. */
export function ephemeralStorage(info: UsableInstanceType, { raid0, disks, amiFamily }: Parameters): string {
  const localGB = info.InstanceStorageInfo?.TotalSizeInGB;
  if (raid0 && localGB !== undefined) return `${localGB}G`;
  const traits: AmiFamilyTraits = AMI_FAMILY_TRAITS[amiFamily];
  const root = disks.find(({ rootVolume }) => rootVolume)?.volumeSize;
  if (root !== undefined) return root;
  const { ephemeralDevice } = traits;
  // The device of a custom image is not known: the last disk is the one that people add.
  if (ephemeralDevice === undefined) return disks.at(-1)?.volumeSize ?? DEFAULT_DISK;
  const own = disks.find(({ device }) => device === ephemeralDevice)?.volumeSize;
  return own ?? traits.defaultDisks[ephemeralDevice] ?? DEFAULT_DISK;
}

// ---------------------------------------------------------------------------------------------------------------

const MEBIBYTE = 2 ** 20;
/** Contiguous memory that Graviton kernels reserve. */
const ARM_RESERVED_MIB = 64;

function gpus({ GpuInfo }: UsableInstanceType, manufacturer: string): number {
  let count = 0;
  for (const gpu of GpuInfo?.Gpus ?? []) if (gpu.Manufacturer === manufacturer) count += gpu.Count ?? 0;
  return count;
}

function neuron({ NeuronInfo }: UsableInstanceType): ResourceList {
  const devices = NeuronInfo?.NeuronDevices ?? [];
  let count = 0;
  let cores = 0;
  for (const device of devices) {
    count += device.Count ?? 0;
    cores += (device.Count ?? 0) * (device.CoreInfo?.Count ?? 0);
  }
  return { 'aws.amazon.com/neuron': String(count), 'aws.amazon.com/neuroncore': String(cores) };
}

/** Interfaces that the class lists replace what the type could have. */
function efaInterfaces(info: UsableInstanceType, { networkInterfaces }: Parameters): number {
  if (networkInterfaces === undefined) return info.NetworkInfo.EfaInfo?.MaximumEfaInterfaces ?? 0;
  return networkInterfaces.filter(({ interfaceType }) => interfaceType === 'efa-only').length;
}
