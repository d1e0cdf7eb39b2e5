/**
 * The final nodes of a plan: every claim becomes a concrete node (one type, one offering, one host name),
 * next to the existing nodes. It is independent of the engine except for its types, and slow on purpose. The
 * rules decide whether the pods may run there.
 */

import { type Amounts, amountsOf } from '@chandler/apiserver/testing';
import type { Taint } from '@chandler/kube';
import { isKnownEphemeralTaint, type ResourceList } from '../../packages/chandler/src/api/index.ts';
import type {
  ExistingNode,
  InstanceType,
  LabelRequirement,
  Offering,
  Overhead,
  Plan,
  PlannedClaim,
  Pod,
  PoolInput,
  SchedulingInput,
} from '../../packages/chandler/src/scheduling/index.ts';

import { admits } from './admits.ts';
import { podKey } from './builders.ts';
import { withOverlays } from './overlays.ts';
import { HOST, POOL, TYPE } from './shorthand.ts';

export { admits } from './admits.ts';

export type Labels = Readonly<Record<string, string>>;

/** A type and offering that the requirements of a claim allow. */
export interface Choice {
  readonly type: InstanceType;
  readonly offering: Offering;
}

export interface FinalNode {
  readonly name: string;
  readonly labels: Labels;
  readonly taints: readonly Taint[];
  readonly allocatable: Amounts;
  /** Pods that were bound before. */
  readonly bound: readonly Pod[];
  /** Pods that the plan adds. */
  readonly placed: readonly Pod[];
  readonly existing: ExistingNode | undefined;
  readonly claim: PlannedClaim | undefined;
  readonly choice: Choice | undefined;
}

export function existingFinalNodes(input: SchedulingInput, plan: Pick<Plan, 'placements'>): FinalNode[] {
  const pods = podsByKey(input);
  return (input.nodes ?? []).map((node) => ({
    name: node.name,
    labels: node.labels,
    taints: effectiveTaints(node),
    allocatable: amountsOf(node.allocatable),
    bound: boundTo(input, node.name),
    placed: plan.placements
      .filter((placement) => placement.node === node.name)
      .flatMap((placement) => placement.pods.flatMap((key) => pods.get(key) ?? [])),
    existing: node,
    claim: undefined,
    choice: undefined,
  }));
}

/** The node of a claim when the cloud chooses this type and offering. */
export function claimFinalNode(input: SchedulingInput, claim: PlannedClaim, choice: Choice): FinalNode {
  const pods = podsByKey(input);
  return {
    name: claim.id,
    labels: finalLabels(input, claim, choice),
    taints: claim.taints,
    allocatable: allocatableOf(choice),
    bound: [],
    placed: claim.pods.flatMap((key) => pods.get(key) ?? []),
    existing: undefined,
    claim,
    choice,
  };
}

/** All choices of the cloud: the listed types, with every available offering that the requirements allow. */
export function choicesOf(input: SchedulingInput, claim: PlannedClaim): Choice[] {
  const types = typesOf(input, poolOf(input, claim.nodePool));
  return claim.instanceTypes
    .flatMap((name) => types.filter((type) => type.name === name).slice(0, 1))
    .flatMap((type) => type.offerings.map((offering) => ({ type, offering })))
    .filter((choice) => choice.offering.available !== false && isOpen(claim, choice));
}

/** The cheapest offering as the plan names it. */
export function namedChoice(input: SchedulingInput, claim: PlannedClaim): Choice | undefined {
  const { instanceType, price } = claim.cheapest;
  return choicesOf(input, claim).find(
    ({ type, offering }) =>
      type.name === instanceType &&
      samePrice(offering.price, price) &&
      labelIn(offering.requirements, 'topology.kubernetes.io/zone') === (claim.cheapest.zone ?? undefined) &&
      labelIn(offering.requirements, 'karpenter.sh/capacity-type') ===
        (claim.cheapest.capacityType ?? undefined),
  );
}

export function poolOf(input: SchedulingInput, name: string): PoolInput | undefined {
  return input.pools.find((pool) => pool.nodePool.metadata.name === name);
}

