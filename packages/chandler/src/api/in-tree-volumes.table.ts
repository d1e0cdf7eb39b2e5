/** Volume plugins from before CSI, and the drivers that serve their volumes today. */

/** CSI driver by the provisioner of a StorageClass. */
export const IN_TREE_DRIVERS: ReadonlyMap<string, string> = new Map([
  ['kubernetes.io/aws-ebs', 'ebs.csi.aws.com'],
  ['kubernetes.io/azure-disk', 'disk.csi.azure.com'],
  ['kubernetes.io/azure-file', 'file.csi.azure.com'],
  ['kubernetes.io/gce-pd', 'pd.csi.storage.gke.io'],
  ['kubernetes.io/cinder', 'cinder.csi.openstack.org'],
  ['kubernetes.io/vsphere-volume', 'csi.vsphere.vmware.com'],
]);

/** Fields of a PersistentVolume that name such a plugin. */
export interface InTreeVolumeSource {
  readonly awsElasticBlockStore?: object;
  readonly azureDisk?: object;
}

/** The driver of a volume without `csi`. */
export function inTreeVolumeDriver(source: InTreeVolumeSource): string | undefined {
  if (source.awsElasticBlockStore !== undefined) return IN_TREE_DRIVERS.get('kubernetes.io/aws-ebs');
  if (source.azureDisk !== undefined) return IN_TREE_DRIVERS.get('kubernetes.io/azure-disk');
  return undefined;
}
