/**
 * The input of the price bound: the pods (demands), the nodes that can be launched (new nodes), and the free
 * capacity of existing nodes. Amounts are by resource slot. `read-bound-input.ts` fills it in.
 */
import type { Bits } from '../bits.ts';

/** Pods with equal requests and equal placements. */
export interface Demand {
  readonly count: number;
  readonly amounts: readonly number[];
  /** The number of the placement: demands with the same placement may use the same nodes, if they fit. */
  readonly placement: number;
}

/** One offering of an instance type in one pool: its price and the capacity that remains beside its daemons. */
export interface NewNode {
  readonly price: number;
  readonly room: readonly number[];
  /** The placements it can serve. */
  readonly serves: Bits;
  /** As its offering names it; null: none. */
  readonly zone: string | null;
  /** Whether hard spreads count the zone, whatever the plan: it is a real zone, and no limit keeps nodes away from it. */
  readonly zoneCounts: boolean;
  /** The number of such nodes is limited. */
  readonly reservation?: { readonly id: string; readonly capacity: number };
}

/** Existing nodes that serve the same placements: the sum of their free capacity, and the maximum on one node. */
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
