/** How a launch ended, held against or for the pool that owns the claim; no other pool is judged by it. */
import { KarpenterLabel, type KubeObject, type NodePool } from '../../api/index.ts';
import { isApiError } from '../../kube/index.ts';
import type { ControllerContext } from '../context.ts';
import type { Claim } from './draft.ts';

export async function recordHealth(
  { stores, client, poolHealth }: Pick<ControllerContext, 'stores' | 'client' | 'poolHealth'>,
  { metadata }: Pick<Claim, 'metadata'>,
  joined: boolean,
): Promise<void> {
  const name = metadata.labels?.[KarpenterLabel.nodePool] ?? '';
  const pool: (NodePool & KubeObject) | undefined = stores.pools.store.get({ name });
  const owned = metadata.ownerReferences?.some(({ uid }) => uid === pool?.metadata.uid) ?? false;
  if (pool === undefined || !owned) return;
  try {
    await poolHealth.record(client, pool, joined);
  } catch (error) {
    // The pool was changed meanwhile; the next outcome will be written on top of that.
    if (!isApiError(error, 'conflict', 'notFound')) throw error;
  }
}
