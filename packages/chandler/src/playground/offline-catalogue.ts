/**
 * The VM sizes of the simulated clouds, as data in the form of each cloud's own API: the built-in catalogue of commands
 * that read no cloud.
 */
import { AKS_STORAGE_CLASSES, AzureSizes } from '@chandler/cloudsim/azure/offline';
import type { KubeObject } from '@chandler/kube';

export type OfflineSize = ReturnType<AzureSizes['skus']>[number];

/** The sizes of the region; an unknown region has those of the home region. */
export function offlineSizes(cloud: string, region: string, homeRegion: string): readonly OfflineSize[] {
  if (cloud !== 'azure') return [];
  const sizes = new AzureSizes();
  const own = sizes.skus(region);
  const known = own.some(({ resourceType }) => resourceType === 'virtualMachines');
  return known ? own : moved(sizes.skus(homeRegion), region);
}

/** The StorageClasses that every cluster of the cloud has. */
export function offlineStorageClasses(cloud: string): readonly KubeObject[] {
  return cloud === 'azure' ? AKS_STORAGE_CLASSES : [];
}

// ---------------------------------------------------------------------------------------------------

function moved(sizes: readonly OfflineSize[], region: string): readonly OfflineSize[] {
  return sizes.map((size) => ({
    ...size,
    locations: [region],
    locationInfo: (size.locationInfo ?? []).map((info) => ({ ...info, location: region })),
  }));
}
