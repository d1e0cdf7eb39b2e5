/**
 * Where a small plan refuses pods in all orders that `reordering.ts` tries: further orders, in which new claims are also opened in
 * other domains than the best one, and preferences are given up. Which pods come first, and where, decides what limits, spreads
 * and hosts are left for the others.
 */
import { type Attempt, attemptOf, type SolveRequest } from './attempt.ts';
import type { Compiled } from './engine/compiled.ts';
import { furtherOrders, oneClassLast, refusedFirst } from './engine/other-orders.ts';
import type { PodClass } from './engine/pod-class.ts';
import { placePods } from './engine/pod-placement.ts';
import type { QueuedPod } from './engine/queue.ts';
import type { Run } from './engine/run.ts';

/** The plan with the fewest refused pods; `start` when there is none with fewer. @param request with the number of the last run. */
export function withFewerRefused(compiled: Compiled, request: SolveRequest, start: Attempt): Attempt {
  // Without nodes that leave: disruption asks a thousand times, and wants to know whether there is a place, not the last one.
  if (start.run.unplaced.length === 0 || request.removed.length > 0) return start;
  let { number } = request;
  const nextNumber = () => (number += NUMBER_STEP);
  if (!mayBePlaced(compiled, request, start, nextNumber)) return start;
  let best = start;
  const { late } = start.run.counts;
  const relaxed = new Set(classesOf(request.queue).filter(({ relaxations }) => relaxations.length > 1));
  const orders = furtherOrders(compiled, request.queue);
  const tries = Math.floor(PLACED_AGAIN / request.queue.length);
  const triesOfLast = Math.floor(PLACED_WITH_ONE_LAST / request.queue.length);
  const queueOf = (at: number, order: readonly QueuedPod[]) => {
    if (at >= tries) return oneClassLast(compiled, order, Math.floor((at - tries) / 2));
    return at % 4 === 3 ? refusedFirst(compiled, order, indexesIn(order, best.run)) : order;
  };
  for (let at = 0; at < tries + triesOfLast && best.run.unplaced.length > 0; at++) {
    const queue = queueOf(at, orders.next().value);
    const fill = (run: Run) => {
      run.attempts = best.run.attempts;
      run.variation = at % 5 === 0 ? 0 : at + 1;
      run.thrifty = at % 7 < 3;
      if (at % 8 >= 4) run.relaxed = relaxed;
      return placePods(run) && run.unplaced.length < best.run.unplaced.length;
    };
    best = attemptOf(compiled, { ...request, queue, number: nextNumber() }, fill, late) ?? best;
  }
  return best;
}

// ---------------------------------------------------------------------------------------------------------------

/** Pods that are placed again, in all orders together: about ten milliseconds. */
const PLACED_AGAIN = 2_400;
/** Further ones, in orders in which each of the classes comes last in turn: its pods may take the place of more pods of others. */
const PLACED_WITH_ONE_LAST = 1_200;

/** What a run notes about a class must not be taken for that of another; all numbers are below the next whole one. */
const NUMBER_STEP = 2 ** -13;

/**
 * Whether one of the refused pods could be placed if it were alone. A pod that no NodePool accepts is refused in every order.
 * Pods that must be near others are not asked: alone they cannot be placed.
 */
function mayBePlaced(
  compiled: Compiled,
  request: SolveRequest,
  { run: { queue, unplaced, counts } }: Attempt,
  nextNumber: () => number,
): boolean {
  const refused = unplaced.map((index) => queue[index]!);
  if (refused.some(({ podClass }) => podClass.spec.affinity.required.length > 0)) return true;
  return classesOf(refused).some((podClass) => {
    const alone = refused.filter((pod) => pod.podClass === podClass).slice(0, 1);
    const fill = (run: Run) => placePods(run) && run.unplaced.length === 0;
    const found = attemptOf(compiled, { ...request, queue: alone, number: nextNumber() }, fill, counts.late);
    return found !== undefined;
  });
}

function classesOf(queue: readonly QueuedPod[]): PodClass[] {
  return [...new Set(queue.map(({ podClass }) => podClass))];
}

/** Where the pods that a run refuses are in another order. */
function indexesIn(order: readonly QueuedPod[], { queue, unplaced }: Run): number[] {
  const refused = new Set(unplaced.map((index) => queue[index]!));
  return order.flatMap((pod, index) => (refused.has(pod) ? index : []));
}
