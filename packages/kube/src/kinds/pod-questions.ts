/** Questions about pods and their owners that every controller asks. Pure. */
import type { ObjectMeta, OwnerReference } from '../object.ts';

interface WithMetadata {
  readonly metadata: ObjectMeta;
}

/** The controller that made it, by its owner reference. */
export function ownerOf({ metadata }: WithMetadata): OwnerReference | undefined {
  return metadata.ownerReferences?.find((owner) => owner.controller === true);
}

export function isOwnedByDaemonSet(object: WithMetadata): boolean {
  return isControlledBy(object, 'DaemonSet');
}

export function isOwnedByStatefulSet(object: WithMetadata): boolean {
  return isControlledBy(object, 'StatefulSet');
}

/** Static pods, which the kubelet runs from files. */
export function isOwnedByNode({ metadata }: WithMetadata): boolean {
  return metadata.ownerReferences?.some((owner) => owner.kind === 'Node') ?? false;
}

export function isTerminal(pod: { readonly status?: { readonly phase?: string } }): boolean {
  const phase = pod.status?.phase;
  return phase === 'Succeeded' || phase === 'Failed';
}

export function isTerminating({ metadata }: WithMetadata): boolean {
  return metadata.deletionTimestamp !== undefined;
}

// ---------------------------------------------------------------------------------------------

function isControlledBy(object: WithMetadata, kind: string): boolean {
  const owner = ownerOf(object);
  return owner?.kind === kind && owner.apiVersion.startsWith('apps/');
}
