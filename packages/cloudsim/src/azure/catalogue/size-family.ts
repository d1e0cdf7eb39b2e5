/**
 * The columns of the size tables, and how a row of a family becomes the facts of one size. The sizes are in
 * families.table.ts; the catalogue decides which of them a subscription may use.
 */

/** The regions that this Azure has. */
export const REGIONS = ['eastus', 'westeurope'] as const;
export type Region = (typeof REGIONS)[number];

export interface SizeFamily {
  readonly series: string;
  /** The name that quota is counted by. */
  readonly quotaFamily: string;
  /** Default Standard. */
  readonly tier?: 'Basic';
  /** Default x64. */
  readonly cpu?: 'Arm64';
  readonly generations: 'V1' | 'V2' | 'V1,V2';
  /** Where an ephemeral OS disk may lie: in cache or temporary disk, in the temporary disk only, on NVMe. Default: nowhere. */
  readonly ephemeral?: 'cache' | 'resource' | 'nvme';
  /** True by default. */
  readonly premiumIo?: false;
  readonly encryptionAtHost?: false;
  readonly acceleratedNetworking?: false;
  readonly spot?: false;
  readonly ultraSsd?: false;
  readonly trustedLaunchDisabled?: true;
  /** Default: SCSI, and the SKU list does not mention it. */
  readonly diskControllers?: 'NVMe';
  readonly confidential?: 'SNP';
  /** Default: all. */
  readonly regions?: readonly Region[];
  /** One digit per zone. Default: 123. */
  readonly zones?: Readonly<Record<Region, string>>;
  /** Restricted for this subscription: everywhere, or in the second zone. */
  readonly restriction?: 'Location' | 'Zone';
  readonly sizes: readonly SizeRow[];
}

export type SizeRow = readonly [
  name: string,
  vCpus: number,
  /** Fewer than vCpus for a constrained size. */
  vCpusAvailable: number,
  memoryGiB: number,
  cachedGiB: number,
  resourceGiB: number,
  nvmeMiB: number,
  networkInterfaces: number,
  dataDisks: number,
  gpus: number,
  /** US dollars per hour; null: the price list has no such row. */
  eastus: number | null,
  westeurope: number | null,
];

export interface VmSize {
  readonly name: string;
  readonly family: SizeFamily;
  readonly vCpus: number;
  readonly vCpusAvailable: number;
  readonly memoryGiB: number;
  readonly cachedGiB: number;
  readonly resourceGiB: number;
  readonly nvmeMiB: number;
  readonly networkInterfaces: number;
  readonly dataDisks: number;
  readonly gpus: number;
  readonly pricePerHour: Readonly<Record<Region, number | undefined>>;
}

export function sizesOfFamily(family: SizeFamily): VmSize[] {
  return family.sizes.map(
    ([
      name,
      vCpus,
      vCpusAvailable,
      memoryGiB,
      cachedGiB,
      resourceGiB,
      nvmeMiB,
      networkInterfaces,
      dataDisks,
      gpus,
      eastus,
      westeurope,
    ]) => ({
      name,
      family,
      vCpus,
      vCpusAvailable,
      memoryGiB,
      cachedGiB,
      resourceGiB,
      nvmeMiB,
      networkInterfaces,
      dataDisks,
      gpus,
      pricePerHour: { eastus: eastus ?? undefined, westeurope: westeurope ?? undefined },
    }),
  );
}

export function isRegion(text: string): text is Region {
  return (REGIONS as readonly string[]).includes(text);
}

/** `East US` and `eastus` are the same place. */
export function regionKey(text: string): string {
  return text.toLowerCase().replaceAll(' ', '');
}

export function isOffered(size: VmSize, region: Region): boolean {
  return size.family.regions?.includes(region) ?? true;
}

export function zonesOf(size: VmSize, region: Region): readonly string[] {
  return [...(size.family.zones?.[region] ?? '123')];
}

/** `D4s_v5` of `Standard_D4s_v5`. */
export function shortName(size: VmSize): string {
  return size.name.replace(/^(Standard|Basic)_/, '');
}
