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
  /** What the shadow prices were made for. */
  #demand: Worth = { cpu: 1, memory: 1 };
  #total: Worth = this.#demand;
  /** Memory per cpu of the pods. */
  #leans: Leans = { least: 1, most: Number.POSITIVE_INFINITY };
  readonly #worth = new Map<PoolEntry, Worth>();
  readonly #frontiers = new Map<State, readonly Offer[]>();

  constructor(run: Run) {
    this.#run = run;
  }

  /**
   * The pods that are still to be placed; they determine the shadow prices.
   * @returns whether the shadow prices have changed.
   */
  demand(demands: readonly Demand[]): boolean {
    const demand = { cpu: 1, memory: 1 };
    const leans = { least: Number.POSITIVE_INFINITY, most: 0 };
    for (const { requests, pending } of demands) {
      if (pending === 0) continue;
      const cpu = amountOf(requests, CPU);
      const memory = amountOf(requests, MEMORY);
      demand.cpu += cpu * pending;
      demand.memory += memory * pending;
      const lean = memory / Math.max(1, cpu);
      leans.least = Math.min(leans.least, lean);
      leans.most = Math.max(leans.most, lean);
    }
    leans.least = Math.max(1, leans.least);
    // Shadow prices depend on the ratio of the demand, not on its amount.
    const moved = Math.abs(leanOf(demand) / leanOf(this.#demand) - 1) > SAME_DEMAND;
    this.#total = demand;
    const sameLeans = leans.least === this.#leans.least && leans.most === this.#leans.most;
    if (!moved && sameLeans) return false;
    this.#demand = demand;
    this.#worth.clear();
    if (sameLeans) return true;
    this.#leans = leans;
    this.#frontiers.clear();
    return true;
  }

  priceOf(state: State, row: number): number {
    return this.#columns(state).prices[row] ?? Number.POSITIVE_INFINITY;
  }

  /**
   * The rows with room that have the best value, the best first. When none leaves enough alternative types
   * for a full node, the one that leaves most.
   */
  bestRows(state: State, totals: Float64Array, count: number): Choice[] {
    const { fit } = state.pool;
    const { stride } = this.#run.claims;
    const fitting = fit.fitting(state.rows, totals, 0, stride);
    const worth = this.#worthIn(state.pool);
    const { least, most } = this.#leans;
    const { flexible, proportions } = this.#columns(state);
    // Types with the same memory per cpu are similar: a few of each, so that there is one for every kind of pod.
    const best = new BestOfEach(proportions, count);
    for (const { row, group, price, cpu, memory } of flexible) {
      if (((fitting[row >>> 5] ?? 0) & (1 << (row & 31))) === 0) continue;
      // Of the part that pods can use: pods cannot fill a type whose memory per cpu is outside their range.
      const value = worth.cpu * Math.min(cpu, memory / least) + worth.memory * Math.min(memory, cpu * most);
      // Rows are in order, so of equal ones the first stays.
      best.offer(group, row, price / value);
    }
    const ranked = best.all();
    if (ranked.length > 0) {
      const all = worth.cpu * this.#total.cpu + worth.memory * this.#total.memory;
      return ranked
        .map(({ row, unit }) => ({ row, maxYield: Math.min(1 / unit, all / this.priceOf(state, row)) }))
        .sort((first, second) => second.maxYield - first.maxYield);
    }
    const choices = (row: number) => choicesAbove(state, row, stride);
    const all = members(fitting).sort((first, second) => choices(second) - choices(first) || first - second);
    return all.slice(0, 1).map((row) => ({ row, maxYield: Number.POSITIVE_INFINITY }));
  }

  /** What the pods cost in the types with the best value, at least. */
  leastPrice(): number {
    const prices = this.#run.compiled.pools.map((pool) => {
      const worth = this.#worthIn(pool);
      return worth.cpu * this.#total.cpu + worth.memory * this.#total.memory;
    });
    return Math.min(...prices);
  }

  /** The value of amounts by slot. */
  worthOf(state: State, amounts: Float64Array): number {
    const worth = this.#worthIn(state.pool);
    return worth.cpu * amounts[CPU]! + worth.memory * amounts[MEMORY]!;
  }

  #columns(state: State): Columns {
    return columnsOf(this.#run, state);
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

  #findWorth(state: State | null): Worth {
    if (state === null) return { cpu: 1, memory: 1 };
    const offers = this.#frontier(state);
    let best: Worth = { cpu: 1, memory: 1 };
    let bestTotal = -1;
    // Pods without memory requests pay for cpu alone.
    for (let step = this.#leans.most === 0 ? WORTH_STEPS : 0; step <= WORTH_STEPS; step++) {
      const cpu = step / WORTH_STEPS;
      const forCpu = cpu / this.#demand.cpu;
      const forMemory = (1 - cpu) / this.#demand.memory;
      let scale = Number.POSITIVE_INFINITY;
      for (const offer of offers) {
        scale = Math.min(scale, 1 / (forCpu * offer.cpu + forMemory * offer.memory));
      }
      if (scale > bestTotal && Number.isFinite(scale)) {
        bestTotal = scale;
        best = { cpu: scale * forCpu, memory: scale * forMemory };
      }
    }
    return best;
  }

  /** What types give for their price, without those that give less of both than another. */
  #frontier(state: State): readonly Offer[] {
    let frontier = this.#frontiers.get(state);
    if (frontier === undefined) {
      const { least, most } = this.#leans;
      const offers = this.#columns(state).flexible.map(({ cpu, memory, price }) => ({
        cpu: Math.min(cpu, memory / least) / price,
        memory: Math.min(memory, cpu * most) / price,
      }));
      offers.sort((first, second) => second.cpu - first.cpu || second.memory - first.memory);
      let memory = Number.NEGATIVE_INFINITY;
      frontier = offers.filter((offer) => {
        const better = offer.memory > memory;
        if (better) memory = offer.memory;
        return better;
      });
      this.#frontiers.set(state, frontier);
    }
    return frontier;
  }
}

