/**
 * The linear program of the bound: how many nodes of each offer to launch, and which part of each demand goes
 * to which offer or to free capacity. Every demand is met; no resource is used beyond the sum of the new
 * nodes and the free capacity; no reservation is used beyond its size. Pairs of demand and place are added
 * only when they would lower the price.
 *
 * The result does not rely on the solver: any set of resource prices at which no new node is worth more than
 * it costs proves a lower bound (the value of the demands at these prices), and that bound is returned.
 */
import { hasBit } from '../bits.ts';
import { type Demand, type FreeCapacity, fits, type NewNode } from './bound-input.ts';
import { type Column, type Entry, minimise } from './highs.ts';
import type { Offer } from './reduce.ts';

/** The bound; undefined when the solver failed. */
export async function leastPrice(
  demands: readonly Demand[],
  offers: readonly Offer[],
  freeCapacity: readonly FreeCapacity[],
  slotCount: number,
): Promise<number | undefined> {
  const layout = new Layout(demands, offers, freeCapacity, slotCount);
  let best = 0;
  let rounds = 0;
  const solved = await minimise(layout.program(), (least, rowPrices) => {
    const { proven, columns } = layout.judge(rowPrices);
    best = Math.max(best, proven);
    const closed = best >= least * (1 - TOLERANCE);
    return closed || ++rounds > MAX_ROUNDS ? [] : columns;
  });
  return solved ? best : undefined;
}

// ---------------------------------------------------------------------------------------------------------------

const TOLERANCE = 1e-7;
const MAX_ROUNDS = 60;
/** The number of places of a demand at the start, and how many are added in one round. */
const FIRST_PLACES = 3;
const MORE_PLACES = 2;

/** Where demands can go: an offer or free capacity, with its rows, one per resource. */
interface Place {
  readonly firstRow: number;
  readonly takes: (demand: number) => boolean;
  readonly newNode?: NewNode;
  readonly room: readonly number[];
}

class Layout {
  readonly #demands: readonly { readonly count: number; readonly slots: readonly Entry[] }[];
  readonly #places: readonly Place[];
  readonly #slotCount: number;
  readonly #reservations: ReadonlyMap<string, { readonly row: number; readonly capacity: number }>;
  readonly #known: Set<number>[];

