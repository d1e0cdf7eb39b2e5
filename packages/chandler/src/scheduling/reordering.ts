/**
 * Improves a small plan by placing its pods in other orders: which pods come first decides which domains, claims and limits
 * are left for the others. A plan is better when it refuses fewer pods, or costs less and gives up nothing.
 */
import { CapacityType } from '../api/index.ts';
import { type Attempt, attemptOf, type SolveRequest } from './attempt.ts';
import { isCheaper, MIN_DIFFERENCE } from './engine/claim-prices.ts';
import type { Compiled } from './engine/compiled.ts';
import { plannedClaims } from './engine/finalise.ts';
import { mixedOrders, otherOrders, refusedFirst } from './engine/other-orders.ts';
import type { PodClass } from './engine/pod-class.ts';
import { placePods } from './engine/pod-placement.ts';
import type { QueuedPod } from './engine/queue.ts';
import type { Run } from './engine/run.ts';
import { MIN_TYPES } from './engine/type-valuation.ts';
import { withFewerRefused } from './fewer-refused.ts';
import type { Plan } from './plan.ts';

/** The best plan; `repacked` when no order gives a better one. @param first the plan in the order of the queue. */
export function bestOrder(
  compiled: Compiled,
  request: SolveRequest,
  first: Attempt,
  repacked: Attempt,
): Attempt {
  return worthReordering(compiled, repacked) ? reordered(compiled, request, first, repacked) : repacked;
}

// ---------------------------------------------------------------------------------------------------------------

/** Places the pods in other orders, and keeps the plan that refuses the fewest pods, then the cheapest. */
function reordered(compiled: Compiled, request: SolveRequest, first: Attempt, repacked: Attempt): Attempt {
  let best = repacked;
  let load = loadOf(first.run);
  const choice = spotChoice(repacked.claims);
  const orders = [...otherOrders(compiled, request.queue, ORDERS_TRIED)];
  if (repacked.run.unplaced.length > 0) {
    orders.unshift(refusedFirst(compiled, request.queue, repacked.run.unplaced));
    orders.push(...mixedOrders(compiled, request.queue));
  }
  const tries = triesOf(distinct([request.queue, ...orders]), first);
  const placedAgain = first.run.unplaced.length > 0 ? 2 * PLACED_AGAIN : PLACED_AGAIN;
  let number = request.number;
  for (const { queue, thrifty, relaxed } of tries.slice(0, placedAgain / request.queue.length)) {
    if (relaxed.size > 0 && best.run.unplaced.length === 0) break;
    // Between two whole numbers: what a run notes about a class must not be taken for that of another.
    number += 1 / 64;
    const fill = (run: Run) => {
      run.attempts = best.run.attempts;
      run.thrifty = thrifty;
      run.relaxed = relaxed;
      if (best.run.unplaced.length === 0) run.maxPrice = best.price * (1 - MIN_DIFFERENCE / 2);
      if (!placePods(run)) return false;
      const own = loadOf(run);
      if (run.unplaced.length < best.run.unplaced.length) return true;
      if (!areWithin(own.refused, load.refused) || own.givenUp > load.givenUp) return false;
      return isCheaper(run.prices.total(), best.price) && spotChoice(plannedClaims(run)) >= choice;
    };
    const better = attemptOf(compiled, { ...request, queue, number }, fill, first.run.counts.late);
    if (better === undefined) continue;
    best = better;
    load = loadOf(better.run);
  }
  return withFewerRefused(compiled, { ...request, number }, best);
}

/** One way to place the batch again. */
interface Try {
  readonly queue: readonly QueuedPod[];
  readonly thrifty: boolean;
  /** Classes whose pods give up all of their preferences at once. */
  readonly relaxed: ReadonlySet<PodClass>;
}

/**
 * Where pods are still refused after all orders, preferences of others may be the reason: the orders are tried again without
 * those of one class, and at last without any.
 */
function triesOf(orders: readonly (readonly QueuedPod[])[], { run }: Attempt): Try[] {
  const kept = orders.flatMap((queue, at): Try[] => [
    { queue, thrifty: true, relaxed: NONE },
    ...(at === 0 ? [] : [{ queue, thrifty: false, relaxed: NONE }]),
  ]);
  const preferring = [...new Set(run.queue.map(({ podClass }) => podClass))].filter(
    ({ relaxations }) => relaxations.length > 1,
  );
  if (run.unplaced.length === 0 || preferring.length === 0) return kept;
  const single = preferring.length === 1 ? [] : preferring.slice(0, MAX_RELAXED_ALONE);
  const all = new Set(preferring);
  return [
    ...kept,
    ...single.flatMap((podClass) =>
      orders.slice(0, 2).map((queue) => ({ queue, thrifty: false, relaxed: new Set([podClass]) })),
    ),
    ...orders.map((queue) => ({ queue, thrifty: false, relaxed: all })),
  ];
}

const NONE: ReadonlySet<PodClass> = new Set();
const MAX_RELAXED_ALONE = 4;

/** What a run achieves, besides the price. */
interface Load {
  /** How many pods of each class. */
  readonly refused: ReadonlyMap<PodClass, number>;
  /** A cheaper plan must not cost preferences. */
  readonly givenUp: number;
}

function loadOf({ queue, placements, unplaced }: Run): Load {
  const givenUp = placements.reduce((sum, placement) => sum + (placement?.relaxation ?? 0), 0);
  const refused = new Map<PodClass, number>();
  for (const index of unplaced) {
    const { podClass } = queue[index]!;
    refused.set(podClass, (refused.get(podClass) ?? 0) + 1);
  }
  return { refused, givenUp };
}

/** No more of any class. */
function areWithin(some: Load['refused'], of: Load['refused']): boolean {
  return [...some].every(([podClass, count]) => count <= (of.get(podClass) ?? 0));
}

/** The fewest types that a claim on spot capacity can choose from; no more than it should have. */
function spotChoice(claims: Plan['claims']): number {
  const spot = claims.filter(({ cheapest }) => cheapest.capacityType === CapacityType.spot);
  return Math.min(MIN_TYPES, ...spot.map(({ instanceTypes }) => instanceTypes.length));
}

/** Orders that differ in more than equal pods. With few kinds of pods most orders are the same. */
function distinct(orders: readonly (readonly QueuedPod[])[]): (readonly QueuedPod[])[] {
  const byKinds = new Map<string, readonly QueuedPod[]>();
  for (const order of orders) {
    const kinds = order.map(({ podClass }) => podClass.id).join();
    if (!byKinds.has(kinds)) byKinds.set(kinds, order);
  }
  return [...byKinds.values()];
}

/** Only a small plan is placed again: a large one is seldom unlucky as a whole. */
function worthReordering({ options, pools }: Compiled, { run }: Attempt): boolean {
  const { length } = run.queue;
  const refused = run.unplaced.length;
  if (options.improveEffort <= 0 || length > MAX_REORDERED) return false;
  if (pools.some((pool) => pool.catalogue.hasReservations)) return false;
  return run.claims.count > 1 || (refused > 0 && refused < length);
}

const MAX_REORDERED = 100;
const ORDERS_TRIED = 8;
/** Pods that are placed again, in all orders together: about three milliseconds. Twice as many where pods are refused. */
const PLACED_AGAIN = 600;
