/**
 * Rules for claims: types that the pool offers and that meet every requirement, the correct lowest price,
 * limits of the pool, minValues, reservations, and requests that equal the sum over the pods.
 */
import { podRequests } from '@chandler/apiserver/standins';
import { type Amounts, addAll, amountsOf } from '@chandler/apiserver/testing';
import type {
  InstanceType,
  LabelRequirement,
  Plan,
  PlannedClaim,
  SchedulingInput,
} from '../../packages/chandler/src/scheduling/index.ts';
import { podKey } from './builders.ts';
import { asStandin, daemonsOn, daemonsOnAny, fitsWith } from './check-capacity.ts';
import {
  admits,
  type Choice,
  choicesOf,
  claimFinalNode,
  namedChoice,
  poolOf,
  samePrice,
  typesOf,
} from './final-nodes.ts';
import { POOL, TYPE } from './shorthand.ts';
import type { Violation } from './violation.ts';

export function checkClaims(input: SchedulingInput, plan: Plan): Violation[] {
  return [
    ...plan.claims.flatMap((claim) => [
      ...checkTypes(input, claim),
      ...checkTemplate(input, claim),
      ...checkRequests(input, claim),
      ...checkCheapest(input, claim),
      ...checkMinValues(input, claim),
    ]),
    ...checkTotalPrice(plan),
    ...checkLimits(input, plan),
    ...checkReservations(input, plan),
  ];
}

// ---------------------------------------------------------------------------------------------------

function checkTypes(input: SchedulingInput, claim: PlannedClaim): Violation[] {
  const violations: Violation[] = [];
  const say = (detail: string) => violations.push({ rule: 'claim', subject: claim.id, detail });
  const pool = poolOf(input, claim.nodePool);
  if (!pool) return [{ rule: 'claim', subject: claim.id, detail: `pool ${claim.nodePool} does not exist` }];
  const known = typesOf(input, pool);
  const choices = choicesOf(input, claim);
  for (const name of claim.instanceTypes) {
    if (!known.some((type) => type.name === name)) say(`type ${name} is not in the pool`);
    else if (!choices.some(({ type }) => type.name === name)) say(`type ${name} has no available offering`);
  }
  if (new Set(claim.instanceTypes).size !== claim.instanceTypes.length) say('lists a type twice');
  if (claim.instanceTypes.length > (input.options?.maxInstanceTypes ?? 600)) say('lists too many types');
  if (claim.instanceTypeCount < claim.instanceTypes.length) say('counts fewer types than it lists');
  const listed = claim.requirements.filter(({ key, operator }) => key === TYPE && operator === 'In');
  const values = [...(listed[0]?.values ?? [])].sort();
  if (JSON.stringify(values) !== JSON.stringify([...claim.instanceTypes].sort()))
    say('requires other types than it lists');
  return violations;
}

/** Taints and labels are those of the pool, and no type violates a requirement of the pool. */
function checkTemplate(input: SchedulingInput, claim: PlannedClaim): Violation[] {
  const violations: Violation[] = [];
  const say = (detail: string) => violations.push({ rule: 'claim', subject: claim.id, detail });
  const pool = poolOf(input, claim.nodePool);
  if (!pool) return [];
  const { template } = pool.nodePool.spec;
  if (JSON.stringify(claim.taints) !== JSON.stringify(template.spec.taints ?? [])) {
    say('has other taints than its pool');
  }
  if (JSON.stringify(claim.startupTaints) !== JSON.stringify(template.spec.startupTaints ?? [])) {
    say('has other startup taints than its pool');
  }
  for (const [key, value] of Object.entries({ ...template.metadata?.labels, [POOL]: claim.nodePool })) {
    if (claim.labels[key] !== value) say(`label ${key} is not ${value}`);
  }
  for (const requirement of claim.requirements) {
    const label = claim.labels[requirement.key];
    if (label !== undefined && !admits(requirement, label))
      say(`label ${requirement.key} breaks its requirement`);
  }
  for (const choice of choicesOf(input, claim)) {
    const broken = brokenBy(input, claim, choice, template.spec.requirements);
    if (broken) say(`${choice.type.name} breaks ${JSON.stringify(broken)} of its pool`);
  }
  return violations;
}

