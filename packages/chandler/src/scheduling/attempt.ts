/**
 * One finished attempt to plan a request: a run with its claims, refusals and price. What a run changed in the snapshot is
 * restored when it is finished, so that the next attempt begins where it did.
 */
import { claimsToKeep, type Unordered, unorderedPods } from './engine/binding-order.ts';
import type { Compiled } from './engine/compiled.ts';
import type { LateCounting } from './engine/counting.ts';
import { explain } from './engine/explain.ts';
import { keptClaims, plannedClaims } from './engine/finalise.ts';
import { placePods } from './engine/pod-placement.ts';
import type { QueuedPod } from './engine/queue.ts';
import { Run } from './engine/run.ts';
import type { Plan } from './plan.ts';
import type { InputError } from './refusal.ts';

export interface SolveRequest {
  readonly queue: readonly QueuedPod[];
  /** Indexes of the deleted nodes. */
  readonly removed: readonly number[];
  /** Whether affinity groups of the deleted nodes may start in any domain. */
  readonly startsAnywhere?: boolean;
  readonly number: number;
  readonly detailed: boolean | undefined;
  /** What is wrong with the request itself. */
  readonly errors: readonly InputError[];
}

/** A finished run. */
export interface Attempt {
  readonly run: Run;
  readonly claims: Plan['claims'];
  readonly refusals: Plan['refusals'];
  readonly price: number;
  /** Pods that kube-scheduler could not bind in any order. */
  readonly unordered: Unordered | undefined;
}

/** @param fill returns whether the run is of use. */
export function attemptOf(
  compiled: Compiled,
  request: SolveRequest,
  fill: (run: Run) => boolean,
  late?: LateCounting,
): Attempt | undefined {
  const { queue, removed, number, detailed, startsAnywhere } = request;
  const run = new Run(compiled, queue, removed, number, late, startsAnywhere);
  return undone(run, () => {
    if (!fill(run)) return undefined;
    // What a run has found out about domains is forgotten when it is undone.
    const refusals = explain(run, detailed ?? compiled.options.explain);
    const planned = plannedClaims(run);
    const unordered = unorderedPods(run, planned);
    const claims = unordered === undefined ? keptClaims(run, planned, claimsToKeep(run, planned)) : planned;
    return { run, claims, refusals, price: run.prices.total(), unordered };
  });
}

/** The pods in the order of the queue. */
export function placed(compiled: Compiled, request: SolveRequest, late?: LateCounting): Attempt {
  return attemptOf(compiled, request, placePods, late)!;
}

export function podClassesOf({ queue }: Run): number {
  return new Set(queue.map(({ podClass }) => podClass)).size;
}

// ---------------------------------------------------------------------------------------------------------------

/** What a run changed in the snapshot is restored, also after an error: a planner uses the snapshot again. */
function undone<T>(run: Run, work: () => T): T {
  try {
    return work();
  } finally {
    run.undo();
  }
}
