/**
 * Whether a replacement still fits in the limits of its NodePool. The nodes that it replaces do not count: as in Karpenter, a
 * pool at its limits can replace its nodes.
 */
import { parseQuantity } from '@chandler/kube';
import { KarpenterLabel } from '../../api/index.ts';
import { conditionOf } from '../../state/index.ts';
import { heldByImage } from '../bootstrap-outcome/image-holds.ts';
import type { ControllerContext, ReconcileScope } from '../context.ts';
import { typesWithOverlays } from '../overlays/overlays-in-force.ts';
import { poolNamed } from '../pools/pool-store.ts';
import type { ClaimBody } from '../provisioning/claim-body.ts';
import { backoffKey } from '../provisioning/planning.ts';
import { usedBy } from '../provisioning/pool-usage.ts';
import { nodesWithinLimit, staticPoolNamed } from '../static/static-pool.ts';

/** Why launches of the NodePool wait: for the pool itself, after rejections, or after launches that failed. */
export function heldWhy(context: ControllerContext, poolName: string): string | undefined {
  const pool = poolNamed(context, poolName);
  if (pool === undefined) return undefined;
  const refusal = context.refusals.of(pool);
  if (refusal !== undefined) return refusal.message;
  const ready = conditionOf(pool, 'Ready');
  if (ready?.status !== 'True') return `nodepool ${poolName} is not Ready: ${ready?.message ?? 'unknown'}`;
  const held = context.backoff.holding(backoffKey(context, pool)) ?? heldByImage(context, pool);
  return held === undefined
    ? undefined
    : `launches of nodepool ${poolName} wait after failures: ${held.reason}`;
}

/** Static pools are not scheduled, so the plan does not see by itself that nothing is launched in them. */
export function heldStaticPools(context: ControllerContext): ReadonlyMap<string, string> {
  const held = new Map<string, string>();
  for (const { metadata, spec } of context.stores.pools.store.values()) {
    if (spec.replicas === undefined || !context.stores.runs(spec.template.spec.nodeClassRef)) continue;
    const why = heldWhy(context, metadata.name);
    if (why !== undefined) held.set(metadata.name, why);
  }
  return held;
}

/**
 * What the replacements of a command exceed; undefined: nothing. A command of which only some fit must not begin.
 * @param missing all claims that are still to be created, of every pool
 * @param replaced names of claims that do not count
 */
export async function exceededLimit(
  scope: ReconcileScope,
  missing: readonly ClaimBody[],
  replaced: ReadonlySet<string>,
): Promise<string | undefined> {
  const byPool = Map.groupBy(missing, ({ metadata }) => metadata.labels?.[KarpenterLabel.nodePool] ?? '');
  for (const [poolName, bodies] of byPool) {
    const exceeded = await exceededIn(scope, poolName, bodies.length, replaced);
    if (exceeded !== undefined) return exceeded;
  }
  return undefined;
}

// ---------------------------------------------------------------------------------------------------

async function exceededIn(
  scope: ReconcileScope,
  poolName: string,
  missing: number,
  replaced: ReadonlySet<string>,
): Promise<string | undefined> {
  const { stores, cloud, cluster, signal } = scope;
  const pool = poolNamed(scope, poolName);
  if (pool === undefined || pool.metadata.deletionTimestamp !== undefined)
    return `nodepool ${poolName} does not exist`;
  const fixed = staticPoolNamed(scope, poolName);
  if (fixed !== undefined)
    return nodesWithinLimit(fixed) >= missing ? undefined : `limits.nodes of ${poolName}`;
  const { limits } = pool.spec;
  if (limits === undefined || Object.keys(limits).length === 0) return undefined;
  const nodeClass = stores.nodeClass(pool.spec.template.spec.nodeClassRef);
  if (nodeClass === undefined) return `the node class of nodepool ${poolName} does not exist`;
  const listed = await cloud.instanceTypes({ nodePool: pool, nodeClass }, signal);
  const types = typesWithOverlays(scope, pool, listed);
  // With the replacements of the command, also those that are missing.
  const used = usedBy(poolName, cluster, types, replaced);
  const over = Object.entries(limits).find(
    ([resource, limit]) => parseQuantity(used[resource] ?? 0).compare(parseQuantity(limit)) > 0,
  );
  return over === undefined ? undefined : `limits.${over[0]} of nodepool ${poolName}`;
}
