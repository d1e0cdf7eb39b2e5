/**
 * What is known about one size in one region, read once from the ResourceSkus answer. A SKU that lacks a fact
 * without which no node can be planned is unreadable; what a size is good for, others decide.
 */
import {
  type Capabilities,
  capabilitiesOf,
  isTrue,
  listOf,
  numberOf,
  openZones,
  type ResourceSku,
  zonesWith,
} from './resource-sku.ts';
import { parseSize, type Size } from './size-name.ts';
import type { SkuRefusal } from './sku-refusal.ts';

export type Architecture = 'amd64' | 'arm64';
export type DiskPlacement = 'NvmeDisk' | 'CacheDisk' | 'ResourceDisk';

export interface SkuFacts {
  readonly name: string;
  readonly size: Size;
  /** The family in which Azure counts quota; empty when the SKU list does not name it. */
  readonly family: string;
  readonly vcpus: number;
  /** The capability is called MemoryGB and means GiB. */
  readonly memoryGiB: number;
  readonly gpus: number;
  readonly architecture: Architecture;
  /** Numbers of the zones that this subscription may use, in order; none for sizes that are regional only. */
  readonly zones: readonly string[];
  readonly hyperVGenerations: readonly ('1' | '2')[];
  readonly spotCapable: boolean;
  readonly acceleratedNetworking: boolean;
  readonly premiumIO: boolean;
  readonly encryptionAtHost: boolean;
  readonly trustedLaunch: boolean;
  /** Outside of zones. */
  readonly ultraSsdRegional: boolean;
  readonly ultraSsdZones: readonly string[];
  readonly disks: LocalDisks;
  /** How many data disks a VM can attach; undefined when Azure did not say. */
  readonly maxDataDisks: number | undefined;
}

/** What an OS disk without network storage could be put on. */
export interface LocalDisks {
  readonly ephemeralOsSupported: boolean;
  /** Empty when Azure did not say; then cache and resource disk are meant. */
  readonly placements: readonly string[];
  readonly nvmeMiB: number;
  readonly cacheBytes: number;
  /** The capability is called MaxResourceVolumeMB and means MiB. */
  readonly resourceMiB: number;
}

export function readSku(sku: ResourceSku, region: string): SkuFacts | SkuRefusal {
  const name = sku.name ?? '';
  const size = parseSize(name);
  if (size === undefined) return { code: 'NameNotUnderstood', name };
  const capabilities = capabilitiesOf(sku.capabilities);
  const vcpus = numberOf(capabilities, 'vCPUs');
  if (vcpus === undefined) return { code: 'FactMissing', fact: 'vCPUs' };
  const memoryGiB = numberOf(capabilities, 'MemoryGB');
  if (memoryGiB === undefined) return { code: 'FactMissing', fact: 'MemoryGB' };
  const architecture = ARCHITECTURES.get(capabilities.get('CpuArchitectureType') ?? 'x64');
  if (architecture === undefined) return { code: 'FactMissing', fact: 'CpuArchitectureType' };
  const hyperVGenerations = generationsOf(capabilities);
  return {
    name,
    size,
    family: sku.family ?? '',
    vcpus,
    memoryGiB,
    gpus: numberOf(capabilities, 'GPUs') ?? 0,
    architecture,
    zones: openZones(sku, region),
    hyperVGenerations,
    spotCapable: isTrue(capabilities, 'LowPriorityCapable'),
    acceleratedNetworking: isTrue(capabilities, 'AcceleratedNetworkingEnabled'),
    premiumIO: isTrue(capabilities, 'PremiumIO'),
    encryptionAtHost: isTrue(capabilities, 'EncryptionAtHostSupported'),
    trustedLaunch: hyperVGenerations.includes('2') && !isTrue(capabilities, 'TrustedLaunchDisabled'),
    ultraSsdRegional: isTrue(capabilities, 'UltraSSDAvailable'),
    ultraSsdZones: zonesWith(sku, region, 'UltraSSDAvailable'),
    disks: disksOf(capabilities),
    maxDataDisks: numberOf(capabilities, 'MaxDataDiskCount'),
  };
}

export function isRefusal(read: SkuFacts | SkuRefusal): read is SkuRefusal {
  return 'code' in read;
}

// ---------------------------------------------------------------------------------------------------------------

const ARCHITECTURES: ReadonlyMap<string, Architecture> = new Map([
  ['x64', 'amd64'],
  ['Arm64', 'arm64'],
]);

function generationsOf(capabilities: Capabilities): ('1' | '2')[] {
  const listed = listOf(capabilities, 'HyperVGenerations');
  return (['1', '2'] as const).filter((generation) => listed.includes(`V${generation}`));
}

function disksOf(capabilities: Capabilities): LocalDisks {
  return {
    ephemeralOsSupported: isTrue(capabilities, 'EphemeralOSDiskSupported'),
    placements: listOf(capabilities, 'SupportedEphemeralOSDiskPlacements'),
    nvmeMiB: numberOf(capabilities, 'NvmeDiskSizeInMiB') ?? 0,
    cacheBytes: numberOf(capabilities, 'CachedDiskBytes') ?? 0,
    resourceMiB: numberOf(capabilities, 'MaxResourceVolumeMB') ?? 0,
  };
}