/** The types of a pool, with the overlays in them. */
export function typesOf(input: SchedulingInput, pool: PoolInput | undefined): readonly InstanceType[] {
  if (!pool) return [];
  const { instanceTypes } = pool;
  const plain = typeof instanceTypes === 'string' ? (input.catalogues?.[instanceTypes] ?? []) : instanceTypes;
  return withOverlays(plain, pool, input.overlays ?? []);
}

/** Capacity without the reserved resources; huge pages reduce the memory. */
export function allocatableOf({ type, offering }: Choice): Amounts {
  const left = new Map(amountsOf({ ...type.capacity, ...offering.capacityOverride }));
  const overhead: Overhead = offering.overheadOverride ?? type.overhead ?? {};
  for (const part of [overhead.kubeReserved, overhead.systemReserved, overhead.evictionThreshold]) {
    for (const [name, amount] of amountsOf(part as ResourceList | undefined)) {
      left.set(name, (left.get(name) ?? 0) - amount);
    }
  }
  for (const [name, amount] of [...left]) {
    if (name.startsWith('hugepages-')) left.set('memory', Math.max(0, (left.get('memory') ?? 0) - amount));
  }
  return left;
}

/** The value, where the requirements fix one for the key. */
export function labelIn(requirements: readonly LabelRequirement[], key: string): string | undefined {
  const fixed = requirements.find((r) => r.key === key && r.operator === 'In' && r.values?.length === 1);
  return fixed?.values?.[0];
}

export function samePrice(left: number, right: number): boolean {
  return Math.abs(left - right) <= 1e-9 * Math.max(1, Math.abs(left), Math.abs(right));
}

export function isFromDaemonSet(pod: Pod): boolean {
  return (pod.metadata.ownerReferences ?? []).some((owner) => owner.kind === 'DaemonSet');
}

// ---------------------------------------------------------------------------------------------------

function podsByKey(input: SchedulingInput): ReadonlyMap<string, Pod> {
  return new Map(input.pods.map((pod) => [podKey(pod), pod]));
}

function boundTo(input: SchedulingInput, node: string): Pod[] {
  return (input.boundPods ?? []).filter(
    (pod) =>
      pod.spec.nodeName === node && pod.status?.phase !== 'Succeeded' && pod.status?.phase !== 'Failed',
  );
}

/** Startup and ephemeral taints are ignored until the node is initialized. */
function effectiveTaints({
  labels,
  managed,
  initialized,
  startupTaints = [],
  taints = [],
}: ExistingNode): Taint[] {
  const starting = (managed ?? labels[POOL] !== undefined) && initialized === false;
  if (!starting) return [...taints];
  return taints.filter(
    (taint) =>
      !isKnownEphemeralTaint(taint) &&
      !startupTaints.some((startup) => startup.key === taint.key && startup.effect === taint.effect),
  );
}

function isOpen(claim: PlannedClaim, { type, offering }: Choice): boolean {
  if (claim.reservations.length > 0 && !claim.reservations.includes(offering.reservation?.id ?? ''))
    return false;
  // A claim without a reservation cannot use one.
  if (claim.reservations.length === 0 && offering.reservation !== undefined) return false;
  const labels = typeLabels({ type, offering });
  return claim.requirements.every((requirement) => {
    const value = labels[requirement.key];
    return value === undefined ? true : admits(requirement, value);
  });
}

function typeLabels({ type, offering }: Choice): Record<string, string> {
  const labels: Record<string, string> = { [TYPE]: type.name };
  for (const { key, operator, values = [] } of [...type.requirements, ...offering.requirements]) {
    if (operator === 'In' && values.length === 1) labels[key] = values[0]!;
  }
  return labels;
}

/** Later entries override: labels of the claim, its requirements, the type. */
function finalLabels(input: SchedulingInput, claim: PlannedClaim, choice: Choice): Labels {
  const required: Record<string, string> = {};
  for (const { key, operator, values = [] } of claim.requirements) {
    if (operator === 'In' && values.length === 1) required[key] = values[0]!;
  }
  return {
    ...(poolOf(input, claim.nodePool)?.nodePool.spec.template.metadata?.labels ?? {}),
    'karpenter.sh/registered': 'true',
    'karpenter.sh/initialized': 'true',
    ...claim.labels,
    ...required,
    ...typeLabels(choice),
    [POOL]: claim.nodePool,
    [HOST]: claim.id,
  };
}
