/** The usage of NodePools after nodes have gone or come, and while some replace others. */
import { parseQuantity, Quantity, type ResourceAmounts } from '@chandler/kube';
import { KarpenterLabel } from '../api/index.ts';
import type { ExistingNode, PoolInput } from './model.ts';

/** The pools after a change of nodes. Pools whose usage the planner sums itself stay as they are. */
export function usageAfter(
  pools: readonly PoolInput[],
  removed: readonly ExistingNode[],
  added: readonly ExistingNode[],
): readonly PoolInput[] {
  return changed(pools, removed, added, (used, gone, come) => {
    const left = used.sub(gone).add(come);
    return left.sign() < 0 ? Quantity.zero : left;
  });
}

/** The pools while nodes are replaced: until the old ones are gone, the larger of both counts, as for claims. */
export function usageDuring(
  pools: readonly PoolInput[],
  leaving: readonly ExistingNode[],
  coming: readonly ExistingNode[],
): readonly PoolInput[] {
  return changed(pools, leaving, coming, (used, gone, come) =>
    come.compare(gone) > 0 ? used.add(come.sub(gone)) : used,
  );
}

// ---------------------------------------------------------------------------------------------------------------

function changed(
  pools: readonly PoolInput[],
  gone: readonly ExistingNode[],
  come: readonly ExistingNode[],
  after: (used: Quantity, gone: Quantity, come: Quantity) => Quantity,
): readonly PoolInput[] {
  if (pools.every(({ used }) => used === undefined)) return pools;
  return pools.map((pool) => {
    const { used, nodePool } = pool;
    const own = ({ labels }: ExistingNode) => labels[KarpenterLabel.nodePool] === nodePool.metadata.name;
    const ownGone = gone.filter(own);
    const ownCome = come.filter(own);
    if (used === undefined || ownGone.length + ownCome.length === 0) return pool;
    const before = new Map(Object.entries(used).map(([name, amount]) => [name, parseQuantity(amount)]));
    const less = sumOf(ownGone);
    const more = sumOf(ownCome);
    const zero = Quantity.zero;
    const rest = [...new Set([...before.keys(), ...less.keys(), ...more.keys()])].map((name) => [
      name,
      after(before.get(name) ?? zero, less.get(name) ?? zero, more.get(name) ?? zero).toString(),
    ]);
    return { ...pool, used: Object.fromEntries(rest) as ResourceAmounts };
  });
}

function sumOf(nodes: readonly ExistingNode[]): ReadonlyMap<string, Quantity> {
  const sums = new Map<string, Quantity>();
  for (const { capacity, allocatable } of nodes)
    for (const [resource, amount] of Object.entries({ ...(capacity ?? allocatable), nodes: 1 }))
      sums.set(resource, (sums.get(resource) ?? Quantity.zero).add(parseQuantity(amount)));
  return sums;
}
