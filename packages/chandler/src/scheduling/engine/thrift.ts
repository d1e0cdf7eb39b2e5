/**
 * Whether a pod on a claim costs more than a claim of its own. A claim keeps all types open that fit its pods, and one more
 * pod may leave only a much larger type. A thrifty run opens a claim in that case.
 */
import { requiredAffinityGroups } from './host-rules.ts';
import { targets } from './narrowing.ts';
import { totalsOfPod } from './new-claims.ts';
import { withoutBreaking } from './new-domains.ts';
import type { Variant } from './pod-class.ts';
import type { Run } from './run.ts';
import type { State } from './states.ts';

/** @param after the state of the claim with the pod, whose sum is in `run.totals`. Overwrites `run.totals`. */
export function costsMoreThanNew(run: Run, variant: Variant, claim: number, after: State): boolean {
  const { claims } = run;
  const before = lowestPrice(run, claims.states[claim]!, claims.amounts, claim * claims.stride);
  const rise = lowestPrice(run, after, run.totals, 0) - before;
  return rise > 0 && rise > newClaimPrice(run, variant);
}

// ---------------------------------------------------------------------------------------------------------------

function newClaimPrice(run: Run, variant: Variant): number {
  if (variant.hostAffinities.length > 0 && requiredAffinityGroups(variant).length > 0) return NEVER;
  totalsOfPod(run, variant);
  for (const pool of run.compiled.pools) {
    const template = run.limits.template(pool);
    if (template === null) continue;
    for (const state of withoutBreaking(run, targets(run.compiled, variant, template))) {
      const price = lowestPrice(run, state, run.totals, 0);
      if (price < NEVER) return price;
    }
  }
  return NEVER;
}

const NEVER = Number.POSITIVE_INFINITY;

function lowestPrice({ compiled, claims }: Run, state: State, amounts: Float64Array, start: number): number {
  const { fit } = state.pool;
  const found = compiled.states
    .pricedRows(state)
    .find(({ row }) => fit.rowFits(row, amounts, start, claims.stride));
  return found?.price ?? NEVER;
}
