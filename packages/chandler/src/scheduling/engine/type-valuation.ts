/**
 * The value of an instance type. The lowest price at which all pending pods could be placed, divided between
 * cpu and memory, gives a shadow price for a core and a byte; the types that give the most for their price at
 * these shadow prices rank first.
 */
import { countBits, hasBit, members } from '../bits.ts';
import { CPU, MEMORY, type Requests } from '../resources.ts';
import type { PoolEntry } from './pools.ts';
import { amountOf } from './queue.ts';
import type { Run } from './run.ts';
import type { State } from './states.ts';

interface Worth {
  readonly cpu: number;
  readonly memory: number;
}

export class TypeValuation {
  readonly #run: Run;
  #demand: Worth = { cpu: 1, memory: 1 };
  /** Memory per cpu of the pods. */
  #leans = { least: 1, most: Number.POSITIVE_INFINITY };
  readonly #worth = new Map<PoolEntry, Worth>();
  /** Rows that leave enough alternative types, the best value first. */
  readonly #ranked = new Map<State, readonly Ranked[]>();
  readonly #prices = new Map<State, Map<number, number>>();
  readonly #flexible = new Map<State, ReadonlySet<number>>();

  constructor(run: Run) {
    this.#run = run;
  }

  /** The pods that are still to be placed; they determine the shadow prices. */
  demand(demands: readonly { readonly requests: Requests; readonly count: number }[]): void {
    const sum = (slot: number) =>
      demands.reduce((total, { requests, count }) => total + amountOf(requests, slot) * count, 1);
    const demand = { cpu: sum(CPU), memory: sum(MEMORY) };
    const all = demands.map(
      ({ requests }) => amountOf(requests, MEMORY) / Math.max(1, amountOf(requests, CPU)),
    );
    const leans = { least: Math.max(1, Math.min(...all)), most: Math.max(...all) };
    // Shadow prices depend on the ratio of the demand, not on its amount.
    const moved = Math.abs(leanOf(demand) / leanOf(this.#demand) - 1) > SAME_DEMAND;
    if (!moved && leans.least === this.#leans.least && leans.most === this.#leans.most) return;
    this.#demand = demand;
    this.#leans = leans;
    this.#worth.clear();
    this.#ranked.clear();
  }

  priceOf(state: State, row: number): number {
    let prices = this.#prices.get(state);
    if (prices === undefined) {
      const priced = this.#run.compiled.states.pricedRows(state);
      prices = new Map(priced.map((entry) => [entry.row, entry.price]));
      this.#prices.set(state, prices);
    }
    return prices.get(row) ?? Number.POSITIVE_INFINITY;
  }

  /**
   * The rows with room that have the best value, the best first. When none leaves enough alternative types
   * for a full node, the one that leaves most.
   */
  bestRows(state: State, totals: Float64Array, count: number): number[] {
    const { fit } = state.pool;
    const { stride } = this.#run.claims;
    const fitting = fit.fitting(state.rows, totals, 0, stride);
    // Types with the same memory per cpu are similar: a few of each, so that there is one for every kind of pod.
    const seen = new Map<number, number>();
    const varied: number[] = [];
    for (const { row, proportion } of this.#rankedRows(state)) {
      if (!hasBit(fitting, row)) continue;
      const before = seen.get(proportion) ?? 0;
      seen.set(proportion, before + 1);
      if (before < count) varied.push(row);
    }
    if (varied.length > 0) return varied;
    const choices = (row: number) => this.#choicesAbove(state, row);
    const all = members(fitting).sort((first, second) => choices(second) - choices(first) || first - second);
    return all.slice(0, 1);
  }

  /** The value of amounts by slot. */
  worthOf(state: State, amounts: Float64Array): number {
    const worth = this.#worthIn(state.pool);
    return worth.cpu * amounts[CPU]! + worth.memory * amounts[MEMORY]!;
  }

  /** The price of a row per unit of value. */
  unitPrice(state: State, row: number): number {
    const worth = this.#worthIn(state.pool);
    const { cpu, memory } = this.#usable(state.pool.fit.free[row]!);
    return this.priceOf(state, row) / (worth.cpu * cpu + worth.memory * memory);
  }

  #rankedRows(state: State): readonly Ranked[] {
    let ranked = this.#ranked.get(state);
    if (ranked === undefined) {
      ranked = [...this.#flexibleRows(state)]
        .map((row) => ({
          row,
          unit: this.unitPrice(state, row),
          proportion: proportionOf(state.pool.fit.free[row]!),
        }))
        .sort((first, second) => first.unit - second.unit || first.row - second.row);
      this.#ranked.set(state, ranked);
    }
    return ranked;
  }

  /** Rows that leave enough alternative types when they are full. */
  #flexibleRows(state: State): ReadonlySet<number> {
    let rows = this.#flexible.get(state);
    if (rows === undefined) {
      const { fit } = state.pool;
      const all = members(state.rows);
      const needed = Math.min(MIN_TYPES, all.length);
      rows = new Set(
        all.filter((row) => this.#choicesAbove(state, row) >= needed && hasBit(fit.usable, row)),
      );
      this.#flexible.set(state, rows);
    }
    return rows;
  }

  /** The number of rows of the state that are at least as large as this one. */
  #choicesAbove(state: State, row: number): number {
    const { fit } = state.pool;
    const { stride } = this.#run.claims;
    const full = Float64Array.from({ length: stride }, (_, slot) => finite(fit.free[row]![slot] ?? 0));
    return countBits(fit.fitting(state.rows, full, 0, stride));
  }

  /** The shadow prices of cpu and memory: the highest at which no type is worth more than it costs. */
  #worthIn(pool: PoolEntry): Worth {
    let worth = this.#worth.get(pool);
    if (worth === undefined) {
      worth = this.#findWorth(this.#run.compiled.templates[pool.index]!);
      this.#worth.set(pool, worth);
    }
    return worth;
  }

  /** The part that pods can use: pods cannot fill a type whose memory per cpu is outside their range. */
  #usable(free: readonly number[]): Worth {
    const cpu = free[CPU] ?? 0;
    const memory = free[MEMORY] ?? 0;
    return {
      cpu: Math.min(cpu, memory / this.#leans.least),
      memory: Math.min(memory, cpu * this.#leans.most),
    };
  }

  #findWorth(state: State | null): Worth {
    if (state === null) return { cpu: 1, memory: 1 };
    const { free } = state.pool.fit;
    const flexible = this.#flexibleRows(state);
    const offers = members(state.rows)
      .filter((row) => flexible.has(row))
      .map((row) => {
        const { cpu, memory } = this.#usable(free[row]!);
        const price = this.priceOf(state, row);
        return { cpu: cpu / this.#demand.cpu, memory: memory / this.#demand.memory, price };
      });
    let best: Worth = { cpu: 1, memory: 1 };
    let bestTotal = -1;
    for (let step = 0; step <= WORTH_STEPS; step++) {
      const cpu = step / WORTH_STEPS;
      let scale = Number.POSITIVE_INFINITY;
      for (const offer of offers) {
        scale = Math.min(scale, offer.price / (cpu * offer.cpu + (1 - cpu) * offer.memory));
      }
      if (scale > bestTotal && Number.isFinite(scale)) {
        bestTotal = scale;
        best = { cpu: (scale * cpu) / this.#demand.cpu, memory: (scale * (1 - cpu)) / this.#demand.memory };
      }
    }
    return best;
  }
}

// ---------------------------------------------------------------------------------------------------------------

/** The number of alternative types that a claim on spot capacity should keep. */
export const MIN_TYPES = 15;
const WORTH_STEPS = 64;
/** The change of the demand ratio from which shadow prices are computed again. */
const SAME_DEMAND = 0.002;

interface Ranked {
  readonly row: number;
  /** The price per unit of value. */
  readonly unit: number;
  readonly proportion: number;
}

function leanOf({ cpu, memory }: Worth): number {
  return memory / cpu;
}

/** Memory per cpu, in steps of half a doubling. */
function proportionOf(free: readonly number[]): number {
  return Math.round(2 * Math.log2((free[MEMORY] ?? 0) / Math.max(1, free[CPU] ?? 0)));
}

function finite(amount: number): number {
  return Number.isFinite(amount) ? amount : 0;
}
