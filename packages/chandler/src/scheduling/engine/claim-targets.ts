/**
 * The states that an open claim can move to when a pod is added. They are those of its state, adjusted for
 * pods that are already on the claim: these pods will be in the same domain, so a spread must allow them
 * there, and an affinity to them is satisfied.
 */
import type { TopologyGroup } from '../topology/group.ts';
import { hostAllows } from './host-rules.ts';
import { targets, targetsBeside, type Uncounted } from './narrowing.ts';
import type { PodClass, Variant } from './pod-class.ts';
import type { Run } from './run.ts';
import type { HostRule } from './signatures.ts';
import type { State } from './states.ts';

export function claimTargets(run: Run, variant: Variant, claim: number): readonly State[] {
  const state = run.claims.states[claim]!;
  const uncounted = uncountedOn(run, variant, claim);
  return uncounted === undefined
    ? targets(run.compiled, variant, state)
    : targetsBeside(run.compiled, variant, state, uncounted);
}

/** Undefined when the groups of the pod count every pod on the claim, or select none of them. */
export function uncountedOn(run: Run, variant: Variant, claim: number): Uncounted | undefined {
  let found: Map<TopologyGroup, number> | undefined;
  for (const { group } of variant.domainRules) {
    if (!waitsForDomains(group)) continue;
    if (run.counts.domainOf(group, run.claims.states[claim]!) >= 0) continue;
    const count = lateOn(run, group, claim);
    if (count === 0) continue;
    found ??= new Map();
    found.set(group, count);
  }
  return found;
}

/** Affinity groups with pods on claims whose domain is undecided: claims in the same state can then differ. */
export function openAffinityGroups({ domainRules }: Variant): TopologyGroup[] {
  return domainRules.filter(({ group }) => group.undecided > 0).map(({ group }) => group);
}

/** The host spread that the pod would violate once the claim takes part in it. */
export function crowdedRule(run: Run, variant: Variant, claim: number): HostRule | undefined {
  const state = run.claims.states[claim]!;
  const { groups } = run.compiled;
  return variant.host.rules.find(
    (rule) =>
      rule.group.spec.kind === 'spread' &&
      !groups.countsState(rule.group, state) &&
      !hostAllows(rule, run.hostOfClaim(claim), selectedOn(run, rule.group, claim)),
  );
}

// ---------------------------------------------------------------------------------------------------------------

function waitsForDomains({ spec }: TopologyGroup): boolean {
  return spec.kind === 'spread' || spec.kind === 'affinity';
}

function lateOn(run: Run, group: TopologyGroup, claim: number): number {
  if (group.spec.kind !== 'spread') return selectedOn(run, group, claim);
  const { classes, states } = run.claims;
  const isLate = (podClass: PodClass) =>
    group.selects(podClass.labels) &&
    !podClass.decidesDomains &&
    run.counts.countsLate(podClass) &&
    run.counts.possibleDomainOf(podClass, group, states[claim]!) < 0;
  return classes[claim]!.filter(isLate).length;
}

function selectedOn(run: Run, group: TopologyGroup, claim: number): number {
  let count = 0;
  for (const { labels } of run.claims.classes[claim]!) if (group.selects(labels)) count++;
  return count;
}
