/**
 * What a type is worth: the price at which all waiting pods could be had at best, shared out over cpu and
 * memory, says what a core and a byte may cost; a type that gives more for its price than that is a bargain.
 */
import { countBits, hasBit, members } from '../bits.ts';
import { CPU, MEMORY, type Requests } from '../resources.ts';
import type { PoolEntry } from './pools.ts';
import type { Run } from './run.ts';
import type { State } from './states.ts';

interface Worth {
  readonly cpu: number;
  readonly memory: number;
}

export class TypeMarket {
  readonly #run: Run;
  #demand: Worth = { cpu: 1, memory: 1 };
  readonly #worth = new Map<PoolEntry, Worth>();
  readonly #bestUnits = new Map<State, number>();
  readonly #prices = new Map<State, Map<number, number>>();
  readonly #flexible = new Map<State, ReadonlySet<number>>();

  constructor(run: Run) {
    this.#run = run;
  }

  /** What is still to be placed; it decides what cpu and memory are worth. */
  demand(demands: readonly { readonly requests: Requests; readonly count: number }[]): void {
    const sum = (slot: number) =>
      demands.reduce((total, { requests, count }) => {
        const at = requests.slots.indexOf(slot);
        return total + (at < 0 ? 0 : requests.amounts[at]! * count);
      }, 1);
    this.#demand = { cpu: sum(CPU), memory: sum(MEMORY) };
    this.#worth.clear();
    this.#bestUnits.clear();
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

  /** The row that gives most for its price among those with room; -1 when none has. */
  bestRow(state: State, totals: Float64Array): number {
    const { fit } = state.pool;
    const { stride } = this.#run.claims;
    const fitting = fit.fitting(state.rows, totals, 0, stride);
    const flexible = this.#flexibleRows(state);
    let best = -1;
    let bestUnit = Number.POSITIVE_INFINITY;
    for (const row of members(fitting)) {
      const unit = flexible.has(row) ? this.unitPrice(state, row) : Number.POSITIVE_INFINITY;
      if (unit >= bestUnit) continue;
      bestUnit = unit;
      best = row;
    }
    return best >= 0 ? best : fit.roomiest(fitting, totals, 0, stride);
  }

  /** The price of a row per worth of what it has. */
  unitPrice(state: State, row: number): number {
    const worth = this.#worthIn(state.pool);
    const free = state.pool.fit.free[row]!;
    return this.priceOf(state, row) / (worth.cpu * (free[CPU] ?? 0) + worth.memory * (free[MEMORY] ?? 0));
  }

  bestUnitPrice(state: State): number {
    let best = this.#bestUnits.get(state);
    if (best === undefined) {
      best = Number.POSITIVE_INFINITY;
      for (const row of this.#flexibleRows(state)) best = Math.min(best, this.unitPrice(state, row));
      this.#bestUnits.set(state, best);
    }
    return best;
  }

  /** Rows that leave enough others to choose from when they are full. */
  #flexibleRows(state: State): ReadonlySet<number> {
    let rows = this.#flexible.get(state);
    if (rows === undefined) {
      const { fit } = state.pool;
      const { stride } = this.#run.claims;
      const all = members(state.rows);
      const needed = Math.min(MIN_TYPES, all.length);
      rows = new Set(
        all.filter((row) => {
          const full = Float64Array.from({ length: stride }, (_, slot) => finite(fit.free[row]![slot] ?? 0));
          return countBits(fit.fitting(state.rows, full, 0, stride)) >= needed && hasBit(fit.usable, row);
        }),
      );
      this.#flexible.set(state, rows);
    }
    return rows;
  }

  /** The shadow prices of cpu and memory: the dearest that no type undercuts. */
  #worthIn(pool: PoolEntry): Worth {
    let worth = this.#worth.get(pool);
    if (worth === undefined) {
      worth = this.#findWorth(this.#run.compiled.templates[pool.index]!);
      this.#worth.set(pool, worth);
    }
    return worth;
  }

  #findWorth(state: State | null): Worth {
    if (state === null) return { cpu: 1, memory: 1 };
    const { free } = state.pool.fit;
    const flexible = this.#flexibleRows(state);
    const offers = members(state.rows)
      .filter((row) => flexible.has(row))
      .map((row) => ({
        cpu: (free[row]![CPU] ?? 0) / this.#demand.cpu,
        memory: (free[row]![MEMORY] ?? 0) / this.#demand.memory,
        price: this.priceOf(state, row),
      }));
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
        best = { cpu: cpu / this.#demand.cpu, memory: (1 - cpu) / this.#demand.memory };
      }
    }
    return best;
  }
}

// ---------------------------------------------------------------------------------------------------------------

/** What a claim on spot capacity should keep to choose from. */
const MIN_TYPES = 15;
const WORTH_STEPS = 64;

function finite(amount: number): number {
  return Number.isFinite(amount) ? amount : 0;
}
