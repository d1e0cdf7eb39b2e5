/**
 * Limits of pools during a run. A claim takes the most that any of its types could take, and one node, so
 * that a batch cannot overshoot whatever is bought in the end.
 */
import { type Bits, emptyBits, fullBits, members, setBit } from '../bits.ts';
import type { Compiled } from './compiled.ts';
import type { PoolEntry } from './pools.ts';
import type { State } from './states.ts';

export class Limits {
  readonly #compiled: Compiled;
  /** By pool, then by slot. */
  readonly #remaining: Map<number, number>[];
  readonly #nodes: (number | null)[];
  readonly #states: (State | null | undefined)[] = [];

  constructor(compiled: Compiled, removedNodes: readonly number[]) {
    this.#compiled = compiled;
    const removed = new Set(removedNodes);
    this.#nodes = compiled.pools.map((pool) => pool.nodeLimit);
    this.#remaining = compiled.pools.map((pool) => new Map(pool.limits));
    const byName = new Map(compiled.pools.map((pool) => [pool.name, pool]));
    for (const pool of compiled.pools) if (pool.used !== undefined) this.#take(pool, pool.used, 0);
    for (const node of compiled.nodes.all) {
      const pool = node.pool === undefined ? undefined : byName.get(node.pool);
      if (pool === undefined || (pool.limits.size === 0 && pool.nodeLimit === null)) continue;
      const gone = removed.has(node.index);
      if (pool.used === undefined && !gone) this.#take(pool, node.capacity, 1);
      else if (pool.used !== undefined && gone)
        this.#take(
          pool,
          node.capacity.map((amount) => -amount),
          -1,
        );
    }
  }

  /** A new node of the pool within what is left; null when nothing is. */
  template(pool: PoolEntry): State | null {
    let state = this.#states[pool.index];
    if (state === undefined) {
      const template = this.#compiled.templates[pool.index]!;
      const blocked = template === null || this.nodesExhausted(pool);
      state = blocked ? null : this.#within(pool, template);
      this.#states[pool.index] = state;
    }
    return state;
  }

  nodesExhausted(pool: PoolEntry): boolean {
    const left = this.#nodes[pool.index] ?? null;
    return left !== null && left < 1;
  }

  remaining(pool: PoolEntry): ReadonlyMap<number, number> {
    return this.#remaining[pool.index]!;
  }

  /** Rows whose capacity does not exceed what is left. */
  rowsWithin(pool: PoolEntry): Bits {
    const remaining = this.#remaining[pool.index]!;
    const { rows } = pool.catalogue;
    if (remaining.size === 0) return fullBits(rows.length);
    const within = emptyBits(rows.length);
    rows.forEach(({ capacity }, row) => {
      for (const [slot, left] of remaining) if ((capacity[slot] ?? 0) > left) return;
      setBit(within, row);
    });
    return within;
  }

  /** A claim with these rows was opened. */
  charge(pool: PoolEntry, rows: Bits): void {
    const remaining = this.#remaining[pool.index]!;
    if (remaining.size === 0 && this.#nodes[pool.index] === null) return;
    const largest: number[] = [];
    for (const row of members(rows)) {
      const { capacity } = pool.catalogue.rows[row]!;
      for (const slot of remaining.keys()) largest[slot] = Math.max(largest[slot] ?? 0, capacity[slot] ?? 0);
    }
    this.#take(pool, largest, 1);
    this.#states[pool.index] = undefined;
  }

  hasLimits(pool: PoolEntry): boolean {
    return pool.limits.size > 0 || pool.nodeLimit !== null;
  }

  #within(pool: PoolEntry, template: State): State | null {
    if (this.#remaining[pool.index]!.size === 0) return template;
    return this.#compiled.states.within(template, this.rowsWithin(pool));
  }

  #take(pool: PoolEntry, amounts: readonly number[], nodes: number): void {
    const remaining = this.#remaining[pool.index]!;
    for (const [slot, left] of remaining) remaining.set(slot, left - (amounts[slot] ?? 0));
    const left = this.#nodes[pool.index] ?? null;
    if (left === null) return;
    const used = nodes === 0 ? (amounts[this.#compiled.resources.slot('nodes')] ?? 0) : nodes;
    this.#nodes[pool.index] = left - used;
  }
}
