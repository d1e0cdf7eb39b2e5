/** NodeClassReady on a pool: whether the class it names is there and ready, in the class's own words when it is not. */
import type { KubeObject } from '../../api/index.ts';
import { Controller } from '../../kube/index.ts';
import { conditionOf, type ObjectCondition } from '../../state/index.ts';
import { type ControllerContext, workers } from '../context.ts';
import { conditionsOf, writeStatus } from '../status-patch.ts';
import { POOLS, poolNamed, poolsAndClasses } from './pool-store.ts';

export function poolReadiness(context: ControllerContext): Controller {
  const { world, client, stores, settings } = context;
  return new Controller({
    name: 'nodepool.readiness',
    world,
    concurrency: workers(settings.cpuRequests, 10, 100),
    sources: poolsAndClasses(context),
    async reconcile(name) {
      const pool = poolNamed(context, name);
      if (pool === undefined) return;
      const conditions = conditionsOf('NodePool', pool, world.clock.now());
      const verdict = verdictOn(stores.nodeClass(pool.spec.template.spec.nodeClassRef));
      if (verdict === undefined) conditions.setTrue('NodeClassReady');
      else conditions.setFalse('NodeClassReady', verdict.reason, verdict.message);
      await writeStatus(client, POOLS, pool, conditions);
    },
  });
}

/** Why a node class cannot be used; undefined when it can. */
export function verdictOn(
  nodeClass: KubeObject | undefined,
): { reason: string; message: string } | undefined {
  if (nodeClass === undefined)
    return { reason: 'NodeClassNotFound', message: 'NodeClass not found on cluster' };
  if (nodeClass.metadata.deletionTimestamp !== undefined)
    return { reason: 'NodeClassTerminating', message: 'NodeClass is Terminating' };
  const ready = conditionOf(nodeClass as { status?: { conditions?: ObjectCondition[] } }, 'Ready');
  if (ready?.status === 'True') return undefined;
  if (ready?.status === 'False')
    return { reason: ready.reason ?? 'NodeClassNotReady', message: ready.message ?? '' };
  const detail = ready?.message ? `: ${ready.message}` : '';
  return { reason: 'NodeClassReadinessUnknown', message: `NodeClass readiness is unknown${detail}` };
}
