/** The usage of NodePools after nodes have gone or come. */
import { parseQuantity, Quantity, type ResourceAmounts } from '@chandler/kube';
import { KarpenterLabel } from '../api/index.ts';
import type { ExistingNode, PoolInput } from './model.ts';

/** The pools after a change of nodes. Pools whose usage the planner sums itself stay as they are. */
export function usageAfter(
  pools: readonly PoolInput[],
  removed: readonly ExistingNode[],
  added: readonly ExistingNode[],
): readonly PoolInput[] {
  if (pools.every(({ used }) => used === undefined)) return pools;
  return pools.map((pool) => {
    const { used, nodePool } = pool;
    const own = ({ labels }: ExistingNode) => labels[KarpenterLabel.nodePool] === nodePool.metadata.name;
    const gone = removed.filter(own);
    const come = added.filter(own);
    if (used === undefined || gone.length + come.length === 0) return pool;
    const sums = new Map(Object.entries(used).map(([name, amount]) => [name, parseQuantity(amount)]));
    const add = (amounts: ResourceAmounts, take: boolean) => {
      for (const [resource, amount] of Object.entries(amounts)) {
        const quantity = parseQuantity(amount);
        const sum = sums.get(resource) ?? Quantity.zero;
        sums.set(resource, take ? sum.sub(quantity) : sum.add(quantity));
      }
    };
    for (const { capacity, allocatable } of gone) add({ ...(capacity ?? allocatable), nodes: 1 }, true);
    for (const { capacity, allocatable } of come) add({ ...(capacity ?? allocatable), nodes: 1 }, false);
    const rest = [...sums].map(([name, sum]) => [name, sum.sign() < 0 ? '0' : sum.toString()]);
    return { ...pool, used: Object.fromEntries(rest) as ResourceAmounts };
  });
}
