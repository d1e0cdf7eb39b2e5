/**
 * Narrows an open claim to one domain for a pod that is not on it. A pod with affinity to its own group may
 * not start a new group while some of its pods are on a claim whose domain is undecided. When that claim has
 * no room, one of its domains is chosen, so that the pod can be placed there as well.
 */
import { hasBit } from '../bits.ts';
import type { Requirement } from '../requirements/algebra.ts';
import { staticTargets } from './narrowing.ts';
import { totalsOfPod } from './new-claims.ts';
import { spreadBrokenBy } from './new-domains.ts';
import type { DomainRule, Variant } from './pod-class.ts';
import type { Run } from './run.ts';
import { cheapestWithRoom } from './state-price.ts';
import type { State } from './states.ts';

/** @returns whether a domain was decided, so that the pod can be tried again. */
export function decideDomainFor(run: Run, variant: Variant): boolean {
  const waiting = variant.domainRules.filter(({ group }) => group.undecided > 0);
  return waiting.some((rule) => decideClaimDomain(run, variant, rule));
}

// ---------------------------------------------------------------------------------------------------------------

function decideClaimDomain(run: Run, variant: Variant, rule: DomainRule): boolean {
  const { claims, counts } = run;
  for (let claim = 0; claim < claims.count; claim++) {
    if (!hasBit(rule.group.undecidedHosts, run.hostOfClaim(claim))) continue;
    const before = claims.states[claim]!;
    const after = withDecidedDomain(run, variant, rule, claim);
    if (after === undefined) continue;
    counts.onNarrowed(claims.classes[claim]!, run.hostOfClaim(claim), before, after.state);
    counts.onState(after.state);
    claims.narrow(claim, after.state, after.row);
    return true;
  }
  return false;
}

/** The claim in the cheapest domain where its pods still fit and a new node for the pod is possible. */
function withDecidedDomain(
  run: Run,
  variant: Variant,
  { group, podDomains }: DomainRule,
  claim: number,
): { state: State; row: number } | undefined {
  const { claims } = run;
  const { algebra, states } = run.compiled;
  const { pool } = claims.states[claim]!;
  if (pool.hasMinValues || pool.catalogue.hasReservations) return undefined;
  const { key } = group.spec;
  let best: { state: State; row: number; price: number } | undefined;
  for (const value of algebra.valuesByName(key, group.known)) {
    if (podDomains !== undefined && !algebra.has(podDomains, value)) continue;
    const domain = algebra.exactly(key, value);
    const state = states.meetOne(claims.states[claim]!, domain);
    if (state === null || spreadBrokenBy(run, state) !== undefined) continue;
    const row = pool.fit.roomiest(state.rows, claims.amounts, claim * claims.stride, claims.stride);
    if (row < 0 || !canFollow(run, variant, domain)) continue;
    const price = cheapestWithRoom(run.compiled, state, claims.amounts, claim * claims.stride);
    if (best === undefined || price < best.price) best = { state, row, price };
  }
  return best;
}

function canFollow(run: Run, variant: Variant, domain: Requirement): boolean {
  totalsOfPod(run, variant);
  return run.compiled.pools.some((pool) => {
    const template = run.limits.template(pool);
    if (template === null) return false;
    return staticTargets(run.compiled, variant, template).some((target) => {
      const state = run.compiled.states.meetOne(target, domain);
      return state !== null && pool.fit.roomiest(state.rows, run.totals, 0, run.claims.stride) >= 0;
    });
  });
}
