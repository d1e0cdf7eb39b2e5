/** One cluster on both sides: plans it, checks every plan by where its pods finally run, and says how they compare. */
import {
  type Plan,
  podRefusalText,
  type SchedulingInput,
  solve,
} from '../../packages/chandler/src/scheduling/index.ts';
import {
  checkPlan,
  finalNodes,
  IN_ANOTHER_OUTCOME,
  otherOutcomes,
  violationLines,
} from '../scheduling/check-plan.ts';
import { checkTopology } from '../scheduling/check-topology.ts';
import { replay, replayInQueueOrder } from '../scheduling/replay.ts';
import type { Reason } from './classes.table.ts';
import { bestOf, classify, type Finding, type Outcome, type Trial, typicalOf } from './classify.ts';
import { domainNodes } from './domain-nodes.ts';
import { missedPreferences } from './preferences.ts';
import { readUpstreamPlan } from './read-plan.ts';
import type { UpstreamClaim, UpstreamPlan } from './upstream.ts';

/** Reasons that are read from our plan alone. */
const OF_OUR_PLAN: readonly Reason[] = ['limits used up', 'next to another pod', 'unexplained'];

/** What is kept of a cluster. */
export interface Verdict extends Finding {
  readonly seed: number;
  readonly ours: Outcome;
  /** The plan that ours was compared with. */
  readonly upstream: Outcome;
  /** Of how many plans of upstream that is the median. Default: it is the best of a few. */
  readonly medianOf?: number;
}

export function judge(seed: number, input: SchedulingInput, upstream: readonly UpstreamPlan[]): Verdict {
  const plan = solve(input);
  const ours = outcomeOf(input, plan);
  const theirs = distinct(upstream);
  const outcomes = theirs.map((each) => outcomeOf(input, readUpstreamPlan(input, each)));
  const best = bestOf(outcomes);
  const reference = theirs[outcomes.indexOf(best)]!;
  const refusedThere = new Set(reference.refusals.map(({ pod }) => pod));
  const refused = new Set(plan.refusals.flatMap(({ pods }) => pods));
  const trial: Trial = {
    ours,
    upstream: outcomes,
    firstPrice: firstPrice(input, ours, best),
    refusedByUpstream: reference.refusals.filter(({ pod }) => !refused.has(pod)).map(({ reason }) => reason),
    refusedByUs: plan.refusals
      .filter(({ pods }) => pods.some((pod) => !refusedThere.has(pod)))
      .map((refusal) => podRefusalText(refusal)),
  };
  const finding = classify(trial);
  if (!mayBeLuck(finding)) return { seed, ...finding, ours, upstream: best };
  const drawn = outcomes.map((outcome, at) =>
    withAllDomains(
      input,
      theirs[at]!,
      withOtherOfferings(input, theirs[at]!, withOtherLabels(input, theirs[at]!, outcome)),
    ),
  );
  const compared = outcomes[drawn.indexOf(bestOf(drawn))]!;
  return { seed, ...classify({ ...trial, upstream: drawn }), ours, upstream: compared };
}

/** Against the plan that upstream typically makes. @param upstream many plans of the same cluster. */
export function judgeTypical(
  seed: number,
  input: SchedulingInput,
  upstream: readonly UpstreamPlan[],
): Verdict {
  const outcomes = upstream.map((each) => outcomeOf(input, readUpstreamPlan(input, each)));
  const typical = upstream[outcomes.indexOf(typicalOf(outcomes))]!;
  return { ...judge(seed, input, [typical]), medianOf: upstream.length };
}

/**
 * Upstream draws the value of a custom label at random where a claim allows several. The best of its plans may owe that to
 * luck: what breaks with other values is added.
 */
