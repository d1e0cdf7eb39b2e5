/** Scales static pools down: deletes the surplus claims; their nodes are drained as usual. */
import { Controller, isApiError, keyOfObject, type Result } from '@chandler/kube';
import { type ControllerContext, type ReconcileScope, scopeOf } from '../context.ts';
import { CLAIMS, type Claim } from '../lifecycle/claim-patch.ts';
import { inScaleDownOrder } from './scale-down.ts';
import { staticPoolNamed, staticSources } from './static-pool.ts';

const PERIOD_MS = 60_000;
const OUTDATED_MS = 5_000;

export function staticDeprovisioning(context: ControllerContext): Controller {
  const { world, cluster, cloud, settings, stores } = context;
  const podsOf = (claim: Claim) => {
    const node = cluster.nodeOfClaim(claim.metadata.name);
    return node === undefined ? [] : cluster.podsOn(node);
  };
  return new Controller({
    name: 'static.deprovisioning',
    world,
    concurrency: 10,
    sources: staticSources(context),
    async reconcile(name, run): Promise<Result> {
      // Claims may have been deleted since then, or more be wanted.
      if (stores.claims.failingMs > 0 || stores.pools.failingMs > 0) return { requeueAfterMs: OUTDATED_MS };
      const found = staticPoolNamed(context, name);
      if (found === undefined) return {};
      const { running, replicas } = found;
      if (running.length <= replicas) return { requeueAfterMs: PERIOD_MS };
      const ours = running.filter((claim) => !cloud.ownership.isManagedElsewhere(claim));
      const costs = { podDeletionCostManagement: settings.gates.PodDeletionCostManagement };
      const order = inScaleDownOrder(ours, podsOf, world.clock.now(), costs);
      const surplus = order.slice(0, running.length - replicas);
      if (surplus.length === 0) return { requeueAfterMs: PERIOD_MS };
      run.log.info('scaling down static nodepool', { nodepool: name, replicas, count: surplus.length });
      for (const claim of surplus) await remove(scopeOf(context, run), claim);
      return { requeueAfterMs: PERIOD_MS };
    },
  });
}

// ---------------------------------------------------------------------------------------------------

async function remove({ client }: ReconcileScope, claim: Claim): Promise<void> {
  try {
    await client.delete(CLAIMS, keyOfObject(claim), { preconditions: { uid: claim.metadata.uid } });
  } catch (error) {
    if (!isApiError(error, 'notFound', 'conflict')) throw error;
  }
}
