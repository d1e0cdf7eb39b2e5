/** The StorageClasses that every AKS cluster has, as AKS creates them. */
import type { KubeObject } from '@chandler/kube';

export const DISK_DRIVER = 'disk.csi.azure.com';
/** File shares: any node can mount them, in any zone and in any number. */
export const FILE_DRIVER = 'file.csi.azure.com';

const ROWS: readonly (readonly [name: string, driver: string, sku: string])[] = [
  ['default', DISK_DRIVER, 'StandardSSD_LRS'],
  ['managed', DISK_DRIVER, 'StandardSSD_LRS'],
  ['managed-premium', DISK_DRIVER, 'Premium_LRS'],
  ['managed-csi', DISK_DRIVER, 'StandardSSD_LRS'],
  ['managed-csi-premium', DISK_DRIVER, 'Premium_LRS'],
  ['azurefile', FILE_DRIVER, 'Standard_LRS'],
  ['azurefile-premium', FILE_DRIVER, 'Premium_LRS'],
  ['azurefile-csi', FILE_DRIVER, 'Standard_LRS'],
  ['azurefile-csi-premium', FILE_DRIVER, 'Premium_LRS'],
];

export const AKS_STORAGE_CLASSES: readonly KubeObject[] = ROWS.map(([name, provisioner, skuName]) => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: {
    name,
    labels: { 'addonmanager.kubernetes.io/mode': 'EnsureExists', 'kubernetes.io/cluster-service': 'true' },
    ...(name === 'default' ? { annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } } : {}),
  },
  provisioner,
  parameters: { skuName },
  reclaimPolicy: 'Delete',
  allowVolumeExpansion: true,
  volumeBindingMode: provisioner === DISK_DRIVER ? 'WaitForFirstConsumer' : 'Immediate',
  ...(provisioner === FILE_DRIVER ? { mountOptions: ['mfsymlinks', 'actimeo=30', 'nosharesock'] } : {}),
}));
