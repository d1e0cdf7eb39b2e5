/**
 * Why the claims of this plan refused a pod, counted by reason. Claims in one state share the reasons of the
 * state; they differ in free resources and in the pods on them.
 */
import { takenPort } from '../host-ports.ts';
import type { CountedRefusal, Refusal } from '../refusal.ts';
import { requirementText } from '../requirements/text.ts';
import { untoleratedTaint } from '../taints.ts';
import { claimTargets, crowdedRule, openAffinityGroups, uncountedOn } from './claim-targets.ts';
import { meetRefusal, topologyOf } from './explain-pool.ts';
import { topologyRefusal } from './explain-topology.ts';
import { brokenHostRule, requiredAffinityGroups } from './host-rules.ts';
import { staticTargets, targets } from './narrowing.ts';
import { withoutBreaking } from './new-domains.ts';
import type { Variant } from './pod-class.ts';
import type { Run } from './run.ts';
import type { State } from './states.ts';
import { Tally } from './tally.ts';

export function claimRefusals(run: Run, variant: Variant): CountedRefusal[] {
  const tally = new Tally();
  const byState = new Map<State, Refusal | undefined>();
  for (let claim = 0; claim < run.claims.count; claim++) {
    const state = run.claims.states[claim]!;
    const beside = besideRefusal(run, variant, claim);
    if (beside !== undefined) {
      tally.add(`beside ${keyOf(beside)}`, claimName(run, claim), () => beside);
      continue;
    }
    if (!byState.has(state)) byState.set(state, stateRefusal(run, variant, state));
    const shared = joinsAffinityGroup(run, variant, claim) ? undefined : byState.get(state);
    const refusal = shared ?? claimRefusal(run, variant, claim, state);
    const key = shared === undefined ? `${refusal.code}/${keyOf(refusal)}` : JSON.stringify(shared);
    tally.add(key, claimName(run, claim), () => refusal);
  }
  return tally.result();
}

// ---------------------------------------------------------------------------------------------------------------

const NO_TOTALS = new Float64Array(0);

function keyOf(refusal: Refusal): string {
  if (refusal.code === 'ResourceInsufficient') return refusal.resource;
  return refusal.code === 'TopologyUnsatisfiable' ? `${refusal.kind}/${refusal.key}/${refusal.selector}` : '';
}

function claimName(run: Run, claim: number): string {
  return `${run.claims.states[claim]!.pool.name}-${claim + 1}`;
}

/** The uncounted pods on the claim, which will be in the same domain, leave no domain for this pod. */
function besideRefusal(run: Run, variant: Variant, claim: number): Refusal | undefined {
  const uncounted = uncountedOn(run, variant, claim);
  const state = run.claims.states[claim]!;
  if (uncounted === undefined || targets(run.compiled, variant, state).length === 0) return undefined;
  if (claimTargets(run, variant, claim).length > 0) return undefined;
  const rule = variant.domainRules.find(({ group }) => uncounted.has(group))!;
  return topologyRefusal(run, rule.group, rule.podDomains, state.requirements[rule.group.spec.key]);
}

/** The claim has pods that satisfy an affinity that its state alone does not. */
function joinsAffinityGroup(run: Run, variant: Variant, claim: number): boolean {
  return openAffinityGroups(variant).length > 0 && claimTargets(run, variant, claim).length > 0;
}

function stateRefusal(run: Run, variant: Variant, state: State): Refusal | undefined {
  const taint = untoleratedTaint(state.pool.taints, variant.tolerations.list);
  if (taint !== undefined) return { code: 'TaintNotTolerated', taint };
  if (withoutBreaking(run, targets(run.compiled, variant, state)).length > 0) return undefined;
  return (
    meetRefusal(run, variant, state) ?? topologyOf(run, variant, state) ?? typesRefusal(run, variant, state)
  );
}

/** Each label requirement can be met, but no type meets all of them. */
function typesRefusal(run: Run, variant: Variant, state: State): Refusal {
  const { algebra } = run.compiled;
  const { items } = variant.all;
  if (staticTargets(run.compiled, variant, state).length > 0 && items.length === 0)
    return { code: 'NoOffering' };
  return { code: 'NoTypeMeetsAll', requirements: items.map((item) => requirementText(algebra, item)).sort() };
}

function claimRefusal(run: Run, variant: Variant, claim: number, state: State): Refusal {
  const host = run.hostOfClaim(claim);
  const group =
    brokenHostRule(variant.host, host)?.group ??
    crowdedRule(run, variant, claim)?.group ??
    requiredAffinityGroups(variant).find((candidate) => candidate.hostCount(host) === 0);
  if (group !== undefined) return topologyRefusal(run, group, undefined, undefined);
  const port = takenPort(variant.ports, run.claims.extras[claim]?.ports ?? []);
  if (port !== undefined) return { code: 'HostPortTaken', ...port };
  return roomRefusal(run, variant, claim, state);
}

/** No type of the claim has room for the pod: reports the type that lacks least. */
function roomRefusal(run: Run, variant: Variant, claim: number, state: State): Refusal {
  const { resources } = run.compiled;
  run.claims.totalsWith(claim, variant.podClass.requests, run.totals);
  const free = state.pool.fit.free[state.pool.fit.roomiest(state.rows, NO_TOTALS, 0, 0)] ?? [];
  const [slot] = Array.from(run.totals.keys())
    .filter((index) => run.totals[index]! > 0 && run.totals[index]! > (free[index] ?? 0))
    .sort((first, second) => resources.compareSlots(first, second));
  if (slot === undefined) return { code: 'NoTypeMeetsAll', requirements: [] };
  const available = free[slot] ?? 0;
  return {
    code: 'ResourceInsufficient',
    resource: resources.name(slot),
    requested: resources.text(slot, run.totals[slot]!),
    available: resources.text(slot, available),
    missing: resources.text(slot, run.totals[slot]! - available),
  };
}
