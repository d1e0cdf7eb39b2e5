/** How much of its limits each pool uses before a run. `limits.ts` counts what the run itself adds. */
import type { PoolInput } from '../model.ts';
import type { InputError } from '../refusal.ts';
import { addAmounts, ResourceProblem, type Resources } from '../resources.ts';
import type { NodeTable } from './nodes.ts';
import type { PoolEntry } from './pools.ts';

/** By the name of the pool: what the caller says that its nodes use. Without an entry it is summed over the nodes. */
export type GivenUsage = ReadonlyMap<string, readonly number[]>;

/** Pools whose usage is invalid are reported and left out. */
export function readUsage(
  resources: Resources,
  pools: readonly PoolInput[],
  errors: InputError[],
): { readonly pools: readonly PoolInput[]; readonly used: GivenUsage } {
  const used = new Map<string, readonly number[]>();
  const valid = pools.filter((pool) => {
    const name = pool.nodePool.metadata.name ?? '';
    try {
      if (pool.used !== undefined && !used.has(name)) used.set(name, resources.offered(pool.used));
      return true;
    } catch (error) {
      if (!(error instanceof ResourceProblem)) throw error;
      const object = `NodePool/${name}`;
      errors.push({ object, field: `spec.limits.${error.resource}`, problem: error.message });
      return false;
    }
  });
  return { pools: valid.length === pools.length ? pools : valid, used };
}

/** By pool: the total capacity of its nodes, including the number of nodes. Only pools with limits are summed. */
export function poolUsage(
  resources: Resources,
  pools: readonly PoolEntry[],
  used: GivenUsage,
  nodes: NodeTable,
): number[][] {
  const nodesSlot = resources.slot('nodes');
  const sums: number[][] = pools.map((pool) => [...(used.get(pool.name) ?? [])]);
  const summed = pools.filter(
    (pool) => !used.has(pool.name) && (pool.limits.size > 0 || pool.nodeLimit !== null),
  );
  if (summed.length === 0) return sums;
  const byName = new Map(summed.map((pool) => [pool.name, pool]));
  for (const { pool: name, capacity } of nodes.all) {
    const pool = name === undefined ? undefined : byName.get(name);
    if (pool === undefined) continue;
    const sum = addAmounts(sums[pool.index]!, capacity);
    while (sum.length <= nodesSlot) sum.push(0);
    sum[nodesSlot]! += 1;
    sums[pool.index] = sum;
  }
  return sums;
}
