/**
 * Places pods that a spread has refused because of domains without nodes that the pods themselves exclude, but the spread
 * counts (nodeAffinityPolicy Ignore). While pods are placed, a node for other pods may still come to such a domain, so it
 * holds the minimum at zero. Once all others are placed, the claims can be kept out of it: then there will be no node, and
 * kube-scheduler does not count the domain.
 */
import { members } from '../bits.ts';
import type { Requirement, RequirementSet } from '../requirements/algebra.ts';
import type { TopologyGroup } from '../topology/group.ts';
import { claimTargets } from './claim-targets.ts';
import type { Compiled } from './compiled.ts';
import { minValuesUnmet } from './min-values.ts';
import { targets } from './narrowing.ts';
import { totalsOfPod } from './new-claims.ts';
import { isNewDomain } from './new-domains.ts';
import type { PodClass, Variant } from './pod-class.ts';
import type { Run } from './run.ts';
import type { State } from './states.ts';
import { filterTermsOf } from './variant.ts';

/**
 * @param place tries to place a pod; returns whether it was placed.
 * @returns the pods that are still not placed.
 */
export function placeWithoutEmptyDomains(
  run: Run,
  pending: readonly number[],
  place: (index: number) => boolean,
): readonly number[] {
  const closed: ClosedDomain[] = [];
  const refused = new Set<PodClass>();
  return pending.filter((index) => {
    const { podClass } = run.queue[index]!;
    if (refused.has(podClass)) return true;
    const variant = lastVariant(run, podClass);
    if (variant !== undefined) {
      closed.push(...closeEmpty(run, variant));
      if (closed.length > 0 && staysOut(variant, closed) && place(index)) return false;
    }
    refused.add(podClass);
    return true;
  });
}

// ---------------------------------------------------------------------------------------------------------------

/** No node that takes part in the group may come to the domain. */
interface ClosedDomain {
  readonly group: TopologyGroup;
  readonly value: number;
}

function lastVariant({ compiled }: Run, podClass: PodClass): Variant | undefined {
  if (podClass.problem !== null || podClass.spec.spreads.length === 0) return undefined;
  return compiled.classes.variant(podClass, podClass.relaxations.length - 1);
}

function ownSpreads({ domainRules }: Variant): TopologyGroup[] {
  return domainRules
    .filter(({ group, onlyDecides }) => group.spec.kind === 'spread' && !onlyDecides)
    .map(({ group }) => group);
}

/** A new node for the pod is in none of them: its own spread over the label does not know the domain. */
function staysOut(variant: Variant, closed: readonly ClosedDomain[]): boolean {
  const spreads = ownSpreads(variant);
  return closed.every(({ group: { spec }, value }) =>
    spreads.some((own) => own.spec.key === spec.key && !members(own.known).includes(value)),
  );
}

/** Closes the domains that have no node and no pod, where all claims can be kept out of them and the pod then has a place. */
function closeEmpty(run: Run, variant: Variant): ClosedDomain[] {
  const closed: ClosedDomain[] = [];
  const moves = new Map<number, Narrowed>();
  for (const group of ownSpreads(variant)) {
    const empty = members(group.known).filter(
      (value) =>
        group.nodeCount(value) === 0 &&
        group.count(value) === 0 &&
        isExcluded(run, variant, group.spec.key, value),
    );
    for (const value of empty) if (keepClaimsOut(run, group, value, moves)) closed.push({ group, value });
  }
  for (const { group, value } of closed) group.forgetDomain(value);
  const helps = closed.length > 0 && hasPlace(run, variant);
  for (const { group, value } of closed) group.learnDomain(value);
  if (!helps) return [];
  for (const move of moves.values()) narrow(run, move);
  for (const { group, value } of closed) run.counts.withoutDomain(group, value);
  return closed;
}

/** Whether the node affinity of the pod allows no node with this label. */
function isExcluded(
  { compiled: { algebra } }: Run,
  { podClass }: Variant,
  key: number,
  value: number,
): boolean {
  const terms = filterTermsOf(algebra, podClass.spec);
  const excludes = ({ items }: RequirementSet) =>
    items.some((item) => item.key === key && !algebra.has(item, value));
  return terms.length > 0 && terms.every(excludes);
}

