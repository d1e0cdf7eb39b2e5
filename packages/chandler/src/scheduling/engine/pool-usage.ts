/** How much of its limits each pool has used before a run. What a run itself takes is counted in `limits.ts`. */
import { addAmounts, type Resources } from '../resources.ts';
import type { NodeTable } from './nodes.ts';
import type { PoolEntry } from './pools.ts';

/** What the nodes of each pool have in sum, the number of nodes among it. */
export function poolUsage(resources: Resources, pools: readonly PoolEntry[], nodes: NodeTable): number[][] {
  const nodesSlot = resources.slot('nodes');
  const byName = new Map(pools.map((pool) => [pool.name, pool]));
  const sums: number[][] = pools.map((pool) => [...(pool.used ?? [])]);
  for (const { pool: name, capacity } of nodes.all) {
    const pool = name === undefined ? undefined : byName.get(name);
    if (pool === undefined || pool.used !== undefined) continue;
    const sum = addAmounts(sums[pool.index]!, capacity);
    while (sum.length <= nodesSlot) sum.push(0);
    sum[nodesSlot]! += 1;
    sums[pool.index] = sum;
  }
  return sums;
}
