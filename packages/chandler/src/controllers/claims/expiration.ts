/**
 * Expiration: deletes a claim that has reached its expireAfter; its node is drained as usual. With soft expiration it deletes
 * only what disruption could not replace in time. A freeze of its NodePool keeps it.
 */
import { Controller, isApiError, keyOfObject, type Result, type Stored, storeSource } from '@chandler/kube';
import { KarpenterLabel, type NodePool } from '../../api/index.ts';
import { type ForcedExpiration, forcedExpirationOf } from '../../disruption/index.ts';
import { type ControllerContext, scopeOf } from '../context.ts';
import { CLAIMS, type Claim } from '../lifecycle/claim-patch.ts';
import { disruptedCounter } from './disrupted.ts';

export function expiration(context: ControllerContext): Controller {
  const { world, stores, cloud } = context;
  const disrupted = disruptedCounter(context);
  return new Controller({
    name: 'nodeclaim.expiration',
    world,
    sources: [storeSource(stores.claims, { filter: ({ type }) => type !== 'deleted' })],
    async reconcile(name, run): Promise<Result> {
      const { client } = scopeOf(context, run);
      const claim = stores.claims.store.get({ name });
      if (claim === undefined || claim.metadata.deletionTimestamp !== undefined) return {};
      if (!stores.runs(claim.spec.nodeClassRef) || cloud.ownership.isManagedElsewhere(claim)) return {};
      const pool = stores.pools.store.get({ name: claim.metadata.labels?.[KarpenterLabel.nodePool] ?? '' });
      const nowMs = world.clock.now();
      const expiry = expiryOf(claim, pool, nowMs);
      if (expiry === undefined) return {};
      // The NodePool may change its mind meanwhile.
      const again = (atMs: number) => ({ requeueAfterMs: Math.min(atMs - nowMs, LOOK_AGAIN_MS) });
      const { atMs, kept } = expiry;
      if (atMs > nowMs) return again(atMs);
      if (kept !== undefined) {
        run.log.debug('nodeclaim has expired and is kept', { nodeclaim: name, why: kept.why });
        return again(kept.untilMs ?? Number.POSITIVE_INFINITY);
      }
      try {
        await client.delete(CLAIMS, keyOfObject(claim), { preconditions: { uid: claim.metadata.uid } });
      } catch (error) {
        if (isApiError(error, 'notFound', 'conflict')) return {};
        throw error;
      }
      run.log.info('nodeclaim expired', { nodeclaim: name, expireAfter: claim.spec.expireAfter });
      disrupted(claim, 'expired');
      return {};
    },
  });
}

/** When it is deleted by force, and what keeps it even then; undefined for claims that never expire. */
export function expiryOf(
  claim: Claim,
  pool: Stored<NodePool> | undefined,
  nowMs: number,
): ForcedExpiration | undefined {
  return forcedExpirationOf(claim, pool, [], nowMs);
}

// ---------------------------------------------------------------------------------------------------

const LOOK_AGAIN_MS = 10 * 60_000;
