/**
 * The api-versions of the calls to ARM in clouds other than the public one. The SDKs use the newest version of each
 * service, which sovereign and custom clouds get months later. These are the versions that Karpenter's Azure provider
 * uses; for services that it does not call, versions of similar age. The longest type that matches a call counts.
 */
export const PINNED_API_VERSIONS: Readonly<Record<string, string>> = {
  'Microsoft.Compute/virtualMachines': '2025-04-01',
  'Microsoft.Compute/locations/usages': '2025-04-01',
  'Microsoft.Compute/locations/communityGalleries': '2025-03-03',
  'Microsoft.Compute/disks': '2025-01-02',
  'Microsoft.Compute/diskEncryptionSets': '2025-01-02',
  'Microsoft.Compute/skus': '2021-07-01',
  'Microsoft.Network': '2022-01-01',
  'Microsoft.ContainerService/managedClusters': '2025-09-01',
  'Microsoft.KeyVault': '2023-07-01',
  'Microsoft.Authorization': '2022-04-01',
  'Microsoft.ManagedIdentity': '2024-11-30',
  'Microsoft.ResourceGraph': '2024-04-01',
};
