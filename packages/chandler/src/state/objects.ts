/** The built-in kinds as the stores keep them: only the fields that are read. */
import {
  conditionOf,
  type KubeObject,
  type Node,
  type PersistentVolumeClaim,
  type Pod,
  type PodDisruptionBudget,
  type StatusCondition,
  type Stored,
  type VolumeAttachment,
} from '@chandler/kube';

export { conditionOf } from '@chandler/kube';

export type ObjectCondition = StatusCondition;
export type PodObject = Stored<Pod>;
export type NodeObject = Stored<Node>;
export type BudgetObject = Stored<PodDisruptionBudget>;
export type AttachmentObject = Stored<VolumeAttachment>;
export type VolumeClaimObject = Stored<PersistentVolumeClaim>;

/** What has conditions, of whatever form. */
interface Conditions {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

/**
 * The instance failed to bootstrap; the claim is kept for a time so that the reason can be read. It has no capacity, does
 * not count for limits, and is replaced.
 */
export function failedToBootstrap(claim: Conditions): boolean {
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

export function isTerminal(pod: Pick<Pod, 'status'>): boolean {
  const phase = pod.status?.phase;
  return phase === 'Succeeded' || phase === 'Failed';
}

export function isTerminating(object: KubeObject): boolean {
  return object.metadata.deletionTimestamp !== undefined;
}
