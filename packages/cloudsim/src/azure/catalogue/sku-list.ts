/**
 * The answer of the resource SKUs API: sizes with their capabilities in the text form of Azure, zones, restrictions, and
 * the other kinds of resources that the same list contains. What is available is decided elsewhere.
 */
import { OTHER_SKUS } from './other-skus.table.ts';
import {
  isOffered,
  REGIONS,
  type Region,
  regionKey,
  shortName,
  type VmSize,
  zonesOf,
} from './size-family.ts';

export interface Sku {
  readonly resourceType: string;
  readonly name: string;
  readonly tier?: string;
  readonly size?: string;
  readonly family?: string;
  readonly locations: readonly string[];
  readonly locationInfo: readonly LocationInfo[];
  readonly capabilities: readonly Capability[];
  readonly restrictions: readonly Restriction[];
}

export interface Capability {
  readonly name: string;
  readonly value: string;
}

export interface LocationInfo {
  readonly location: string;
  readonly zones: readonly string[];
  readonly zoneDetails: readonly {
    /** Unlike every other property it starts with a capital letter, so that the SDKs do not read it. */
    readonly Name: readonly string[];
    readonly capabilities: readonly Capability[];
  }[];
}

export interface Restriction {
  readonly type: 'Location' | 'Zone';
  readonly values: readonly string[];
  readonly restrictionInfo: { readonly locations: readonly string[]; readonly zones?: readonly string[] };
  readonly reasonCode: 'NotAvailableForSubscription';
}

/** The restrictions of the subscription, according to the catalogue. */
export type RestrictedIn = (size: VmSize, region: Region) => 'Location' | readonly string[] | undefined;

export interface SkuListOptions {
  readonly sizes: readonly VmSize[];
  readonly restrictedIn: RestrictedIn;
  /** A region's name in any spelling; undefined: all regions. */
  readonly location: string | undefined;
  /** Sizes of made-up families are added until a region has this many. Default: none. */
  readonly atLeast?: number;
}

export function skuList(options: SkuListOptions): Sku[] {
  const wanted = options.location === undefined ? undefined : regionKey(options.location);
  const regions = REGIONS.filter((region) => wanted === undefined || wanted === region);
  return regions.flatMap((region) => skusOfRegion(options, region));
}

/** The service filters by `location eq 'eastus'` only; it ignores any other filter. */
export function locationOfFilter(filter: string | undefined): string | undefined {
  return /^\s*location\s+eq\s+'([^']*)'\s*$/i.exec(filter ?? '')?.[1];
}

// ---------------------------------------------------------------------------------------------------

function skusOfRegion(options: SkuListOptions, region: Region): Sku[] {
  const sizes = options.sizes.filter((size) => isOffered(size, region));
  const skus = sizes.map((size) => vmSku(size, region, options.restrictedIn(size, region)));
  return [
    ...OTHER_SKUS.map((row) => otherSku(row, region)),
    ...inflated(skus, options.atLeast ?? 0),
    ...skus,
  ];
}

function vmSku(size: VmSize, region: Region, restricted: 'Location' | readonly string[] | undefined): Sku {
  const zones = zonesOf(size, region);
  // Ultra disks are listed per zone where there are zones, and as a plain capability where there are none.
  const ultra: Capability[] = [{ name: 'UltraSSDAvailable', value: asText(size.family.ultraSsd !== false) }];
  return {
    resourceType: 'virtualMachines',
    name: size.name,
    tier: size.family.tier ?? 'Standard',
    size: shortName(size),
    family: size.family.quotaFamily,
    locations: [region],
    locationInfo: [
      {
        location: region,
        zones,
        zoneDetails:
          zones.length > 0 && size.family.ultraSsd !== false ? [{ Name: zones, capabilities: ultra }] : [],
      },
    ],
    capabilities: [...capabilitiesOf(size), ...(zones.length === 0 ? ultra : [])],
    restrictions: restrictionsOf(restricted, region),
  };
}

const PLACEMENTS = { cache: 'ResourceDisk,CacheDisk', resource: 'ResourceDisk', nvme: 'NvmeDisk' } as const;
const GIB = 1024 ** 3;