export function withOtherLabels(input: SchedulingInput, upstream: UpstreamPlan, outcome: Outcome): Outcome {
  const found = upstream.claims.flatMap((claim, at) =>
    otherLabels(claim).flatMap((labels) => {
      const claims = upstream.claims.with(at, { ...claim, labels });
      const plan = readUpstreamPlan(input, { ...upstream, claims });
      const lines = violationLines(checkPlan(input, plan));
      return lines.length > 0 ? lines : stuckPods(input, plan);
    }),
  );
  return { ...outcome, mayBreak: [...new Set([...outcome.mayBreak, ...found])] };
}

/** Whether kube-scheduler can bind all pods when the cloud does not choose the cheapest offering of a claim. */
export function withOtherOfferings(
  input: SchedulingInput,
  upstream: UpstreamPlan,
  outcome: Outcome,
): Outcome {
  const plan = readUpstreamPlan(input, upstream);
  const stuck = [...otherOutcomes(input, plan, finalNodes(input, plan))].flatMap((nodes) =>
    replay(input, nodes),
  );
  const found = stuck.map((line) => `kube-scheduler: ${line} ${IN_ANOTHER_OUTCOME}`);
  return { ...outcome, mayBreak: [...new Set([...outcome.mayBreak, ...found])] };
}

/** A spread may hold only because a domain that both planners count has no node in the end. */
export function withAllDomains(input: SchedulingInput, upstream: UpstreamPlan, outcome: Outcome): Outcome {
  const nodes = [...finalNodes(input, readUpstreamPlan(input, upstream)), ...domainNodes(input)];
  const uneven = checkTopology(input, nodes).filter(({ rule }) => rule === 'spread');
  return { ...outcome, unevenOverAll: uneven.length > 0 ? violationLines(uneven) : replay(input, nodes) };
}

export function outcomeOf(input: SchedulingInput, plan: Plan): Outcome {
  const errors = plan.inputErrors.map((error) => `input: ${JSON.stringify(error)}`);
  const lines = violationLines(checkPlan(input, plan));
  const mayBreak = lines.filter((line) => line.endsWith(IN_ANOTHER_OUTCOME));
  const broken = [...errors, ...lines.filter((line) => !line.endsWith(IN_ANOTHER_OUTCOME))];
  // The order in which kube-scheduler could bind the pods is searched only when nothing else is wrong.
  if (lines.length === 0) broken.push(...stuckPods(input, plan));
  return {
    placed: plan.counts.placed,
    price: plan.pricePerHour,
    broken,
    mayBreak,
    stuckInOrder: replayInQueueOrder(input, finalNodes(input, plan)),
    preferencesMissed: missedPreferences(input, plan),
  };
}

// ---------------------------------------------------------------------------------------------------

/** Nothing is known about upstream's plans that would explain the difference: they are looked at more closely. */
function mayBeLuck({ class: found, reason }: Finding): boolean {
  return (found === 'fewer placed' || found === 'more expensive') && OF_OUR_PLAN.includes(reason);
}

/** The labels of a claim with another of the values that it allows. */
function otherLabels({ labels, requirements }: UpstreamClaim): UpstreamClaim['labels'][] {
  return requirements.flatMap(({ key, operator, values = [] }) => {
    const own = labels[key];
    if (operator !== 'In' || own === undefined) return [];
    return values.filter((value) => value !== own).map((value) => ({ ...labels, [key]: value }));
  });
}

function stuckPods(input: SchedulingInput, plan: Plan): string[] {
  return replay(input, finalNodes(input, plan)).map((line) => `kube-scheduler: ${line}`);
}

/** Only asked for where it decides: it takes a plan of its own. */
function firstPrice(input: SchedulingInput, ours: Outcome, best: Outcome): number {
  if (ours.placed !== best.placed || ours.price >= best.price) return ours.price;
  return solve({ ...input, options: { ...input.options, improveEffort: 0 } }).pricePerHour;
}

/** Most runs of upstream give the same plan; claims are in no particular order. */
function distinct(plans: readonly UpstreamPlan[]): UpstreamPlan[] {
  const seen = new Map(plans.map((plan) => [JSON.stringify(plan), plan]));
  return [...seen.values()];
}
