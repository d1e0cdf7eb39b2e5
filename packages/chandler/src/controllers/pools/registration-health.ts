/**
 * Resets NodeRegistrationHealthy when the pool or its class is edited, since earlier outcomes no longer count.
 * `lifecycle/pool-health.ts` decides when it is True or False.
 */
import { Controller } from '@chandler/kube';
import { conditionsOf, writeStatus } from '../../api/index.ts';
import { type ControllerContext, scopeOf, workers } from '../context.ts';
import { POOLS, poolNamed, poolsAndClasses } from './pool-store.ts';

export function poolRegistrationHealth(context: ControllerContext): Controller {
  const { world, stores, settings, poolHealth } = context;
  /** The generation of the class that was last seen, by pool UID: an older CRD of NodePool drops it from the status. */
  const seen = new Map<string, number>();
  return new Controller({
    name: 'nodepool.registrationhealth',
    world,
    concurrency: workers(settings.cpuRequests, 10, 100),
    sources: poolsAndClasses(context),
    async reconcile(name, run) {
      const pool = poolNamed(context, name);
      if (pool === undefined) {
        const uids = new Set([...stores.pools.store.values()].map(({ metadata }) => metadata.uid));
        poolHealth.retain(uids);
        for (const uid of seen.keys()) if (!uids.has(uid)) seen.delete(uid);
        return;
      }
      const nodeClass = stores.nodeClass(pool.spec.template.spec.nodeClassRef);
      if (nodeClass === undefined) return;
      const conditions = conditionsOf('NodePool', pool, world.clock.now());
      const known = conditions.get('NodeRegistrationHealthy');
      const { generation = 0 } = nodeClass.metadata;
      const { uid } = pool.metadata;
      const recorded = pool.status?.nodeClassObservedGeneration;
      // An absent generation is unknown and not an edit.
      const edited =
        known === undefined ||
        differs(known.observedGeneration, pool.metadata.generation) ||
        differs(recorded ?? seen.get(uid), generation);
      if (edited) conditions.setUnknown('NodeRegistrationHealthy');
      const isNew = recorded !== undefined || seen.get(uid) !== generation;
      await writeStatus(
        scopeOf(context, run).client,
        POOLS,
        pool,
        conditions,
        isNew ? { nodeClassObservedGeneration: generation } : {},
      );
      seen.set(uid, generation);
      // After the write: an outcome in between would read the old condition.
      if (edited) poolHealth.reset(pool.metadata.uid);
    },
  });
}

// ---------------------------------------------------------------------------------------------------

function differs(recorded: number | undefined, now: number | undefined): boolean {
  return recorded !== undefined && recorded !== (now ?? 0);
}
