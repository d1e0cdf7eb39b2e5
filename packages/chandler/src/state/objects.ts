/** The built-in kinds as the stores keep them: only the fields that are read. */
import type { KubeObject, ObjectMeta } from '@chandler/kube';
import type { ResourceList, Taint } from '../api/index.ts';
import type {
  CsiNode,
  DaemonSet,
  LabelSelector,
  PersistentVolume,
  Pod,
  PodSpec,
  StorageClass,
  VolumeClaim,
} from '../scheduling/index.ts';

export interface ObjectCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

export interface PodObject extends KubeObject {
  metadata: ObjectMeta;
  spec: PodSpec & {
    readonly schedulerName?: string;
    readonly terminationGracePeriodSeconds?: number;
    readonly priorityClassName?: string;
    readonly schedulingGates?: readonly { readonly name: string }[];
  };
  status?: Pod['status'] & {
    readonly nominatedNodeName?: string;
    readonly startTime?: string;
    readonly conditions?: readonly ObjectCondition[];
  };
}

export interface NodeObject extends KubeObject {
  metadata: ObjectMeta;
  spec?: {
    readonly providerID?: string;
    readonly taints?: readonly Taint[];
    readonly unschedulable?: boolean;
  };
  status?: {
    readonly capacity?: ResourceList;
    readonly allocatable?: ResourceList;
    readonly conditions?: readonly ObjectCondition[];
    readonly nodeInfo?: { readonly kubeletVersion?: string };
  };
}

export interface BudgetObject extends KubeObject {
  spec?: {
    readonly selector?: LabelSelector;
    readonly minAvailable?: number | string;
    readonly maxUnavailable?: number | string;
    readonly unhealthyPodEvictionPolicy?: string;
  };
  status?: { readonly disruptionsAllowed?: number };
}

export interface AttachmentObject extends KubeObject {
  spec?: {
    readonly nodeName?: string;
    readonly attacher?: string;
    readonly source?: { readonly persistentVolumeName?: string };
  };
}

export interface VolumeClaimObject extends KubeObject {
  metadata: ObjectMeta;
  spec: VolumeClaim['spec'];
  status?: { readonly phase?: string };
}

export type DaemonSetObject = KubeObject & DaemonSet;
export type VolumeObject = KubeObject & PersistentVolume;
export type StorageClassObject = KubeObject & StorageClass;
export type CsiNodeObject = KubeObject & CsiNode;

export function conditionOf(
  object: { readonly status?: { readonly conditions?: readonly ObjectCondition[] } },
  type: string,
): ObjectCondition | undefined {
  return object.status?.conditions?.find((condition) => condition.type === type);
}

/**
 * The instance failed to bootstrap; the claim is kept for a time so that the reason can be read. It has no capacity, does
 * not count for limits, and is replaced.
 */
export function failedToBootstrap(claim: Parameters<typeof conditionOf>[0]): boolean {
  return (
    conditionOf(claim, 'CSEProvisioned')?.status === 'False' &&
    conditionOf(claim, 'Registered')?.status !== 'True'
  );
}

/** The controller that made it, by its owner reference. */
export function ownerOf(object: KubeObject) {
  return object.metadata.ownerReferences?.find((owner) => owner.controller === true);
}

export function isOwnedByDaemonSet(object: KubeObject): boolean {
  const owner = ownerOf(object);
  return owner?.kind === 'DaemonSet' && owner.apiVersion.startsWith('apps/');
}

/** Static pods, which the kubelet runs from files. */
export function isOwnedByNode(object: KubeObject): boolean {
  return object.metadata.ownerReferences?.some((owner) => owner.kind === 'Node') ?? false;
}

export function isTerminal(pod: PodObject): boolean {
  const phase = pod.status?.phase;
  return phase === 'Succeeded' || phase === 'Failed';
}

export function isTerminating(object: KubeObject): boolean {
  return object.metadata.deletionTimestamp !== undefined;
}
