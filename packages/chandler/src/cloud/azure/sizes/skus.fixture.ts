/** ResourceSkus answers for tests: sizes with the capabilities that Azure gives them. */
import type { Capability, ResourceSku, SkuRestriction } from './resource-sku.ts';

export interface SkuShape {
  readonly vcpus?: number;
  readonly memoryGiB?: number;
  readonly family?: string;
  readonly gpus?: number;
  readonly arm?: boolean;
  readonly zones?: readonly string[];
  readonly region?: string;
  readonly spot?: boolean;
  /** Further capabilities, which replace those above. */
  readonly has?: Readonly<Record<string, string>>;
  readonly ultraSsdZones?: readonly string[];
  readonly restrictions?: readonly SkuRestriction[];
}

export const REGION = 'southcentralus';

/** A general purpose size by default: 2 vCPUs, 8 GiB, three zones. */
export function aSku(shortName: string, shape: SkuShape = {}): ResourceSku {
  const region = shape.region ?? REGION;
  const zones = shape.zones ?? ['1', '2', '3'];
  const capabilities: Record<string, string> = {
    vCPUs: String(shape.vcpus ?? 2),
    MemoryGB: String(shape.memoryGiB ?? 8),
    CpuArchitectureType: shape.arm ? 'Arm64' : 'x64',
    HyperVGenerations: shape.arm ? 'V2' : 'V1,V2',
    LowPriorityCapable: shape.spot === false ? 'False' : 'True',
    AcceleratedNetworkingEnabled: 'True',
    PremiumIO: 'True',
    EncryptionAtHostSupported: 'True',
    EphemeralOSDiskSupported: 'False',
    ...(shape.gpus && { GPUs: String(shape.gpus) }),
    ...shape.has,
  };
  return {
    name: shortName.startsWith('Basic_') ? shortName : `Standard_${shortName}`,
    resourceType: 'virtualMachines',
    family: shape.family ?? `standard${shortName.replace(/[0-9]+/, '').replace('_', '')}Family`,
    locations: [region],
    locationInfo: [
      {
        location: region,
        zones,
        zoneDetails: shape.ultraSsdZones
          ? [{ name: shape.ultraSsdZones, capabilities: [{ name: 'UltraSSDAvailable', value: 'True' }] }]
          : [],
      },
    ],
    capabilities: Object.entries(capabilities).map(([name, value]): Capability => ({ name, value })),
    restrictions: shape.restrictions ?? [],
  };
}

/** Local disks of real sizes, with the ephemeral OS disk sizes that Azure gives them. */
export const LOCAL_DISKS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Standard_D64s_v3: {
    EphemeralOSDiskSupported: 'True',
    SupportedEphemeralOSDiskPlacements: 'ResourceDisk,CacheDisk',
    CachedDiskBytes: '1717986918400',
    MaxResourceVolumeMB: '524288',
  },
  Standard_B20ms: {
    EphemeralOSDiskSupported: 'True',
    SupportedEphemeralOSDiskPlacements: 'ResourceDisk,CacheDisk',
    CachedDiskBytes: '32212254720',
    MaxResourceVolumeMB: '163840',
  },
  Standard_D16plds_v5: {
    EphemeralOSDiskSupported: 'True',
    SupportedEphemeralOSDiskPlacements: 'ResourceDisk,CacheDisk',
    CachedDiskBytes: '429496729600',
    MaxResourceVolumeMB: '614400',
  },
  Standard_NC24ads_A100_v4: {
    EphemeralOSDiskSupported: 'True',
    SupportedEphemeralOSDiskPlacements: 'ResourceDisk,CacheDisk',
    CachedDiskBytes: '274877906944',
    MaxResourceVolumeMB: '65536',
  },
  Standard_D128ds_v6: {
    EphemeralOSDiskSupported: 'True',
    SupportedEphemeralOSDiskPlacements: 'NvmeDisk',
    NvmeDiskSizeInMiB: '7208960',
    CachedDiskBytes: '0',
    MaxResourceVolumeMB: '0',
  },
};