/** On a new node, or on a claim; whether the claim is narrowed does not matter. */
function hasPlace(run: Run, variant: Variant): boolean {
  const { claims, compiled, limits } = run;
  const hasRoom = ({ pool, rows }: State) => pool.fit.roomiest(rows, run.totals, 0, claims.stride) >= 0;
  totalsOfPod(run, variant);
  const isNew = compiled.pools.some((pool) => {
    const template = limits.template(pool);
    return template !== null && targets(compiled, variant, template).some(hasRoom);
  });
  if (isNew) return true;
  return claims.states.some((_, claim) => {
    claims.totalsWith(claim, variant.podClass.requests, run.totals);
    return claimTargets(run, variant, claim).some(hasRoom);
  });
}

/** A claim in a narrower state. */
interface Narrowed {
  readonly claim: number;
  readonly state: State;
  readonly row: number;
}

/**
 * @param moves states of claims that are narrowed already; more are added.
 * @returns false when a claim is or must be in the domain.
 */
function keepClaimsOut(run: Run, group: TopologyGroup, value: number, moves: Map<number, Narrowed>): boolean {
  const found: Narrowed[] = [];
  for (let claim = 0; claim < run.claims.count; claim++) {
    const state = moves.get(claim)?.state ?? run.claims.states[claim]!;
    if (isOutside(run.compiled, group, value, state)) continue;
    const narrowed = statesOutside(run, group, value, state)
      // It would be the next domain without pods.
      .filter((one) => !isNewDomain(run, group, one))
      .flatMap((one) => fitting(run, claim, one) ?? []);
    if (narrowed.length === 0) return false;
    found.push(narrowed[0]!);
  }
  for (const narrowed of found) moves.set(narrowed.claim, narrowed);
  return true;
}

/** Whether a node in this state cannot be in the domain, or takes no part in the group there. */
function isOutside(compiled: Compiled, group: TopologyGroup, value: number, state: State): boolean {
  const inside = insideOf(compiled, group, value, state);
  return inside === null || compiled.groups.parts.ofState(group, inside) === 'out';
}

function insideOf(
  { algebra, states }: Compiled,
  { spec }: TopologyGroup,
  value: number,
  state: State,
): State | null {
  return states.meetOne(state, algebra.exactly(spec.key, value));
}

/** Narrower states, in other domains or such that a node in this one takes no part. */
function statesOutside({ compiled }: Run, group: TopologyGroup, value: number, state: State): State[] {
  const { algebra, states } = compiled;
  const { key, filter } = group.spec;
  const name = algebra.labels.keyName(key);
  const elsewhere = algebra.parse(name, 'NotIn', [algebra.labels.valueName(key, value)]) as Requirement;
  const inside = insideOf(compiled, group, value, state)!;
  const met = filter!.terms.filter((term) => states.meet(inside, term) !== null);
  let aside = met.length === 0 ? [] : [state];
  for (const { items } of met) {
    const opposites = items.flatMap((item) => (item.key === key ? [] : algebra.opposites(item)));
    aside = aside
      .flatMap((way) => opposites.flatMap((opposite) => states.meetOne(way, opposite) ?? []))
      .slice(0, MAX_WAYS);
  }
  const narrower = [states.meetOne(state, elsewhere), ...aside].filter((one) => one !== null);
  return narrower.filter((one) => isOutside(compiled, group, value, one));
}

/** A term with many requirements can be missed in many ways; further ways are ignored. */
const MAX_WAYS = 16;

function fitting(run: Run, claim: number, state: State): Narrowed | undefined {
  const { claims, compiled } = run;
  if (state.pool.catalogue.hasReservations) return undefined;
  const { fit } = state.pool;
  const start = claim * claims.stride;
  const row = fit.roomiest(state.rows, claims.amounts, start, claims.stride);
  if (row < 0) return undefined;
  const rows = fit.fitting(state.rows, claims.amounts, start, claims.stride);
  const unmet = minValuesUnmet(compiled.algebra, state, rows, compiled.options.maxInstanceTypes);
  return unmet.length > 0 ? undefined : { claim, state, row };
}

function narrow(run: Run, { claim, state, row }: Narrowed): void {
  const { claims, counts } = run;
  counts.onNarrowed(claims.classes[claim]!, run.hostOfClaim(claim), claims.states[claim]!, state);
  claims.narrow(claim, state, row);
}
