/** Writes a status when it differs from what is there, and only on top of the version it was worked out from. */
import {
  ignoreApiErrors,
  type KubeClient,
  type KubeObject,
  type ResourceRef,
  type Stored,
} from '@chandler/kube';
import { sameJson } from './same-json.ts';

/** A conflict is returned to the caller: its next reconcile sees the newer version. */
export async function writeStatus<T extends KubeObject>(
  client: KubeClient,
  resource: ResourceRef<T>,
  object: Stored<T>,
  status: object,
): Promise<void> {
  const before = (object['status'] ?? {}) as object;
  if (sameJson(before, status)) return;
  // A full update, because a merge patch would keep removed map entries.
  await ignoreApiErrors(client.updateStatus(resource, { ...object, status }), 'notFound');
}
