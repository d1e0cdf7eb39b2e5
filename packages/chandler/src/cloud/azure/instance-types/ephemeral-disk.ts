/**
 * Whether the OS disk fits on a disk of the VM itself, and on which. The label
 * `sku-storage-ephemeralos-maxsize` carries what Karpenter's Azure provider writes there: the size of the first place
 * that has any space. Choosing looks further than that: where the first place is too small (a small cache beside a big
 * resource disk) the next one is taken, of those that Azure names as supported. So a VM may have its OS disk on
 * local storage although the label shows a smaller number; never the other way round, unless Azure does not
 * support the place that the label was computed from.
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

/** Where an OS disk of this size goes; nothing when it has to be a managed disk. */
export function ephemeralPlacement(disks: LocalDisks, osDiskSizeGB: number): DiskPlacement | undefined {
  if (!disks.ephemeralOsSupported) return undefined;
  return DISK_PLACEMENTS.find(
    (placement) => isSupported(disks, placement) && osDiskSizeGB <= sizeGB(disks, placement),
  );
}

// ---------------------------------------------------------------------------------------------------------------

const MEBIBYTE = 2 ** 20;
const GIGABYTE = 10 ** 9;

function isSupported(disks: LocalDisks, placement: DiskPlacement): boolean {
  if (disks.placements.length > 0) return disks.placements.includes(placement);
  return placement !== 'NvmeDisk';
}

function sizeGB(disks: LocalDisks, placement: DiskPlacement): number {
  switch (placement) {
    case 'NvmeDisk':
      return Math.floor((disks.nvmeMiB * MEBIBYTE) / GIGABYTE);
    case 'CacheDisk':
      return Math.floor(disks.cacheBytes / GIGABYTE);
    case 'ResourceDisk':
      return Math.floor((disks.resourceMiB * MEBIBYTE) / GIGABYTE);
  }
}
