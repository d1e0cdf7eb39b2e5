/** What a cluster of EKS has with the CSI drivers for EBS and EFS installed: StorageClasses, and taints that agents remove. */
import type { KubeObject } from '@chandler/kube';

export const EBS_DRIVER = 'ebs.csi.aws.com';
/** File systems: any node can mount them, in any zone and in any number. */
export const EFS_DRIVER = 'efs.csi.aws.com';

/** Of an instance on Nitro: 28 attachments, less the root volume and a network interface. */
export const EBS_VOLUMES_PER_NODE = 26;

export const EKS_AGENT_TAINTS: readonly string[] = [
  `${EBS_DRIVER}/agent-not-ready`,
  `${EFS_DRIVER}/agent-not-ready`,
  'node.cilium.io/agent-not-ready',
];

const ROWS: readonly (readonly [
  name: string,
  driver: string,
  parameters: Readonly<Record<string, string>>,
])[] = [
  ['gp2', EBS_DRIVER, { type: 'gp2', fsType: 'ext4' }],
  ['gp3', EBS_DRIVER, { type: 'gp3', encrypted: 'true' }],
  ['efs', EFS_DRIVER, { provisioningMode: 'efs-ap', directoryPerms: '700' }],
];
const DEFAULT = 'gp3';

export const EKS_STORAGE_CLASSES: readonly KubeObject[] = ROWS.map(([name, provisioner, parameters]) => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: {
    name,
    ...(name === DEFAULT ? { annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } } : {}),
  },
  provisioner,
  parameters,
  reclaimPolicy: 'Delete',
  ...(provisioner === EBS_DRIVER ? { allowVolumeExpansion: true } : {}),
  volumeBindingMode: provisioner === EBS_DRIVER ? 'WaitForFirstConsumer' : 'Immediate',
}));