function brokenBy(
  input: SchedulingInput,
  claim: PlannedClaim,
  choice: Choice,
  required: readonly LabelRequirement[],
): LabelRequirement | undefined {
  const known = typesOf(input, poolOf(input, claim.nodePool));
  const { labels } = claimFinalNode(input, claim, choice);
  return required.find(
    (requirement) =>
      (labels[requirement.key] !== undefined || isLabelOfMachines(known, requirement.key)) &&
      !admits(requirement, labels[requirement.key]),
  );
}

function isLabelOfMachines(types: readonly InstanceType[], key: string): boolean {
  return types.some(
    (type) =>
      type.requirements.some((r) => r.key === key) ||
      type.offerings.some((o) => o.requirements.some((r) => r.key === key)),
  );
}

/** What the claim asks for is the sum over its pods, and what it adds for daemons. */
function checkRequests(input: SchedulingInput, claim: PlannedClaim): Violation[] {
  const sum = podSum(input, claim);
  for (const [name, amount] of amountsOf(claim.daemonRequests)) sum.set(name, (sum.get(name) ?? 0) + amount);
  const actual = amountsOf(claim.requests);
  const wrong = [...new Set([...sum.keys(), ...actual.keys()])].filter(
    (name) => (sum.get(name) ?? 0) !== (actual.get(name) ?? 0),
  );
  return wrong.map((name) => ({
    rule: 'claim',
    subject: claim.id,
    detail: `requests ${actual.get(name)} ${name}, its pods and daemons ${sum.get(name)}`,
  }));
}

function podSum(input: SchedulingInput, claim: PlannedClaim): Map<string, number> {
  const sum = new Map<string, number>();
  for (const pod of input.pods) {
    if (!claim.pods.includes(podKey(pod))) continue;
    addAll(sum, podRequests(asStandin(pod).spec));
    addAll(sum, new Map([['pods', 1]]));
  }
  return sum;
}

/** The cheapest is the cheapest of those that are large enough, and the list is in order of price. */
function checkCheapest(input: SchedulingInput, claim: PlannedClaim): Violation[] {
  const violations: Violation[] = [];
  const say = (detail: string) => violations.push({ rule: 'price', subject: claim.id, detail });
  const open = choicesOf(input, claim).filter((choice) => isLargeEnough(input, claim, choice));
  const surely = open.filter((choice) => isLargeEnoughForAll(input, claim, choice));
  const named = namedChoice(input, claim);
  if (!named) say(`its cheapest offering ${JSON.stringify(claim.cheapest)} has no available offering`);
  else if (!isLargeEnough(input, claim, named))
    say(`its cheapest offering ${JSON.stringify(claim.cheapest)} is too small`);
  const least = Math.min(...surely.map(({ offering }) => offering.price));
  const { price: told } = claim.cheapest;
  if (told > least && !samePrice(least, told)) say(`costs ${told}, but ${least} is possible`);
  let before = Number.NEGATIVE_INFINITY;
  for (const name of claim.instanceTypes) {
    const price = Math.min(
      ...open.filter(({ type }) => type.name === name).map(({ offering }) => offering.price),
    );
    const latest = Math.min(
      ...surely.filter(({ type }) => type.name === name).map(({ offering }) => offering.price),
    );
    if (latest < before && !samePrice(latest, before))
      say(`lists ${name} at ${latest} after one at ${before}`);
    if (price === Number.POSITIVE_INFINITY) say(`lists ${name}, which no offering makes large enough`);
    before = price;
  }
  return violations;
}

function isLargeEnough(input: SchedulingInput, claim: PlannedClaim, choice: Choice): boolean {
  const node = claimFinalNode(input, claim, choice);
  return fitsWith(node, daemonsOn(input, node)) === undefined;
}

function isLargeEnoughForAll(input: SchedulingInput, claim: PlannedClaim, choice: Choice): boolean {
  const { type } = choice;
  const nodes = type.offerings.map((offering) => claimFinalNode(input, claim, { type, offering }));
  return fitsWith(claimFinalNode(input, claim, choice), daemonsOnAny(input, nodes)) === undefined;
}

