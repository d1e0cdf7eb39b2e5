/** Expiration: deletes a claim that has reached its expireAfter; its node is drained as usual. */
import {
  Controller,
  isApiError,
  keyOfObject,
  type Result,
  readDurationMs,
  storeSource,
} from '@chandler/kube';
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
      const endMs = expiryOf(claim);
      if (endMs === undefined) return {};
      const leftMs = endMs - world.clock.now();
      if (leftMs > 0) return { requeueAfterMs: leftMs };
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

/** Undefined for claims that never expire. */
export function expiryOf(claim: Claim): number | undefined {
  const text = claim.spec.expireAfter;
  const createdMs = Date.parse(claim.metadata.creationTimestamp ?? '');
  if (text === undefined || Number.isNaN(createdMs)) return undefined;
  // `Never`, or longer than can be read.
  const afterMs = readDurationMs(text);
  return afterMs === undefined ? undefined : createdMs + afterMs;
}
