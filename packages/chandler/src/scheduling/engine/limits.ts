/**
 * The limits of pools during a run. A claim is charged with the largest capacity among its types and one
 * node, so that a batch cannot exceed a limit whichever type is launched.
 */
import { type Bits, emptyBits, fullBits, setBit } from '../bits.ts';
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
    this.#nodes = compiled.pools.map((pool) => pool.nodeLimit);
    this.#remaining = compiled.pools.map((pool) => new Map(pool.limits));
    const nodesSlot = compiled.resources.slot('nodes');
    for (const pool of compiled.pools) {
      if (this.hasLimits(pool)) {
        const amounts = compiled.usage[pool.index]!;
        this.#take(pool, amounts, amounts[nodesSlot] ?? 0);
      }
    }
    for (const index of removedNodes) {
      const node = compiled.nodes.all[index]!;
      const pool = compiled.pools.find(({ name }) => name === node.pool);
      if (pool !== undefined)
        this.#take(
          pool,
          node.capacity.map((amount) => -amount),
          -1,
        );
    }
  }

  /** A new node of the pool within the remaining limits; null when no type is. */
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

  nodesLeft(pool: PoolEntry): number {
    return this.#nodes[pool.index] ?? Number.POSITIVE_INFINITY;
  }

  remaining(pool: PoolEntry): ReadonlyMap<number, number> {
    return this.#remaining[pool.index]!;
  }

  /** Rows whose capacity is within the remaining limits. */
  rowsWithin(pool: PoolEntry): Bits {
    const remaining = this.#remaining[pool.index]!;
    const { rows } = pool.catalogue;
    if (this.#unfelt(pool)) return fullBits(rows.length);
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
    for (const slot of remaining.keys()) largest[slot] = pool.catalogue.largestCapacity(slot, rows);
    this.#take(pool, largest, 1);
    if (!this.#unfelt(pool) || this.nodesExhausted(pool)) this.#states[pool.index] = undefined;
  }

  hasLimits(pool: PoolEntry): boolean {
    return pool.limits.size > 0 || pool.nodeLimit !== null;
  }

  #within(pool: PoolEntry, template: State): State | null {
    if (this.#unfelt(pool)) return template;
    return this.#compiled.states.within(template, this.rowsWithin(pool));
  }

  /** Even the largest type is within the remaining limits. */
  #unfelt(pool: PoolEntry): boolean {
    for (const [slot, left] of this.#remaining[pool.index]!) {
      if (pool.catalogue.topCapacity(slot) > left) return false;
    }
    return true;
  }

  #take(pool: PoolEntry, amounts: readonly number[], nodes: number): void {
    const remaining = this.#remaining[pool.index]!;
    for (const [slot, left] of remaining) remaining.set(slot, left - (amounts[slot] ?? 0));
    const left = this.#nodes[pool.index] ?? null;
    if (left !== null) this.#nodes[pool.index] = left - nodes;
  }
}
