/**
 * Whether a replacement still fits in the limits of its NodePool. The nodes that it replaces do not count: as in Karpenter, a
 * pool at its limits can replace its nodes.
 */
import { parseQuantity, Quantity } from '@chandler/kube';
import type { ResourceList } from '../../api/index.ts';
import { conditionOf } from '../../state/index.ts';
import { heldByImage } from '../bootstrap-outcome/image-holds.ts';
import type { ControllerContext, ReconcileScope } from '../context.ts';
import { typesWithOverlays } from '../overlays/overlays-in-force.ts';
import { poolNamed } from '../pools/pool-store.ts';
import type { ClaimBody } from '../provisioning/claim-body.ts';
import { backoffKey } from '../provisioning/planning.ts';
import { largestOf, usedBy } from '../provisioning/pool-usage.ts';
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

/**
 * What is exceeded; undefined: nothing.
 * @param bodies all claims that are still to be created in the pool: a command of which only some fit must not begin.
 */
export async function exceededLimit(
  scope: ReconcileScope,
  poolName: string,
  bodies: readonly ClaimBody[],
  replaced: ReadonlySet<string>,
): Promise<string | undefined> {
  const { stores, cloud, cluster, signal } = scope;
  const pool = poolNamed(scope, poolName);
  if (pool === undefined || pool.metadata.deletionTimestamp !== undefined)
    return `nodepool ${poolName} does not exist`;
  const fixed = staticPoolNamed(scope, poolName);
  if (fixed !== undefined)
    return nodesWithinLimit(fixed) >= bodies.length ? undefined : `limits.nodes of ${poolName}`;
  const { limits } = pool.spec;
  if (limits === undefined || Object.keys(limits).length === 0) return undefined;
  const nodeClass = stores.nodeClass(pool.spec.template.spec.nodeClassRef);
  if (nodeClass === undefined) return `the node class of nodepool ${poolName} does not exist`;
  const listed = await cloud.instanceTypes({ nodePool: pool, nodeClass }, signal);
  const types = typesWithOverlays(scope, pool, listed);
  const used = usedBy(poolName, cluster, types, replaced);
  const amounts = [used, ...bodies.map((body) => ({ nodes: '1', ...largestOf(body, types) }))];
  const over = Object.entries(limits).find(([resource, limit]) => {
    const sum = amounts.reduce(
      (total, { [resource]: amount = 0 }: ResourceList) => total.add(parseQuantity(amount)),
      Quantity.zero,
    );
    return sum.compare(parseQuantity(limit)) > 0;
  });
  return over === undefined ? undefined : `limits.${over[0]} of nodepool ${poolName}`;
}
