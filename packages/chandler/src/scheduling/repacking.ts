/**
 * Improves the price of a plan by filling its claims in other ways (`engine/pack.ts`), within a budget of work that depends on
 * the plan and on what it could save, not on a clock: the same input gives the same plan.
 */
import { type Attempt, attemptOf, podClassesOf, type SolveRequest } from './attempt.ts';
import { isCheaper } from './engine/claim-prices.ts';
import type { Compiled } from './engine/compiled.ts';
import { distinctShares, prospectOf } from './engine/pack.ts';
import { repackPods } from './engine/pod-placement.ts';
import type { Run } from './engine/run.ts';

/** The same attempt when there is nothing to gain. */
export function repacked(compiled: Compiled, request: SolveRequest, first: Attempt): Attempt {
  return worthImproving(compiled, first) ? improved(compiled, request, first) : first;
}

// ---------------------------------------------------------------------------------------------------------------

/**
 * Fills the claims in other ways and keeps the cheapest result. It does not start when that takes more work than it could
 * save, and stops when an attempt gains nothing on the first plan or the next one would exceed the budget.
 */
function improved(compiled: Compiled, request: SolveRequest, first: Attempt): Attempt {
  const { improveEffort } = compiled.options;
  const { placements } = first.run;
  const { saving, looks } = prospectOf(first.run, placements, first.price);
  const worth = first.run.queue.length * saving * MAX_LOOKS_PER_POD * improveEffort;
  if (saving < MIN_SAVING || looks > worth) return first;
  const budget = { left: looks * MAX_OVERRUN };
  const allowed = looks * ATTEMPTS_PER_EFFORT * improveEffort;
  const shares = HEAVY_SHARES.slice(0, 1 + 2 * improveEffort);
  let best = first;
  for (const heavyShare of distinctShares(first.run, placements, shares)) {
    const before = budget.left;
    const fill = (run: Run) => {
      run.attempts = first.run.attempts;
      return repackPods(run, first.run, heavyShare, budget) && isCheaper(run.prices.total(), best.price);
    };
    const found = attemptOf(compiled, request, fill, first.run.counts.late);
    best = found ?? best;
    const spent = looks * MAX_OVERRUN - budget.left;
    if (best === first || spent + (before - budget.left) > allowed) break;
  }
  return best;
}

/** Shares of the memory that go to memory-optimised types; the best share depends on the offered types. */
const HEAVY_SHARES = [0.3, 0, 0.15, 0.26, 0.22, 0.4];

/** Improving a large plan with many kinds of pods takes too long. */
function worthImproving({ options, pools }: Compiled, { run }: Attempt): boolean {
  if (options.improveEffort <= 0 || run.claims.count === 0) return false;
  // A pod alone on a claim has its cheapest type already.
  if (run.claims.pods.every((pods) => pods.length === 1) && run.claims.count === 1) return false;
  if (pools.some((pool) => pool.hasMinValues || pool.catalogue.hasReservations)) return false;
  const placed = run.queue.length - run.unplaced.length;
  return placed * podClassesOf(run) <= options.improveEffort * SIZE_PER_EFFORT;
}

/** Pods times kinds of pods. */
const SIZE_PER_EFFORT = 1_000_000;
/** A share of the price. */
const MIN_SAVING = 0.005;
/** Evaluations of a pod for a node, for the whole price; about 20 ns each. */
const MAX_LOOKS_PER_POD = 20_000;
/** Of the estimated work. */
const ATTEMPTS_PER_EFFORT = 1.3;
/** An attempt that takes so many times the estimate is given up. */
const MAX_OVERRUN = 5;
