/** What a pool has: `status.resources` and `status.nodes`, for people and for the scale subresource. */
import { parseQuantity, Quantity } from '../../api/index.ts';
import { Controller, storeSource } from '../../kube/index.ts';
import { BY_POOL, failedToBootstrap } from '../../state/index.ts';
import { type ControllerContext, workers } from '../context.ts';
import { writeStatus } from '../status-patch.ts';
import { POOLS, type Pool, poolNamed } from './pool-store.ts';

/** Always shown, also when there is none. */
const ALWAYS = ['cpu', 'memory', 'pods', 'ephemeral-storage', 'nodes'];

export function poolCounter(context: ControllerContext): Controller {
  const { world, client, stores, settings } = context;
  return new Controller({
    name: 'nodepool.counter',
    world,
    concurrency: workers(settings.cpuRequests, 10, 100),
    sources: [
      storeSource(stores.pools),
      storeSource(stores.claims, {
        keys: ({ object, before }) =>
          [object, before].flatMap((claim) => claim?.metadata.labels?.['karpenter.sh/nodepool'] ?? []),
      }),
    ],
    async reconcile(name) {
      const pool = poolNamed(context, name);
      if (pool === undefined) return;
      const { resources, nodes } = countOf(context, pool);
      await writeStatus(client, POOLS, pool, undefined, { resources, nodes });
    },
  });
}

/** Claims that go still count: their machines are still paid for. Those kept only to be read do not. */
export function countOf(
  { stores }: ControllerContext,
  pool: Pool,
): { resources: Record<string, string>; nodes: number } {
  const claims = stores.claims.store
    .by(BY_POOL, pool.metadata.name ?? '')
    .filter((claim) => claim.status?.providerID && !failedToBootstrap(claim));
  const sums = new Map<string, Quantity>(ALWAYS.map((name) => [name, Quantity.zero]));
  for (const { status } of claims) {
    for (const [name, amount] of Object.entries(status?.capacity ?? {}))
      sums.set(name, (sums.get(name) ?? Quantity.zero).add(parseQuantity(amount)));
  }
  sums.set('nodes', Quantity.of(claims.length));
  const sorted = [...sums].sort(([one], [other]) => (one < other ? -1 : 1));
  return {
    resources: Object.fromEntries(sorted.map(([name, sum]) => [name, sum.toString()])),
    nodes: claims.length,
  };
}