/** The proportions of memory to cpu among the types of new nodes. */
export function proportionsOf(run: Run): Set<number> {
  const found = new Set<number>();
  for (const template of run.compiled.templates) {
    if (template === null) continue;
    for (const { proportion } of columnsOf(run, template).flexible) found.add(proportion);
  }
  return found;
}

// ---------------------------------------------------------------------------------------------------------------

/** The number of alternative types that a claim on spot capacity should keep. */
export const MIN_TYPES = 15;
const WORTH_STEPS = 64;
/** The change of the demand ratio from which shadow prices are computed again. */
const SAME_DEMAND = 0.002;

export interface Demand {
  readonly requests: Requests;
  /** How many pods. */
  readonly pending: number;
}

interface Leans {
  readonly least: number;
  readonly most: number;
}

/** A type that is worth a trial. */
export interface Choice {
  readonly row: number;
  /** The value of pods per price, at most: when the node is full, or holds all pods. */
  readonly maxYield: number;
}

interface Ranked {
  readonly row: number;
  /** The price per unit of value. */
  readonly unit: number;
}

/** Cpu and memory per price. */
interface Offer {
  readonly cpu: number;
  readonly memory: number;
}

interface FlexibleRow {
  readonly row: number;
  readonly price: number;
  readonly cpu: number;
  readonly memory: number;
  readonly proportion: number;
  /** The number of the proportion. */
  readonly group: number;
}

/** The rows with the lowest price per unit of value, a few of each group. */
class BestOfEach {
  readonly #count: number;
  readonly #sizes: Int32Array;
  readonly #rows: Int32Array;
  readonly #units: Float64Array;

  constructor(groups: number, count: number) {
    this.#count = count;
    this.#sizes = new Int32Array(groups);
    this.#rows = new Int32Array(groups * count);
    this.#units = new Float64Array(groups * count);
  }

  offer(group: number, row: number, unit: number): void {
    const start = group * this.#count;
    const size = this.#sizes[group]!;
    let at = start + size;
    if (size < this.#count) this.#sizes[group] = size + 1;
    else if (unit >= this.#units[--at]!) return;
    for (; at > start && this.#units[at - 1]! > unit; at--) {
      this.#units[at] = this.#units[at - 1]!;
      this.#rows[at] = this.#rows[at - 1]!;
    }
    this.#units[at] = unit;
    this.#rows[at] = row;
  }

  /** The best first. */
  all(): Ranked[] {
    const found: Ranked[] = [];
    for (let group = 0; group < this.#sizes.length; group++) {
      const start = group * this.#count;
      for (let at = start; at < start + this.#sizes[group]!; at++)
        found.push({ row: this.#rows[at]!, unit: this.#units[at]! });
    }
    return found.sort(byUnit);
  }
}

/** What does not depend on the pods. */
interface Columns {
  /** By row; undefined: not in the state. */
  readonly prices: readonly (number | undefined)[];
  /** Rows that leave enough alternative types when they are full. */
  readonly flexible: readonly FlexibleRow[];
  /** How many proportions they have. */
  readonly proportions: number;
}

const known = new WeakMap<State, Columns>();

function columnsOf(run: Run, state: State): Columns {
  let columns = known.get(state);
  if (columns === undefined) {
    columns = readColumns(run, state);
    known.set(state, columns);
  }
  return columns;
}

function readColumns({ compiled, claims }: Run, state: State): Columns {
  const { fit } = state.pool;
  const prices: (number | undefined)[] = new Array(fit.free.length).fill(undefined);
  for (const { row, price } of compiled.states.pricedRows(state)) prices[row] = price;
  const all = members(state.rows);
  const needed = Math.min(MIN_TYPES, all.length);
  const groups = new Map<number, number>();
  const flexible = all
    .filter((row) => hasBit(fit.usable, row) && choicesAbove(state, row, claims.stride) >= needed)
    .map((row) => {
      const free = fit.free[row]!;
      const proportion = proportionOf(free);
      if (!groups.has(proportion)) groups.set(proportion, groups.size);
      return {
        row,
        price: prices[row] ?? Number.POSITIVE_INFINITY,
        cpu: free[CPU] ?? 0,
        memory: free[MEMORY] ?? 0,
        proportion,
        group: groups.get(proportion)!,
      };
    });
  return { prices, flexible, proportions: groups.size };
}

/** The number of rows of the state that are at least as large as this one. */
function choicesAbove({ pool: { fit }, rows }: State, row: number, stride: number): number {
  const full = Float64Array.from({ length: stride }, (_, slot) => finite(fit.free[row]![slot] ?? 0));
  return countBits(fit.fitting(rows, full, 0, stride));
}

function byUnit(first: Ranked, second: Ranked): number {
  return first.unit - second.unit || first.row - second.row;
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
