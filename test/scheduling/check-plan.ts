/**
 * Is a plan valid? An independent and slow checker: it determines where every pod finally runs and reports
 * each violated rule. It does not check whether the plan is good, nor whether a refused pod could have been
 * placed.
 */
import type { Plan, PlannedClaim, SchedulingInput } from '../../packages/chandler/src/scheduling/index.ts';
import { podKey } from './builders.ts';
import { checkCapacity } from './check-capacity.ts';
import { checkClaims } from './check-claims.ts';
import { checkNodeFit } from './check-node-fit.ts';
import { checkTopology } from './check-topology.ts';
import { checkVolumes } from './check-volumes.ts';
import {
  type Choice,
  choicesOf,
  claimFinalNode,
  existingFinalNodes,
  type FinalNode,
  namedChoice,
} from './final-nodes.ts';
import type { Violation } from './violation.ts';

/** The end of the detail when the rule is broken only if the cloud does not choose the cheapest offering. */
export const IN_ANOTHER_OUTCOME = '(should the cloud choose otherwise)';

/** Empty when the plan is valid. */
export function checkPlan(input: SchedulingInput, plan: Plan): Violation[] {
  const violations = [...checkAccounting(input, plan), ...checkClaims(input, plan)];
  const nodes = finalNodes(input, plan);
  violations.push(...checkNodes(input, nodes));
  for (const moved of otherOutcomes(input, plan, nodes)) {
    violations.push(...checkNodes(input, moved).map(inAnotherOutcome));
  }
  return violations;
}

/** One line for each, to read in the output of a failing test. */
export function violationLines(violations: readonly Violation[]): string[] {
  return [...new Set(violations.map(({ rule, subject, detail }) => `${rule}: ${subject}: ${detail}`))];
}

/** All nodes with all pods, each claim with its cheapest offering. */
export function finalNodes(input: SchedulingInput, plan: Plan): FinalNode[] {
  const launched = plan.claims.flatMap((claim) => {
    const choice = namedChoice(input, claim) ?? choicesOf(input, claim)[0];
    return choice ? [claimFinalNode(input, claim, choice)] : [];
  });
  return [...existingFinalNodes(input, plan), ...launched];
}

// ---------------------------------------------------------------------------------------------------

function checkNodes(input: SchedulingInput, nodes: readonly FinalNode[]): Violation[] {
  return [
    ...checkNodeFit(nodes),
    ...checkCapacity(input, nodes),
    ...checkTopology(input, nodes),
    ...checkVolumes(input, nodes),
  ];
}

function inAnotherOutcome(violation: Violation): Violation {
  return { ...violation, detail: `${violation.detail} ${IN_ANOTHER_OUTCOME}` };
}

/** The cloud may choose another type or zone than the cheapest: one claim after another, one choice of each kind. */
export function* otherOutcomes(
  input: SchedulingInput,
  plan: Plan,
  nodes: readonly FinalNode[],
): Generator<FinalNode[]> {
  for (const claim of plan.claims) {
    for (const choice of distinctChoices(input, claim).filter(isRegular)) {
      yield nodes.map((node) => (node.claim === claim ? claimFinalNode(input, claim, choice) : node));
    }
  }
}

/** One offering of a type may be smaller than the others; that one of them is large enough, the rule of the claim checks. */
function isRegular({ offering }: Choice): boolean {
  return offering.capacityOverride === undefined && offering.overheadOverride === undefined;
}

/** Choices that differ in a label other than the type's own name. */
function distinctChoices(input: SchedulingInput, claim: PlannedClaim): Choice[] {
  const seen = new Set<string>();
  return choicesOf(input, claim).filter(({ type, offering }) => {
    const labels = [
      ...type.requirements.filter((r) => r.values?.[0] !== type.name),
      ...offering.requirements,
    ];
    const text = JSON.stringify(labels);
    if (seen.has(text)) return false;
    seen.add(text);
    return true;
  });
}

function checkAccounting(input: SchedulingInput, plan: Plan): Violation[] {
  const times = new Map(input.pods.map((pod) => [podKey(pod), 0]));
  const violations: Violation[] = [];
  const say = (subject: string, detail: string) =>
    violations.push({ rule: 'every pod once', subject, detail });
  const placed = [...plan.claims, ...plan.placements].flatMap(({ pods }) => pods);
  const refused = plan.refusals.flatMap(({ pods }) => pods);
  for (const key of [...placed, ...refused]) {
    const before = times.get(key);
    if (before === undefined) say(key, 'was not asked for');
    else times.set(key, before + 1);
  }
  for (const [key, count] of times) if (count !== 1) say(key, `appears ${count} times`);
  for (const { node } of plan.placements) {
    if (!(input.nodes ?? []).some((known) => known.name === node)) say(node, 'is no node of the input');
  }
  const onExisting = plan.placements.reduce((sum, { pods }) => sum + pods.length, 0);
  const expected = { pods: input.pods.length, placed: placed.length, placedOnExisting: onExisting };
  const actual = {
    pods: plan.counts.pods,
    placed: plan.counts.placed,
    placedOnExisting: plan.counts.placedOnExisting,
  };
  if (JSON.stringify(actual) !== JSON.stringify(expected)) {
    say('counts', `${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`);
  }
  if (plan.counts.refused !== refused.length || plan.counts.claims !== plan.claims.length) {
    say(
      'counts',
      `refused ${plan.counts.refused} of ${refused.length}, claims ${plan.counts.claims} of ${plan.claims.length}`,
    );
  }
  for (const claim of plan.claims) if (claim.pods.length === 0) say(claim.id, 'has no pods');
  return violations;
}
