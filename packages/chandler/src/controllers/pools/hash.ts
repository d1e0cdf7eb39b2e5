/**
 * The hash of a pool's template, on the pool and, when the hash version changed, on its claims: an upgrade drifts no
 * node, and a drifted node stays drifted.
 */
import { Controller, storeSource } from '@chandler/kube';
import {
  KarpenterAnnotation,
  NODE_POOL_HASH_VERSION,
  nodePoolHash,
  writeAnnotations,
} from '../../api/index.ts';
import { BY_POOL, conditionOf } from '../../state/index.ts';

import { type ControllerContext, type ReconcileScope, scopeOf, workers } from '../context.ts';
import { CLAIMS } from '../lifecycle/claim-patch.ts';
import { POOLS, type Pool, poolNamed } from './pool-store.ts';

export function poolHash(context: ControllerContext): Controller {
  const { world, stores, settings } = context;
  return new Controller({
    name: 'nodepool.hash',
    world,
    concurrency: workers(settings.cpuRequests, 10, 100),
    sources: [storeSource(stores.pools)],
    async reconcile(name, run) {
      const scope = scopeOf(context, run);
      const pool = poolNamed(context, name);
      if (pool === undefined) return;
      const hash = nodePoolHash(pool);
      const version = pool.metadata.annotations?.[KarpenterAnnotation.nodePoolHashVersion];
      if (version !== NODE_POOL_HASH_VERSION) await rehashClaims(scope, pool, hash);
      await writeAnnotations(scope.client, POOLS, pool, {
        [KarpenterAnnotation.nodePoolHash]: hash,
        [KarpenterAnnotation.nodePoolHashVersion]: NODE_POOL_HASH_VERSION,
      });
    },
  });
}

// ---------------------------------------------------------------------------------------------------

/** Claims first: a crash after the pool's write would leave claims of the old version forever. */
async function rehashClaims({ stores, client }: ReconcileScope, pool: Pool, hash: string): Promise<void> {
  for (const claim of stores.claims.store.by(BY_POOL, pool.metadata.name)) {
    const { annotations = {} } = claim.metadata;
    if (annotations[KarpenterAnnotation.nodePoolHashVersion] === NODE_POOL_HASH_VERSION) continue;
    const drifted = conditionOf(claim, 'Drifted') !== undefined;
    await writeAnnotations(client, CLAIMS, claim, {
      [KarpenterAnnotation.nodePoolHashVersion]: NODE_POOL_HASH_VERSION,
      ...(drifted ? {} : { [KarpenterAnnotation.nodePoolHash]: hash }),
    });
  }
}