function capabilitiesOf(size: VmSize): Capability[] {
  const { family } = size;
  const values: [string, string | undefined][] = [
    ['MaxResourceVolumeMB', String(size.resourceGiB * 1024)],
    ['OSVhdSizeMB', '1047552'],
    ['vCPUs', String(size.vCpus)],
    ['MemoryPreservingMaintenanceSupported', asText(size.gpus === 0)],
    ['HyperVGenerations', family.generations],
    ['DiskControllerTypes', family.diskControllers],
    ['SupportedEphemeralOSDiskPlacements', family.ephemeral && PLACEMENTS[family.ephemeral]],
    ['MemoryGB', String(size.memoryGiB)],
    ['MaxDataDiskCount', String(size.dataDisks)],
    ['CpuArchitectureType', family.cpu ?? 'x64'],
    ['LowPriorityCapable', asText(family.spot !== false)],
    ['PremiumIO', asText(family.premiumIo !== false)],
    ['VMDeploymentTypes', 'IaaS'],
    ['vCPUsAvailable', String(size.vCpusAvailable)],
    ['GPUs', size.gpus > 0 ? String(size.gpus) : undefined],
    ['vCPUsPerCore', family.cpu === 'Arm64' ? '1' : '2'],
    ['CachedDiskBytes', size.cachedGiB > 0 ? String(size.cachedGiB * GIB) : undefined],
    ['NvmeDiskSizeInMiB', size.nvmeMiB > 0 ? String(size.nvmeMiB) : undefined],
    ['EphemeralOSDiskSupported', asText(family.ephemeral !== undefined)],
    ['EncryptionAtHostSupported', asText(family.encryptionAtHost !== false)],
    ['CapacityReservationSupported', asText(size.gpus === 0 && family.spot !== false)],
    ['TrustedLaunchDisabled', family.trustedLaunchDisabled && 'True'],
    ['ConfidentialComputingType', family.confidential],
    ['ParentSize', size.vCpusAvailable < size.vCpus ? parentName(size) : undefined],
    ['AcceleratedNetworkingEnabled', asText(family.acceleratedNetworking !== false)],
    ['RdmaEnabled', asText(/^(HB|ND\d+[a-z]*r)/.test(shortName(size)))],
    ['MaxNetworkInterfaces', String(size.networkInterfaces)],
  ];
  return values.flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]));
}

function parentName(size: VmSize): string {
  return shortName(size).replace(/-\d+/, '');
}

function restrictionsOf(
  restricted: 'Location' | readonly string[] | undefined,
  region: Region,
): Restriction[] {
  if (restricted === undefined) return [];
  const zonal = restricted !== 'Location';
  return [
    {
      type: zonal ? 'Zone' : 'Location',
      values: [region],
      restrictionInfo: { locations: [region], ...(zonal ? { zones: restricted } : {}) },
      reasonCode: 'NotAvailableForSubscription',
    },
  ];
}

function otherSku(row: (typeof OTHER_SKUS)[number], region: Region): Sku {
  const [resourceType, name, size, zonal] = row;
  return {
    resourceType,
    name,
    ...(size === '' ? {} : { tier: name.split('_')[0]!, size }),
    locations: [region],
    locationInfo: [{ location: region, zones: zonal ? ['1', '2', '3'] : [], zoneDetails: [] }],
    capabilities: [],
    restrictions: [],
  };
}

/** Copies of the real ones under versions that do not exist, so that a list can be as long as a real region's. */
function inflated(skus: readonly Sku[], atLeast: number): Sku[] {
  const added: Sku[] = [];
  const names = new Set(skus.map((sku) => sku.name));
  const plain = skus.filter((sku) => /_v\d$/.test(sku.name) && sku.restrictions.length === 0);
  for (let version = 8; plain.length > 0 && skus.length + added.length < atLeast; version++) {
    for (const sku of plain) {
      const name = sku.name.replace(/_v\d$/, `_v${version}`);
      if (names.has(name) || skus.length + added.length >= atLeast) continue;
      names.add(name);
      added.push({
        ...sku,
        name,
        size: name.replace('Standard_', ''),
        family: sku.family!.replace(/v\d/, `v${version}`),
      });
    }
  }
  return added;
}

function asText(value: boolean): 'True' | 'False' {
  return value ? 'True' : 'False';
}
