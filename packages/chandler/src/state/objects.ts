/** Questions about objects of the built-in kinds: who owns them, whether they end, whether they failed. */
import { conditionOf, type KubeObject, type Pod, type StatusCondition } from '@chandler/kube';

export { conditionOf } from '@chandler/kube';

export type ObjectCondition = StatusCondition;

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
