/**
 * The price of the claims of a run: that of the cheapest type with room for their pods. Claims only fill up, so the search
 * continues where it ended the last time.
 */
import { hasBit } from '../bits.ts';
import type { ClaimTable } from './claims.ts';
import type { State, StateTable } from './states.ts';

/** By more than rounding: sums of the same prices in another order may differ. */
export function isCheaper(price: number, than: number): boolean {
  return price < than * (1 - MIN_DIFFERENCE);
}

/** Of two prices, as a part of the larger. */
export const MIN_DIFFERENCE = 1e-9;

export class ClaimPrices {
  readonly #claims: ClaimTable;
  readonly #table: StateTable;
  /** By claim: the state at the last look, and the place of the type in its list by price. */
  readonly #states: (State | undefined)[] = [];
  readonly #places: number[] = [];
  /** By claim: the price when it was noted; their sum. */
  readonly #noted: number[] = [];
  #sum = 0;

  constructor(claims: ClaimTable, table: StateTable) {
    this.#claims = claims;
    this.#table = table;
  }

  /** Reserved offerings count at their price. */
  total(): number {
    let sum = 0;
    for (let claim = 0; claim < this.#claims.count; claim++) sum += this.of(claim);
    return sum;
  }

  /** A claim has changed. @returns the price of all claims that were noted. */
  note(claim: number): number {
    const price = this.of(claim);
    this.#sum += price - (this.#noted[claim] ?? 0);
    this.#noted[claim] = price;
    return this.#sum;
  }

  of(claim: number): number {
    const { states, amounts, stride } = this.#claims;
    const state = states[claim]!;
    const from = this.#states[claim] === state ? this.#places[claim]! : 0;
    const place = this.#find(state, amounts, claim * stride, from);
    this.#states[claim] = state;
    this.#places[claim] = place;
    return this.#priceAt(state, place);
  }

  /** The price of the claim in another state with more requests. @param totals by slot. */
  ifAdded(claim: number, after: State, totals: Float64Array): number {
    const from = this.#states[claim] === after ? this.#places[claim]! : 0;
    return this.#priceAt(after, this.#find(after, totals, 0, from));
  }

  #find(state: State, amounts: Float64Array, start: number, from: number): number {
    const { fit } = state.pool;
    const priced = this.#table.pricedRows(state);
    let place = from;
    for (; place < priced.length; place++) {
      const { row } = priced[place]!;
      if (fit.rowFits(row, amounts, start, this.#claims.stride) && hasBit(fit.usable, row)) break;
    }
    return place;
  }

  #priceAt(state: State, place: number): number {
    return this.#table.pricedRows(state)[place]?.price ?? Number.POSITIVE_INFINITY;
  }
}