  constructor(
    demands: readonly Demand[],
    offers: readonly Offer[],
    freeCapacity: readonly FreeCapacity[],
    slotCount: number,
  ) {
    const scale = scales(demands, slotCount);
    const scaled = (room: readonly number[]) => scale.map((unit, slot) => (room[slot] ?? 0) / unit);
    this.#slotCount = slotCount;
    this.#demands = demands.map(({ count, amounts }) => ({
      count,
      slots: amounts.flatMap((amount, slot): Entry[] => (amount > 0 ? [[slot, amount / scale[slot]!]] : [])),
    }));
    const rowOf = (place: number) => demands.length + place * slotCount;
    this.#places = [
      ...offers.map(({ newNode, takes }, index) => ({
        firstRow: rowOf(index),
        takes: (demand: number) => hasBit(takes, demand),
        newNode,
        room: scaled(newNode.room),
      })),
      ...freeCapacity.map(({ room, largest, serves }, index) => ({
        firstRow: rowOf(offers.length + index),
        takes: (demand: number) =>
          hasBit(serves, demands[demand]!.placement) && fits(demands[demand]!.amounts, largest),
        room: scaled(room),
      })),
    ];
    this.#reservations = reservationsOf(offers, rowOf(this.#places.length));
    this.#known = demands.map(() => new Set());
  }

  /** With the places that look cheapest for each demand. */
  program() {
    const rowLower: number[] = this.#demands.map((demand) => demand.count);
    const rowUpper: number[] = this.#demands.map(() => Infinity);
    for (const { newNode, room } of this.#places) {
      for (const amount of room) {
        rowLower.push(-Infinity);
        rowUpper.push(newNode === undefined ? amount : 0);
      }
    }
    for (const { capacity } of this.#reservations.values()) {
      rowLower.push(-Infinity);
      rowUpper.push(capacity);
    }
    const columns = this.#places.flatMap((place) => this.#purchase(place));
    this.#demands.forEach((_, demand) => {
      const bought = this.#learn(demand, FIRST_PLACES, (place) => this.#shareOf(demand, place));
      // A demand without an unlimited offer needs all its places at once, or the program may become infeasible.
      const scarce = (place: number) => (this.#places[place]!.takes(demand) ? 0 : Infinity);
      columns.push(...(bought.length > 0 ? bought : this.#learn(demand, this.#places.length, scarce)));
    });
    return { rowLower, rowUpper, columns };
  }

  /** The bound that the prices prove, and the columns that would lower the cost. */
  judge(rowPrices: ArrayLike<number>): { proven: number; columns: Column[] } {
    const prices = this.#places.map((place) => this.#fairPrices(place, rowPrices));
    let proven = 0;
    for (const { row, capacity } of this.#reservations.values())
      proven -= capacity * Math.max(0, -rowPrices[row]!);
    this.#places.forEach(({ newNode, room }, place) => {
      if (newNode === undefined) proven -= dot(prices[place]!, room);
    });
    const columns: Column[] = [];
    this.#demands.forEach(({ count, slots }, demand) => {
      const costs = this.#places.map(({ takes }, place) =>
        takes(demand)
          ? slots.reduce((sum, [slot, amount]) => sum + amount * prices[place]![slot]!, 0)
          : Infinity,
      );
      proven += count * costs.reduce((least, cost) => Math.min(least, cost), Infinity);
      const limit = rowPrices[demand]! * (1 - TOLERANCE);
      columns.push(
        ...this.#learn(demand, MORE_PLACES, (place) => (costs[place]! < limit ? costs[place]! : Infinity)),
      );
    });
    return { proven, columns };
  }

  #purchase({ newNode, room, firstRow }: Place): Column[] {
    if (newNode === undefined) return [];
    const entries: Entry[] = room.map((amount, slot) => [firstRow + slot, -amount]);
    if (newNode.reservation !== undefined)
      entries.push([this.#reservations.get(newNode.reservation.id)!.row, 1]);
    return [{ cost: newNode.price, entries }];
  }

  /** Columns for the cheapest places that the demand does not have yet. */
  #learn(demand: number, most: number, costOf: (place: number) => number): Column[] {
    const known = this.#known[demand]!;
    const open = this.#places
      .map((_, place) => ({ place, cost: known.has(place) ? Infinity : costOf(place) }))
      .filter(({ cost }) => cost < Infinity)
      .sort((first, second) => first.cost - second.cost || first.place - second.place)
      .slice(0, most);
    return open.map(({ place }) => {
      known.add(place);
      const { firstRow } = this.#places[place]!;
      const uses = this.#demands[demand]!.slots.map(([slot, amount]): Entry => [firstRow + slot, amount]);
      return { cost: 0, entries: [[demand, 1], ...uses] };
    });
  }

  /** The price of the place for this demand alone; an initial estimate. */
  #shareOf(demand: number, place: number): number {
    const { takes, newNode, room } = this.#places[place]!;
    if (newNode === undefined || newNode.reservation !== undefined || !takes(demand)) return Infinity;
    const share = this.#demands[demand]!.slots.reduce(
      (most, [slot, amount]) => Math.max(most, amount / room[slot]!),
      0,
    );
    return share * newNode.price;
  }

  /** Prices of a place's resources, lowered where their sum exceeds the price of the new node. */
  #fairPrices({ firstRow, newNode, room }: Place, rowPrices: ArrayLike<number>): number[] {
    const prices = Array.from({ length: this.#slotCount }, (_, slot) =>
      Math.max(0, -rowPrices[firstRow + slot]!),
    );
    if (newNode === undefined) return prices;
    const reservation = newNode.reservation && this.#reservations.get(newNode.reservation.id);
    const cost = newNode.price + (reservation === undefined ? 0 : Math.max(0, -rowPrices[reservation.row]!));
    const worth = dot(prices, room);
    return worth <= cost ? prices : prices.map((price) => (price * cost) / worth);
  }
}

function reservationsOf(offers: readonly Offer[], firstRow: number) {
  const sizes = new Map<string, number>();
  for (const { newNode } of offers) {
    if (newNode.reservation === undefined) continue;
    const { id, capacity } = newNode.reservation;
    sizes.set(id, Math.max(sizes.get(id) ?? 0, capacity));
  }
  return new Map(
    [...sizes].map(([id, capacity], index) => [id, { row: firstRow + index, capacity }] as const),
  );
}

/** Amounts near one keep the solver exact: each resource is counted in units of its average demand. */
function scales(demands: readonly Demand[], slotCount: number): number[] {
  return Array.from({ length: slotCount }, (_, slot) => {
    const asking = demands.filter((demand) => (demand.amounts[slot] ?? 0) > 0);
    return asking.reduce((sum, demand) => sum + demand.amounts[slot]!, 0) / asking.length;
  });
}

function dot(first: readonly number[], second: readonly number[]): number {
  return first.reduce((sum, value, index) => sum + value * (second[index] ?? 0), 0);
}
