/**
 * Upstream's plan in the form of ours, so that one checker judges both. Prices and sums are computed here for both sides
 * in the same way.
 */
import type { Plan, PlannedClaim, SchedulingInput } from '../../packages/chandler/src/scheduling/index.ts';
import { daemonsOn, fitsWith } from '../scheduling/check-capacity.ts';
import { type Choice, choicesOf, claimFinalNode, labelIn, poolOf } from '../scheduling/final-nodes.ts';
import { sumOf } from '../scheduling/hand-made-plan.ts';
import { CAPACITY_TYPE, ZONE } from '../scheduling/shorthand.ts';
import type { UpstreamClaim, UpstreamPlan } from './upstream.ts';

export function readUpstreamPlan(input: SchedulingInput, plan: UpstreamPlan): Plan {
  const claims = plan.claims.map((claim, at) => planClaim(input, claim, at));
  const count = (parts: readonly { readonly pods: readonly string[] }[]) =>
    parts.reduce((sum, { pods }) => sum + pods.length, 0);
  return {
    claims,
    placements: plan.placements,
    refusals: plan.refusals.map(({ pod }) => ({
      pods: [pod],
      problem: { code: 'NoPools' },
      pools: [],
      nodes: [],
      claims: [],
    })),
    inputErrors: [],
    pricePerHour: claims.reduce((sum, { cheapest }) => sum + cheapest.price, 0),
    counts: {
      pods: input.pods.length,
      placed: count(plan.claims) + count(plan.placements),
      placedOnExisting: count(plan.placements),
      refused: plan.refusals.length,
      claims: claims.length,
      podClasses: 1,
      attempts: 1,
    },
  };
}

export function planClaim(input: SchedulingInput, given: UpstreamClaim, at: number): PlannedClaim {
  const template = poolOf(input, given.nodePool)?.nodePool.spec.template;
  const claim: PlannedClaim = {
    id: `${given.nodePool}-${at + 1}`,
    nodePool: given.nodePool,
    labels: given.labels,
    annotations: {},
    taints: template?.spec.taints ?? [],
    startupTaints: template?.spec.startupTaints ?? [],
    requirements: [...given.requirements].sort((left, right) => (left.key < right.key ? -1 : 1)),
    requests: sumOf(input, given.pods),
    daemonRequests: {},
    instanceTypes: given.instanceTypes,
    instanceTypeCount: given.instanceTypes.length,
    cheapest: { instanceType: given.instanceTypes[0] ?? '', price: 0, zone: null, capacityType: null },
    pods: given.pods,
    reservations: [],
    minValuesRelaxed: given.minValuesRelaxed,
  };
  return { ...claim, cheapest: cheapestOf(input, claim) };
}

// ---------------------------------------------------------------------------------------------------

/** The cheapest offering in which the pods and the daemons fit. */
function cheapestOf(input: SchedulingInput, claim: PlannedClaim): PlannedClaim['cheapest'] {
  const choices = choicesOf(input, claim);
  const fitting = choices.filter((choice) => {
    const node = claimFinalNode(input, claim, choice);
    return fitsWith(node, daemonsOn(input, node)) === undefined;
  });
  const best = cheapest(fitting) ?? cheapest(choices);
  if (!best) return claim.cheapest;
  const { requirements, price } = best.offering;
  return {
    instanceType: best.type.name,
    price,
    zone: labelIn(requirements, ZONE) ?? null,
    capacityType: labelIn(requirements, CAPACITY_TYPE) ?? null,
  };
}

function cheapest(choices: readonly Choice[]): Choice | undefined {
  return [...choices].sort((left, right) => left.offering.price - right.offering.price)[0];
}
