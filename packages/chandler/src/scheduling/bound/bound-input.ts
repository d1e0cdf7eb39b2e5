/**
 * What the bound is reckoned from: how much of what is wanted (demands), what can be bought (newNodes) and
 * what is there for nothing (freeCapacity). Amounts are by resource slot. Who fills it in is `gather.ts`.
 */
import type { Bits } from '../bits.ts';

/** Pods that ask for the same and may go to the same places. */
export interface Demand {
  readonly count: number;
  readonly amounts: readonly number[];
  /** Number of the set of places: demands of one placement may go to the same ones, if they fit. */
  readonly placement: number;
}

/** A type in one offering, bought through one pool: what it costs, and what it has left beside its daemons. */
export interface NewNode {
  readonly price: number;
  readonly room: readonly number[];
  /** The placements it can serve. */
  readonly serves: Bits;
  /** Only so many can be had. */
  readonly reservation?: { readonly id: string; readonly capacity: number };
}

/** Room on nodes that exist and serve the same placements, in sum; the largest of each resource on one node. */
export interface FreeCapacity {
  readonly room: readonly number[];
  readonly largest: readonly number[];
  readonly serves: Bits;
}

export interface BoundInput {
  readonly slotCount: number;
  readonly demands: readonly Demand[];
  readonly newNodes: readonly NewNode[];
  readonly freeCapacity: readonly FreeCapacity[];
}

export function fits(amounts: readonly number[], room: readonly number[]): boolean {
  for (let slot = 0; slot < amounts.length; slot++) {
    const amount = amounts[slot] ?? 0;
    if (amount > 0 && amount > (room[slot] ?? 0)) return false;
  }
  return true;
}