function checkTotalPrice(plan: Plan): Violation[] {
  const sum = plan.claims.reduce((total, { cheapest }) => total + cheapest.price, 0);
  if (samePrice(sum, plan.pricePerHour)) return [];
  return [{ rule: 'price', subject: 'plan', detail: `says ${plan.pricePerHour}, its claims cost ${sum}` }];
}

function checkMinValues(input: SchedulingInput, claim: PlannedClaim): Violation[] {
  const bestEffort = input.options?.minValuesPolicy === 'BestEffort';
  if (claim.minValuesRelaxed) {
    if (bestEffort) return [];
    return [{ rule: 'minValues', subject: claim.id, detail: 'were lowered although the policy is Strict' }];
  }
  const pool = poolOf(input, claim.nodePool);
  const types = typesOf(input, pool).filter(({ name }) => claim.instanceTypes.includes(name));
  const required: readonly LabelRequirement[] = pool?.nodePool.spec.template.spec.requirements ?? [];
  return required.flatMap(({ key, minValues = 0 }) => {
    const own = claim.requirements.filter((requirement) => requirement.key === key);
    const values = types.flatMap(({ name, requirements }) =>
      key === TYPE ? [name] : requirements.filter((r) => r.key === key).flatMap((r) => r.values ?? []),
    );
    const found = new Set(values.filter((value) => own.every((requirement) => admits(requirement, value))));
    if (found.size >= minValues) return [];
    return [
      { rule: 'minValues' as const, subject: claim.id, detail: `${key}: ${found.size} of ${minValues}` },
    ];
  });
}

/** Whatever of its types each claim becomes, the pool stays within its limits. */
function checkLimits(input: SchedulingInput, plan: Plan): Violation[] {
  return input.pools.flatMap((pool) => {
    const name = pool.nodePool.metadata.name!;
    const limits = amountsOf(pool.nodePool.spec.limits as Record<string, string> | undefined);
    const used = usedBy(input, name, pool.used && amountsOf(pool.used));
    for (const claim of plan.claims.filter(({ nodePool }) => nodePool === name))
      addAll(used, largest(input, claim));
    return [...limits].flatMap(([resource, limit]) => {
      const amount = used.get(resource) ?? 0;
      // A pool that was over its limit before is not the plan's fault, as long as nothing is added.
      if (amount <= limit || !plan.claims.some(({ nodePool }) => nodePool === name)) return [];
      return [{ rule: 'limits' as const, subject: name, detail: `${resource}: ${amount} of ${limit}` }];
    });
  });
}

function usedBy(input: SchedulingInput, pool: string, given: Amounts | undefined): Map<string, number> {
  if (given) return new Map(given);
  const used = new Map<string, number>();
  for (const node of (input.nodes ?? []).filter(({ labels }) => labels[POOL] === pool)) {
    addAll(used, amountsOf(node.capacity ?? node.allocatable));
    addAll(used, new Map([['nodes', 1]]));
  }
  return used;
}

function largest(input: SchedulingInput, claim: PlannedClaim): Amounts {
  const most = new Map([['nodes', 1]]);
  for (const { type, offering } of choicesOf(input, claim)) {
    for (const [name, amount] of amountsOf({ ...type.capacity, ...offering.capacityOverride })) {
      most.set(name, Math.max(most.get(name) ?? 0, amount));
    }
  }
  return most;
}

function checkReservations(input: SchedulingInput, plan: Plan): Violation[] {
  const capacity = new Map<string, number>();
  const offerings = input.pools.flatMap((pool) => typesOf(input, pool)).flatMap((type) => type.offerings);
  for (const { reservation } of offerings) {
    if (reservation) {
      capacity.set(reservation.id, Math.min(capacity.get(reservation.id) ?? Infinity, reservation.capacity));
    }
  }
  const held = new Map<string, number>();
  for (const id of plan.claims.flatMap((claim) => claim.reservations)) held.set(id, (held.get(id) ?? 0) + 1);
  return [...held].flatMap(([id, count]) =>
    count <= (capacity.get(id) ?? 0)
      ? []
      : [
          {
            rule: 'reservations' as const,
            subject: id,
            detail: `held ${count} times, ${capacity.get(id) ?? 0} left`,
          },
        ],
  );
}
