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
  return new Controller({
    name: 'nodepool.registrationhealth',
    world,
    concurrency: workers(settings.cpuRequests, 10, 100),
    sources: poolsAndClasses(context),
    async reconcile(name, run) {
      const pool = poolNamed(context, name);
      if (pool === undefined) {
        poolHealth.retain(new Set([...stores.pools.store.values()].map(({ metadata }) => metadata.uid)));
        return;
      }
      const nodeClass = stores.nodeClass(pool.spec.template.spec.nodeClassRef);
      if (nodeClass === undefined) return;
      const conditions = conditionsOf('NodePool', pool, world.clock.now());
      const known = conditions.get('NodeRegistrationHealthy');
      const { generation = 0 } = nodeClass.metadata;
      const edited =
        known === undefined ||
        (known.observedGeneration ?? 0) !== (pool.metadata.generation ?? 0) ||
        (pool.status?.nodeClassObservedGeneration ?? 0) !== generation;
      if (edited) conditions.setUnknown('NodeRegistrationHealthy');
      await writeStatus(scopeOf(context, run).client, POOLS, pool, conditions, {
        nodeClassObservedGeneration: generation,
      });
      // After the write: an outcome in between would read the old condition.
      if (edited) poolHealth.reset(pool.metadata.uid);
    },
  });
}
