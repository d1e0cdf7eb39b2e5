/**
 * The result of a simulation for people and scripts: the plan, with prices, packing and words. The order is
 * the plan's. How it is printed is decided by the renderers.
 */
import {
  type CheapestOffering,
  type InputError,
  type Plan,
  type PodRefusal,
  type PriceBound,
  podRefusalText,
  podRequests,
  Resources,
  type SchedulingInput,
} from '../../scheduling/index.ts';
import type { PlanReport } from '../plan/plan-report.ts';
import { type Amounts, capacityOfNodes, inUnits, Offered } from './node-capacity.ts';

export interface Report {
  readonly summary: Summary;
  /** Nodes to launch. */
  readonly nodes: readonly ReportedNode[];
  /** Existing nodes that get pods. */
  readonly existingNodes: readonly ReportedNode[];
  readonly refusals: readonly ReportedRefusal[];
  /** Input that was left out, with the reason. */
  readonly inputErrors: readonly InputError[];
  readonly notes: readonly string[];
  /** With --consolidate: what disruption would do after the pods are placed. */
  readonly disruption?: PlanReport;
}

export interface Summary {
  readonly pods: number;
  readonly placed: number;
  readonly placedOnExisting: number;
  readonly refused: number;
  readonly nodes: number;
  readonly pricePerHour: number;
  readonly bound: ReportedBound | null;
  /** Null when no pod has a preference, or preferences are ignored. */
  readonly preferences: ReportedPreferences | null;
}

/** What preferred affinity and soft spreads cost. */
export interface ReportedPreferences {
  /** The price of a plan without them. */
  readonly withoutPerHour: number;
  /** What they add to it. */
  readonly costPerHour: number;
  /** The same, of the price without them; null when that is nothing. */
  readonly costPercent: number | null;
  /** Pods whose preferences are ignored because of the limit. */
  readonly ignoredPods: number;
}

export interface ReportedBound {
  readonly perHour: number;
  /** The maximum difference between price and bound; null when there is no bound. */
  readonly gapPercent: number | null;
}

export interface ReportedNode {
  readonly name: string;
  readonly nodePool: string | null;
  readonly instanceType: string | null;
  readonly zone: string | null;
  readonly capacityType: string | null;
  readonly pricePerHour: number | null;
  /** How many instance types the claim leaves open, the cheapest of which is shown. */
  readonly instanceTypeCount: number | null;
  readonly packing: readonly Packing[];
  readonly pods: readonly ReportedPod[];
}

/** One resource of a node. Amounts in cores, bytes or units. */
export interface Packing {
  readonly resource: string;
  readonly allocatable: number;
  /** By pods of this plan. */
  readonly pods: number;
  /** By daemons, or by what was there before. */
  readonly before: number;
  readonly percent: number;
}

export interface ReportedPod {
  readonly name: string;
  /** `namespace/owner`: pods of one workload share it. */
  readonly workload: string;
  readonly requests: Readonly<Record<string, number>>;
}

export interface ReportedRefusal extends PodRefusal {
  /** In one line, with the phrases that Karpenter's users know. */
  readonly text: string;
}

export interface ReportParts {
  readonly input: SchedulingInput;
  readonly plan: Plan;
  readonly bound: PriceBound | undefined;
  readonly notes: readonly string[];
}

export function buildReport({ input, plan, bound, notes }: ReportParts): Report {
  const pods = new PodIndex(input);
  const offered = new Offered(input);
  return {
    summary: summaryOf(plan, bound),
    nodes: plan.claims.map((claim) => {
      const placed = claim.pods.map((name) => pods.describe(name));
      const capacity = offered.capacity(claim);
      const daemons = pods.amounts(claim.daemonRequests);
      return {
        name: claim.id,
        nodePool: claim.nodePool,
        ...offeringOf(claim.cheapest),
        instanceTypeCount: claim.instanceTypeCount,
        packing: packingOf(capacity, placed, daemons),
        pods: placed,
      };
    }),
    existingNodes: existingNodes(input, plan, pods),
    refusals: plan.refusals.map((refusal) => ({ ...refusal, text: podRefusalText(refusal) })),
    inputErrors: plan.inputErrors,
    notes,
  };
}

// ---------------------------------------------------------------------------------------------------------------

