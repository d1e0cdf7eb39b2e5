/** What a node for one pod costs in a state: where topology leaves a choice, the cheapest domain is taken. */
import { hasBit } from '../bits.ts';
import type { Compiled } from './compiled.ts';
import type { Variant } from './pod-class.ts';
import type { State } from './states.ts';

/** The price of the cheapest type with room for the pod; infinite when there is none. */
export function priceFor(compiled: Compiled, variant: Variant, state: State): number {
  let price = variant.prices[state.id];
  if (price === undefined) {
    const { slots, amounts } = variant.podClass.requests;
    const totals = new Float64Array(compiled.resources.count);
    for (let index = 0; index < slots.length; index++) totals[slots[index]!] = amounts[index]!;
    price = cheapestWithRoom(compiled, state, totals, 0);
    variant.prices[state.id] = price;
  }
  return price;
}

/** @param totals by slot, starting at the offset. */
export function cheapestWithRoom(
  { states, resources }: Compiled,
  state: State,
  totals: Float64Array,
  offset: number,
): number {
  const rows = state.pool.fit.fitting(state.rows, totals, offset, resources.count);
  return states.pricedRows(state).find(({ row }) => hasBit(rows, row))?.price ?? Number.POSITIVE_INFINITY;
}
