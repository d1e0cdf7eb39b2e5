/**
 * Whether a pod on a claim costs more than a claim of its own. A claim keeps all types open that fit its pods, and one more
 * pod may leave only a much larger type. A thrifty run opens a claim in that case.
 */
import { requiredAffinityGroups } from './host-rules.ts';
import { targets } from './narrowing.ts';
import { withoutBreaking } from './new-domains.ts';
import type { Variant } from './pod-class.ts';
import type { Run } from './run.ts';
import { priceFor } from './state-price.ts';
import type { State } from './states.ts';

/** @param after the state of the claim with the pod, whose sum is in `run.totals`. */
export function costsMoreThanNew(run: Run, variant: Variant, claim: number, after: State): boolean {
  const rise = run.prices.ifAdded(claim, after, run.totals) - run.prices.of(claim);
  return rise > 0 && rise > newClaimPrice(run, variant);
}

// ---------------------------------------------------------------------------------------------------------------

function newClaimPrice(run: Run, variant: Variant): number {
  const { compiled, limits } = run;
  if (variant.hostAffinities.length > 0 && requiredAffinityGroups(variant).length > 0) return NEVER;
  for (const pool of compiled.pools) {
    const template = limits.template(pool);
    if (template === null) continue;
    for (const state of withoutBreaking(run, targets(compiled, variant, template))) {
      const price = priceFor(compiled, variant, state);
      if (price < NEVER) return price;
    }
  }
  return NEVER;
}

const NEVER = Number.POSITIVE_INFINITY;
