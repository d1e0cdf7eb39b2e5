/**
 * What the engine answers: which nodes to buy, where every pod goes, and why the others go nowhere.
 * Plain JSON in a fixed order, so that the same input gives the same bytes. Pods are named
 * `namespace/name`. Creating anything from it is the business of others.
 */
import type { Taint } from '@chandler/kube';
import type { LabelRequirement } from './model.ts';
import type { InputError, PodRefusal } from './refusal.ts';

export interface Plan {
  /** In the order in which they were opened. */
  readonly claims: readonly PlannedClaim[];
  /** Pods that fit on nodes that exist or are on their way, in the order of the nodes. */
  readonly placements: readonly NodePlacement[];
  /** Pods that go nowhere; pods with one shape and one set of reasons share an entry. */
  readonly refusals: readonly PodRefusal[];
  /** Input that could not be used, by object and field. What it was about was left out. */
  readonly inputErrors: readonly InputError[];
  /** The sum over the claims of their cheapest offering, per hour. */
  readonly pricePerHour: number;
  readonly counts: PlanCounts;
}

export interface PlanCounts {
  readonly pods: number;
  readonly placed: number;
  readonly placedOnExisting: number;
  readonly refused: number;
  readonly claims: number;
  readonly podClasses: number;
  /** Tries of a pod on a node or claim; a measure of the work done. */
  readonly attempts: number;
}

export interface PlannedClaim {
  /** `<pool>-<n>`, n counted over the plan; a name for this plan only. */
  readonly id: string;
  readonly nodePool: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  readonly startupTaints: readonly Taint[];
  /** Sorted by key; the instance types are the In values of `node.kubernetes.io/instance-type`. */
  readonly requirements: readonly LabelRequirement[];
  /** Pods and daemons in sum, as quantities. */
  readonly requests: Readonly<Record<string, string>>;
  /** Of that, the daemons. */
  readonly daemonRequests: Readonly<Record<string, string>>;
  /** Cheapest first, at most `maxInstanceTypes`. */
  readonly instanceTypes: readonly string[];
  /** How many types were possible before the list was cut. */
  readonly instanceTypeCount: number;
  readonly cheapest: CheapestOffering;
  readonly pods: readonly string[];
  /** Reservations held for this claim. */
  readonly reservations: readonly string[];
  /** minValues that were lowered because the types did not reach them (BestEffort only). */
  readonly minValuesRelaxed: boolean;
}

export interface CheapestOffering {
  readonly instanceType: string;
  readonly price: number;
  readonly zone: string | null;
  readonly capacityType: string | null;
}

export interface NodePlacement {
  readonly node: string;
  readonly pods: readonly string[];
}
