/** Records the outcome of a launch for the pool that owns the claim. */
import type { Stored } from '@chandler/kube';
import { isApiError } from '@chandler/kube';
import { KarpenterLabel, NODE_POOLS, type NodePool } from '../../api/index.ts';

import type { ControllerContext } from '../context.ts';
import type { Claim } from './claim-patch.ts';
import type { LaunchFailure } from './pool-health.ts';

export async function recordHealth(
  { stores, client, poolHealth }: Pick<ControllerContext, 'stores' | 'client' | 'poolHealth'>,
  { metadata }: Pick<Claim, 'metadata'>,
  joined: boolean,
  launch?: LaunchFailure,
): Promise<void> {
  const name = metadata.labels?.[KarpenterLabel.nodePool] ?? '';
  const pool: Stored<NodePool> | undefined = stores.pools.store.get({ name });
  const owned = metadata.ownerReferences?.some(({ uid }) => uid === pool?.metadata.uid) ?? false;
  if (pool === undefined || !owned) return;
  poolHealth.record(pool, joined, launch);
  try {
    await poolHealth.show(client, pool).catch(async (error: unknown) => {
      // Another controller wrote the pool in the meantime: retry once on its version. After an edit of the pool the
      // outcome no longer counts.
      if (!isApiError(error, 'conflict')) throw error;
      const now = await client.get(NODE_POOLS, { name });
      if (now.metadata.generation === pool.metadata.generation) await poolHealth.show(client, now);
    });
  } catch (error) {
    if (!isApiError(error, 'conflict', 'notFound')) throw error;
  }
}
