/**
 * Verifies a plan: every pod is placed or refused once, no capacity is exceeded, prices are those of the
 * catalogue, anti-affinity by host holds. Independent of the engine, with its own arithmetic. The oracle
 * tests of the engine check all other constraints.
 */
import { parseQuantity } from '@chandler/kube';
import type {
  InstanceType,
  Plan,
  PlannedClaim,
  Pod,
  SchedulingInput,
} from '../../packages/chandler/src/scheduling/index.ts';
import { assertWork } from '../result.ts';
import { HOST, type Workload, ZONE } from './shapes.ts';

/** @throws when something does not hold. @returns what was checked, as sentences. */
export function checkPlan({ input, placeable }: Workload, plan: Plan): string[] {
  const pods = new Map([...(input.boundPods ?? []), ...input.pods].map((pod) => [keyOf(pod), pod]));
  const hosts = hostsOf(input, plan, pods);
  const refused = plan.refusals.flatMap((refusal) => refusal.pods);
  const placed = [...plan.claims, ...plan.placements].flatMap((place) => place.pods);
  return [
    assertWork(plan.inputErrors.length === 0, 'the input was understood'),
    assertWork(
      new Set([...placed, ...refused]).size === input.pods.length &&
        placed.length + refused.length === input.pods.length,
      'every pod is placed or refused, once',
    ),
    assertWork(placed.length === placeable, `all ${placeable} pods that can fit are placed`),
    assertWork(
      hosts.every((host) => fits(host.pods, host.room)),
      'no node and no type of a claim holds more than it has',
    ),
    assertWork(
      plan.claims.every((claim) => hasOffering(claim, typesByName(input))),
      'the price of each claim is that of an offering its pods may use',
    ),
    assertWork(
      Math.abs(plan.claims.reduce((sum, claim) => sum + claim.cheapest.price, 0) - plan.pricePerHour) < 1e-6,
      'the price of the plan is the sum over its claims',
    ),
    assertWork(
      hosts.every((host) => keepsApart(host.pods)),
      'pods that refuse each other are on different hosts',
    ),
  ];
}

// ---------------------------------------------------------------------------------------------------

type Amounts = ReadonlyMap<string, bigint>;

interface Host {
  readonly pods: readonly Pod[];
  /** What there is, in each shape the host may take. */
  readonly room: readonly Amounts[];
}

function keyOf(pod: Pod): string {
  return `${pod.metadata.namespace}/${pod.metadata.name}`;
}

function hostsOf(input: SchedulingInput, plan: Plan, pods: ReadonlyMap<string, Pod>): Host[] {
  const types = typesByName(input);
  const allocatable = new Map([...types].map(([name, type]) => [name, allocatableOf(type)]));
  const onNode = new Map<string, Pod[]>((input.nodes ?? []).map((node) => [node.name, []]));
  for (const pod of input.boundPods ?? []) onNode.get(pod.spec.nodeName!)!.push(pod);
  for (const { node, pods: names } of plan.placements) {
    onNode.get(node)!.push(...names.map((name) => pods.get(name)!));
  }
  return [
    ...plan.claims.map((claim) => ({
      pods: claim.pods.map((name) => pods.get(name)!),
      room: claim.instanceTypes.map((name) => allocatable.get(name)!),
    })),
    ...(input.nodes ?? []).map((node) => ({
      pods: onNode.get(node.name)!,
      room: [amountsOf(node.allocatable)],
    })),
  ];
}

const typesOf = new WeakMap<SchedulingInput, ReadonlyMap<string, InstanceType>>();

function typesByName(input: SchedulingInput): ReadonlyMap<string, InstanceType> {
  let types = typesOf.get(input);
  if (types === undefined) {
    types = new Map(
      Object.values(input.catalogues ?? {})
        .flat()
        .map((type) => [type.name, type]),
    );
    typesOf.set(input, types);
  }
  return types;
}

function allocatableOf(type: InstanceType): Amounts {
  const left = new Map(amountsOf(type.capacity));
  for (const reserved of Object.values(type.overhead ?? {})) {
    for (const [name, amount] of amountsOf(reserved)) left.set(name, (left.get(name) ?? 0n) - amount);
  }
  return left;
}

/** In thousandths, exact. */
function amountsOf(list: Readonly<Record<string, string | number>>): Amounts {
  return new Map(Object.entries(list).map(([name, text]) => [name, milli(String(text))]));
}

const parsed = new Map<string, bigint>();

function milli(text: string): bigint {
  let amount = parsed.get(text);
  if (amount === undefined) {
    amount = parseQuantity(text).milli();
    parsed.set(text, amount);
  }
  return amount;
}

function fits(pods: readonly Pod[], room: readonly Amounts[]): boolean {
  const total = new Map<string, bigint>([['pods', BigInt(pods.length) * 1000n]]);
  for (const pod of pods) {
    for (const [name, amount] of amountsOf(pod.spec.containers[0]!.resources!.requests!)) {
      total.set(name, (total.get(name) ?? 0n) + amount);
    }
  }
  const wanted = [...total];
  return (
    room.length > 0 && room.every((has) => wanted.every(([name, amount]) => amount <= (has.get(name) ?? 0n)))
  );
}

function hasOffering(claim: PlannedClaim, types: ReadonlyMap<string, InstanceType>): boolean {
  const { instanceType, price, zone } = claim.cheapest;
  const zones = claim.requirements.find((requirement) => requirement.key === ZONE)?.values;
  const offerings = types.get(instanceType)?.offerings ?? [];
  return (
    claim.instanceTypes.includes(instanceType) &&
    (zones === undefined || zone === null || zones.includes(zone)) &&
    offerings.some(
      (offering) =>
        offering.price === price &&
        offering.available !== false &&
        offering.requirements.some((r) => r.key === ZONE && r.values?.[0] === zone),
    )
  );
}

/** Required anti-affinity by host, whose terms here always name labels. */
function keepsApart(pods: readonly Pod[]): boolean {
  return pods.every((pod) => {
    const terms = pod.spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
    return terms
      .filter((term) => term.topologyKey === HOST)
      .every((term) => {
        const wanted = Object.entries(term.labelSelector?.matchLabels ?? {});
        return !pods.some(
          (other) =>
            other !== pod &&
            other.metadata.namespace === pod.metadata.namespace &&
            wanted.every(([key, value]) => other.metadata.labels?.[key] === value),
        );
      });
  });
}
