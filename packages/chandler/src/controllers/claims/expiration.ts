/**
 * Expiration: deletes a claim that has reached its expireAfter; its node is drained as usual. With soft expiration it deletes
 * only what disruption could not replace in time. A freeze of its NodePool keeps it.
 */
import { Controller, isApiError, keyOfObject, type Result, storeSource } from '@chandler/kube';
import { KarpenterLabel } from '../../api/index.ts';
import { forcedExpirationOf } from '../../disruption/index.ts';
import { type ControllerContext, scopeOf } from '../context.ts';
import { CLAIMS } from '../lifecycle/claim-patch.ts';
import { disruptedCounter } from './disrupted.ts';

export function expiration(context: ControllerContext): Controller {
  const { world, stores, cloud, freezes } = context;
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
      const expiry = forcedExpirationOf(claim, pool, freezes.current(), nowMs);
      if (expiry === undefined) return {};
      // The NodePool may change its mind meanwhile.
      const again = (atMs: number) => ({ requeueAfterMs: Math.min(atMs - nowMs, LOOK_AGAIN_MS) });
      const { atMs, kept } = expiry;
      if (atMs > nowMs) return again(atMs);
      // A NodePool may have been frozen, or got soft expiration, since it was read.
      if (!freezes.known || stores.pools.failingMs > 0) return { requeueAfterMs: UNKNOWN_MS };
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

// ---------------------------------------------------------------------------------------------------

const LOOK_AGAIN_MS = 10 * 60_000;
const UNKNOWN_MS = 1_000;
