/**
 * Whether the OS disk fits on a disk of the VM itself, and on which. The label
 * `sku-storage-ephemeralos-maxsize` carries what Karpenter's Azure provider writes there: the size of the first place
 * that has any space. Choosing looks further than that: where the first place is too small (a small cache beside a big
 * resource disk) the next one is taken, of those that Azure names as supported. So a VM may have its OS disk on
 * local storage although the label shows a smaller number. Azure compares in GiB, so a disk that is slightly smaller than
 * the label's number may not fit: then it is a managed disk. So is one that Azure refused before for this size.
 */
import type { DiskPlacement, LocalDisks } from '../sizes/index.ts';

/** In the order in which they are preferred. */
export const DISK_PLACEMENTS: readonly DiskPlacement[] = ['NvmeDisk', 'CacheDisk', 'ResourceDisk'];

/** The label's number, in GB of 10^9 bytes; 0 without any. */
export function ephemeralMaxSizeGB(disks: LocalDisks): number {
  if (!disks.ephemeralOsSupported) return 0;
  if (disks.nvmeMiB > 0 && disks.placements.includes('NvmeDisk')) return sizeGB(disks, 'NvmeDisk');
  return sizeGB(disks, disks.cacheBytes > 0 ? 'CacheDisk' : 'ResourceDisk');
}

/**
 * Where an OS disk of this size goes; nothing when it has to be a managed disk. `osDiskSizeGB` is in GiB, as everywhere
 * in Azure's API in spite of the name.
 */
export function ephemeralPlacement(
  disks: LocalDisks,
  osDiskSizeGB: number,
  isRefused: (placement: DiskPlacement) => boolean = () => false,
): DiskPlacement | undefined {
  if (!disks.ephemeralOsSupported) return undefined;
  return DISK_PLACEMENTS.find(
    (placement) =>
      isSupported(disks, placement) && osDiskSizeGB <= sizeGiB(disks, placement) && !isRefused(placement),
  );
}

/** Which local disks Azure refused for an OS disk, by VM size. Lives in memory; a restart costs one failed launch. */
export class EphemeralRefusals {
  /** The smallest OS disk that was refused, by size and placement. */
  readonly #refused = new Map<string, number>();

  refused(size: string, placement: DiskPlacement, osDiskSizeGB: number): void {
    const key = refusalKey(size, placement);
    this.#refused.set(key, Math.min(osDiskSizeGB, this.#refused.get(key) ?? Number.POSITIVE_INFINITY));
  }

  isRefused(size: string, placement: DiskPlacement, osDiskSizeGB: number): boolean {
    return osDiskSizeGB >= (this.#refused.get(refusalKey(size, placement)) ?? Number.POSITIVE_INFINITY);
  }
}

// ---------------------------------------------------------------------------------------------------------------

const MEBIBYTE = 2 ** 20;
const GIBIBYTE = 2 ** 30;
const GIGABYTE = 10 ** 9;

function refusalKey(size: string, placement: DiskPlacement): string {
  return `${size.toLowerCase()} ${placement}`;
}

function isSupported(disks: LocalDisks, placement: DiskPlacement): boolean {
  if (disks.placements.length > 0) return disks.placements.includes(placement);
  return placement !== 'NvmeDisk';
}

function sizeGB(disks: LocalDisks, placement: DiskPlacement): number {
  return Math.floor(bytesOf(disks, placement) / GIGABYTE);
}

function sizeGiB(disks: LocalDisks, placement: DiskPlacement): number {
  return Math.floor(bytesOf(disks, placement) / GIBIBYTE);
}

function bytesOf(disks: LocalDisks, placement: DiskPlacement): number {
  switch (placement) {
    case 'NvmeDisk':
      return disks.nvmeMiB * MEBIBYTE;
    case 'CacheDisk':
      return disks.cacheBytes;
    case 'ResourceDisk':
      return disks.resourceMiB * MEBIBYTE;
  }
}