function summaryOf({ counts, pricePerHour, preferenceCost }: Plan, bound: PriceBound | undefined): Summary {
  const { pods, placed, placedOnExisting, refused, claims: nodes } = counts;
  const preferences = preferencesOf(preferenceCost);
  const price = rounded(pricePerHour);
  const base = { pods, placed, placedOnExisting, refused, nodes, pricePerHour: price, preferences };
  if (bound === undefined || !bound.proven) return { ...base, bound: null };
  const perHour = rounded(bound.perHour);
  const gap = perHour > 0 ? rounded(Math.max(0, (pricePerHour / bound.perHour - 1) * 100), 2) : null;
  return { ...base, bound: { perHour, gapPercent: perHour === 0 && pricePerHour === 0 ? 0 : gap } };
}

function preferencesOf(cost: Plan['preferenceCost']): ReportedPreferences | null {
  if (cost === undefined) return null;
  const { withoutPerHour, costPerHour, ignoredPods } = cost;
  return {
    withoutPerHour: rounded(withoutPerHour),
    costPerHour: rounded(costPerHour),
    costPercent: withoutPerHour > 0 ? rounded((costPerHour / withoutPerHour) * 100, 2) : null,
    ignoredPods,
  };
}

function offeringOf({ instanceType, price, zone, capacityType }: CheapestOffering) {
  return { instanceType, zone, capacityType, pricePerHour: rounded(price) };
}

function existingNodes(input: SchedulingInput, plan: Plan, pods: PodIndex): ReportedNode[] {
  const capacities = capacityOfNodes(input);
  return plan.placements.map(({ node, pods: names }) => {
    const found = input.nodes?.find((candidate) => candidate.name === node);
    const labels = found?.labels ?? {};
    const placed = names.map((name) => pods.describe(name));
    const capacity = capacities.get(node) ?? { allocatable: {}, used: {} };
    return {
      name: node,
      nodePool: labels['karpenter.sh/nodepool'] ?? null,
      instanceType: labels['node.kubernetes.io/instance-type'] ?? null,
      zone: labels['topology.kubernetes.io/zone'] ?? null,
      capacityType: labels['karpenter.sh/capacity-type'] ?? null,
      pricePerHour: found?.price ?? null,
      instanceTypeCount: null,
      packing: packingOf(capacity.allocatable, placed, capacity.used),
      pods: placed,
    };
  });
}

/** Cpu, memory and pods always; other resources where a pod asks for them. */
function packingOf(capacity: Amounts, pods: readonly ReportedPod[], before: Amounts): Packing[] {
  const asked = new Set(pods.flatMap((pod) => Object.keys(pod.requests)));
  const others = [...asked].filter((name) => !ALWAYS.includes(name)).sort();
  return [...ALWAYS, ...others].map((resource) => {
    const allocatable = capacity[resource] ?? 0;
    const own = pods.reduce((sum, pod) => sum + (pod.requests[resource] ?? 0), 0);
    const already = before[resource] ?? 0;
    const percent = allocatable > 0 ? rounded(((own + already) / allocatable) * 100, 1) : 0;
    return { resource, allocatable, pods: rounded(own), before: rounded(already), percent };
  });
}

const ALWAYS: readonly string[] = ['cpu', 'memory', 'pods'];

/** The requests of pods, by name; pods of equal shape are computed once. */
class PodIndex {
  readonly #resources = new Resources();
  readonly #pods: Map<string, SchedulingInput['pods'][number]>;

  constructor(input: SchedulingInput) {
    this.#pods = new Map(input.pods.map((pod) => [`${pod.metadata.namespace}/${pod.metadata.name}`, pod]));
  }

  describe(name: string): ReportedPod {
    const pod = this.#pods.get(name);
    if (pod === undefined) return { name, workload: name, requests: {} };
    const owner = pod.metadata.ownerReferences?.find((reference) => reference.controller);
    const workload = `${pod.metadata.namespace}/${owner?.name ?? pod.metadata.name}`;
    return { name, workload, requests: inUnits(this.#resources, podRequests(this.#resources, pod)) };
  }

  amounts(list: Readonly<Record<string, string>>): Amounts {
    return inUnits(this.#resources, this.#resources.wanted(list));
  }
}

function rounded(value: number, digits = 5): number {
  return Number(value.toFixed(digits));
}
