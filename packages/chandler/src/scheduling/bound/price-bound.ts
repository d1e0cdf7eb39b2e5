/**
 * The lowest price per hour of any plan for these pods, so that a plan can state its distance from the
 * optimum.
 *
 * It is the linear relaxation of the real problem. Take any feasible plan: each node it launches is one
 * offering of one type of one pool, and beside its daemons it has room for its pods. Counting these nodes,
 * and the pods of each kind on them, gives a solution of the program in `program.ts` with the same price;
 * so the program's minimum is not above it. What the program does not look at only lowers the minimum:
 * nodes and pods come in fractions; affinity, host ports, pool limits, minValues and preferences are ignored;
 * capacity on existing nodes costs nothing and is summed. A demand still goes only to new nodes on which one
 * pod of it fits, and whose pool, type and offering it and its volumes may use; a new node attaches no more
 * volumes than it can; and pods with a hard spread over zones are in every zone that the
 * planner counts (`zonal-split.ts`).
 */
import { hasBit } from '../bits.ts';
import type { Kept } from '../engine/kept.ts';
import type { SchedulingInput } from '../model.ts';
import { type BoundInput, type Demand, fits } from './bound-input.ts';
import { leastPrice } from './program.ts';
import { readBoundInput } from './read-bound-input.ts';
import { reduce, withoutDominated } from './reduce.ts';

export interface PriceBound {
  /** No feasible plan for the counted pods is cheaper. */
  readonly perHour: number;
  /** Pods that the bound is about. */
  readonly pods: number;
  /** Pods left out: named by the caller, invalid, or without any new or existing node that could hold them. */
  readonly leftOut: number;
  /** Size of the program without dominated entries. */
  readonly demands: number;
  readonly offers: number;
  /** False when there is no plan for all of them, or the solver failed; the bound is zero then. */
  readonly proven: boolean;
}

export interface PriceBoundOptions {
  /** `namespace/name` of pods not to count: those that the plan at hand refuses. */
  readonly except?: Iterable<string>;
  /** Of a planner that has planned the input: what it has read is not read again. Default: nothing is kept. */
  readonly kept?: Kept;
}

export async function priceBound(
  input: SchedulingInput,
  options: PriceBoundOptions = {},
): Promise<PriceBound> {
  const gathered = readBoundInput(input, new Set(options.except ?? []), options.kept);
  const boundInput = { ...gathered, newNodes: withoutDominated(gathered.newNodes, gathered.slotCount) };
  const placeable = boundInput.demands.filter((demand) => hasPlace(demand, boundInput));
  const pods = placeable.reduce((sum, demand) => sum + demand.count, 0);
  const leftOut = input.pods.length - pods;
  if (pods === 0) return { perHour: 0, pods, leftOut, demands: 0, offers: 0, proven: true };

  const { demands, offers } = reduce({ ...boundInput, demands: placeable }, MAX_DEMANDS);
  const size = { pods, leftOut, demands: demands.length, offers: offers.length };
  const perHour = await leastPrice(demands, offers, boundInput.freeCapacity, boundInput.slotCount);
  return perHour === undefined ? { perHour: 0, ...size, proven: false } : { perHour, ...size, proven: true };
}

// ---------------------------------------------------------------------------------------------------------------

/** With more of them the solver takes seconds. */
const MAX_DEMANDS = 1_000;

function hasPlace(demand: Demand, { newNodes, freeCapacity }: BoundInput): boolean {
  const { placement, amounts } = demand;
  return (
    newNodes.some(({ serves, room }) => hasBit(serves, placement) && fits(amounts, room)) ||
    freeCapacity.some(({ serves, largest }) => hasBit(serves, placement) && fits(amounts, largest))
  );
}
