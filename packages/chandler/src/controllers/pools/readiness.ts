/**
 * NodeClassReady on a pool: whether its node class exists and is Ready, with the reason of the class when it is not.
 * A pool of another cloud that the product knows belongs to the controller of that cloud, also while none runs. A pool of
 * an unknown group is reported only when no controller has set a condition.
 */
import type { KubeObject } from '@chandler/kube';
import { Controller, type Result } from '@chandler/kube';
import { conditionsOf, NODE_CLASS_GROUPS, writeStatus } from '../../api/index.ts';
import { conditionOf, type ObjectCondition } from '../../state/index.ts';

import { type ControllerContext, type ReconcileScope, scopeOf, workers } from '../context.ts';
import { POOLS, type Pool, poolNamed, poolsAndClasses } from './pool-store.ts';

/** How long another controller may take to set a condition on a new pool. */
const OTHERS_MS = 60_000;

export function poolReadiness(context: ControllerContext): Controller {
  const { world, stores, settings } = context;
  return new Controller({
    name: 'nodepool.readiness',
    world,
    concurrency: workers(settings.cpuRequests, 10, 100),
    sources: poolsAndClasses(context),
    async reconcile(name, run): Promise<Result> {
      const scope = scopeOf(context, run);
      const pool = poolNamed(context, name);
      if (pool === undefined) return unknownKind(scope, stores.pools.store.get({ name }));
      const conditions = conditionsOf('NodePool', pool, world.clock.now());
      const verdict = verdictOn(stores.nodeClass(pool.spec.template.spec.nodeClassRef));
      if (verdict === undefined) conditions.setTrue('NodeClassReady');
      else conditions.setFalse('NodeClassReady', verdict.reason, verdict.message);
      await writeStatus(scope.client, POOLS, pool, conditions);
      return {};
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

// ---------------------------------------------------------------------------------------------------

async function unknownKind(scope: ReconcileScope, pool: Pool | undefined): Promise<Result> {
  if (pool === undefined) return {};
  const { world, client, stores } = scope;
  const { group, kind } = pool.spec.template.spec.nodeClassRef;
  const known = [...stores.nodeClasses.keys()].map((key) => key.split('/'));
  const ours = known.some(([own]) => own === group);
  if (!ours && NODE_CLASS_GROUPS.includes(group)) return {};
  const ageMs = world.clock.now() - Date.parse(pool.metadata.creationTimestamp ?? '');
  if (!ours && (pool.status?.conditions ?? []).length > 0) return {};
  if (!ours && ageMs < OTHERS_MS) return { requeueAfterMs: OTHERS_MS - ageMs };
  const kinds = known.map(([own, name]) => `${name} (${own})`).join(', ');
  const message = `${kind} (${group}) is not a supported node class; supported: ${kinds}`;
  const conditions = conditionsOf('NodePool', pool, world.clock.now());
  conditions.setFalse('NodeClassReady', 'NodeClassNotFound', message);
  await writeStatus(client, POOLS, pool, conditions);
  return {};
}
