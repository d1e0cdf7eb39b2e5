/**
 * `status.resources` and `status.nodes` of a pool, also for the scale subresource. As upstream counts: the capacity
 * of an initialized node, and until then the capacity in its claim.
 */
import {
  Controller,
  type Node,
  parseQuantity,
  Quantity,
  type Result,
  type Stored,
  storeSource,
} from '@chandler/kube';
import { KarpenterLabel, writeStatus } from '../../api/index.ts';
import { BY_POOL, failedToBootstrap } from '../../state/index.ts';

import { type ControllerContext, scopeOf, workers } from '../context.ts';
import { POOLS, type Pool, poolNamed } from './pool-store.ts';

/** Always present, also when zero. */
const ALWAYS = ['cpu', 'memory', 'pods', 'ephemeral-storage', 'nodes'];
/** Many claims change at once when a pool grows; this is the minimum interval between two counts. */
const MIN_INTERVAL_MS = 1_000;

export function poolCounter(context: ControllerContext): Controller {
  const { world, stores, settings } = context;
  /** When a pool was last counted (monotonic). */
  const counted = new Map<string, number>();
  /** An older CRD of NodePool has no `status.nodes`: then it is not sent again. */
  let dropsNodes = false;
  return new Controller({
    name: 'nodepool.counter',
    world,
    concurrency: workers(settings.cpuRequests, 10, 100),
    sources: [
      storeSource(stores.pools),
      storeSource(stores.claims, {
        keys: ({ object, before }) =>
          [object, before].flatMap((claim) => claim?.metadata.labels?.[KarpenterLabel.nodePool] ?? []),
      }),
      storeSource(stores.nodes, {
        filter: ({ object, before }) => reportsOther(object, before),
        keys: ({ object }) =>
          [object].flatMap(({ metadata }) => metadata.labels?.[KarpenterLabel.nodePool] ?? []),
      }),
    ],
    async reconcile(name, run): Promise<Result> {
      const pool = poolNamed(context, name);
      if (pool === undefined) {
        counted.delete(name);
        return {};
      }
      const nowMs = world.clock.monotonic();
      const waitMs = (counted.get(name) ?? Number.NEGATIVE_INFINITY) + MIN_INTERVAL_MS - nowMs;
      if (waitMs > 0) return { requeueAfterMs: waitMs };
      const { resources, nodes } = countOf(context, pool);
      const fields = { resources, ...(dropsNodes && pool.status?.nodes === undefined ? {} : { nodes }) };
      const written = await writeStatus(scopeOf(context, run).client, POOLS, pool, undefined, fields);
      if (written !== undefined) dropsNodes = written.status?.nodes === undefined;
      // After the write: a failed write must be retried with its backoff, not after this interval.
      counted.set(name, nowMs);
      return {};
    },
  });
}

/** Deleting claims still count, since their instances still exist. Failed claims that are kept do not. */
export function countOf(
  { stores, cluster }: ControllerContext,
  pool: Pool,
): { resources: Record<string, string>; nodes: number } {
  const claims = stores.claims.store
    .by(BY_POOL, pool.metadata.name)
    .filter((claim) => claim.status?.providerID && !failedToBootstrap(claim));
  const sums = new Map<string, Quantity>(ALWAYS.map((name) => [name, Quantity.zero]));
  for (const { metadata } of claims) {
    const { capacity = {} } = cluster.nodeOfClaim(metadata.name) ?? {};
    for (const [name, amount] of Object.entries(capacity))
      sums.set(name, (sums.get(name) ?? Quantity.zero).add(parseQuantity(amount)));
  }
  sums.set('nodes', Quantity.of(claims.length));
  const sorted = [...sums].sort(([one], [other]) => (one < other ? -1 : 1));
  return {
    resources: Object.fromEntries(sorted.map(([name, sum]) => [name, sum.toString()])),
    nodes: claims.length,
  };
}

// ---------------------------------------------------------------------------------------------------

function reportsOther(node: Stored<Node>, before: Stored<Node> | undefined): boolean {
  return JSON.stringify(node.status?.capacity) !== JSON.stringify(before?.status?.capacity);
}
