/** Volumes, the claims on them, and what attaches them: the fields that controllers read. */
import type { KubeObject, NamespacedObject } from '../object.ts';
import type { ResourceAmounts } from './resource-amounts.ts';
import type { LabelSelector, NodeSelector } from './selector.ts';

export interface PersistentVolumeClaim extends NamespacedObject {
  readonly spec: PersistentVolumeClaimSpec;
  readonly status?: { readonly phase?: string; readonly [field: string]: unknown };
}

export interface PersistentVolumeClaimSpec {
  readonly storageClassName?: string;
  readonly volumeName?: string;
  readonly accessModes?: readonly string[];
  readonly volumeMode?: string;
  readonly selector?: LabelSelector;
  readonly resources?: { readonly requests?: ResourceAmounts };
  readonly [field: string]: unknown;
}

export interface PersistentVolume extends KubeObject {
  readonly spec: PersistentVolumeSpec;
  readonly status?: { readonly phase?: string };
}

export interface PersistentVolumeSpec {
  readonly capacity?: ResourceAmounts;
  readonly accessModes?: readonly string[];
  readonly storageClassName?: string;
  readonly claimRef?: ClaimReference;
  readonly nodeAffinity?: { readonly required?: NodeSelector };
  readonly csi?: { readonly driver: string; readonly volumeHandle?: string };
  readonly awsElasticBlockStore?: object;
  readonly azureDisk?: object;
  readonly local?: object;
  readonly hostPath?: object;
  readonly persistentVolumeReclaimPolicy?: string;
  readonly [field: string]: unknown;
}

/** An administrator may write it by hand, and then it need not name the claim's UID. */
export interface ClaimReference {
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly [field: string]: unknown;
}

export interface StorageClass extends KubeObject {
  readonly provisioner: string;
  readonly volumeBindingMode?: string;
  readonly reclaimPolicy?: string;
  readonly allowedTopologies?: readonly TopologySelectorTerm[];
}

export interface TopologySelectorTerm {
  readonly matchLabelExpressions?: readonly { readonly key: string; readonly values: readonly string[] }[];
}

export interface CSINode extends KubeObject {
  readonly spec: { readonly drivers?: readonly CSINodeDriver[] };
}

export interface CSINodeDriver {
  readonly name: string;
  readonly nodeID?: string;
  /** How many volumes of the driver the node can attach. */
  readonly allocatable?: { readonly count?: number };
}

export interface VolumeAttachment extends KubeObject {
  readonly spec: {
    readonly attacher: string;
    readonly nodeName: string;
    readonly source: { readonly persistentVolumeName?: string };
  };
  readonly status?: { readonly attached: boolean };
}
