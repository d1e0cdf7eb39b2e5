/** How much of its limits each pool uses before a run. `limits.ts` counts what the run itself adds. */
import { addAmounts, type Resources } from '../resources.ts';
import type { NodeTable } from './nodes.ts';
import type { PoolEntry } from './pools.ts';

/** The total capacity of the nodes of each pool, including the number of nodes. */
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
