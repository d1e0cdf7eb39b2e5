/**
 * The result of the engine: which nodes to launch, where each pod goes, and why the other pods are
 * unschedulable. Plain JSON in a fixed order, so that the same input gives the same bytes. Pods are named
 * `namespace/name`. Creating NodeClaims from a plan is left to the controllers.
 */
import type { Taint } from '@chandler/kube';
import type { LabelRequirement } from './model.ts';
import type { InputError, PodRefusal } from './refusal.ts';

export interface Plan {
  /** In the order in which they were opened. */
  readonly claims: readonly PlannedClaim[];
  /** Pods that fit on existing or in-flight nodes, in the order of the nodes. */
  readonly placements: readonly NodePlacement[];
  /** Unschedulable pods; pods with equal specs and equal reasons share an entry. */
  readonly refusals: readonly PodRefusal[];
  /** Invalid input, by object and field. The object is skipped. */
  readonly inputErrors: readonly InputError[];
  /** The sum over the claims of their cheapest offering, per hour. */
  readonly pricePerHour: number;
  readonly counts: PlanCounts;
  /** Absent when it was not computed, or the plan without preferences places other pods. */
  readonly preferenceCost?: PreferenceCost;
}

export interface PreferenceCost {
  /** The price without preferences, per hour: planned with the same effort, and not above the price of this plan. */
  readonly withoutPerHour: number;
  /** What preferences add to it. */
  readonly costPerHour: number;
  /** Pods whose preferences were ignored, because they would have cost more than the limit. */
  readonly ignoredPods: number;
}

export interface PlanCounts {
  readonly pods: number;
  readonly placed: number;
  readonly placedOnExisting: number;
  readonly refused: number;
  readonly claims: number;
  readonly podClasses: number;
  /** Attempts to place a pod on a node or claim; a measure of the work. */
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
  /** The sum of pods and daemons, as quantities. */
  readonly requests: Readonly<Record<string, string>>;
  /** The part of the daemons. */
  readonly daemonRequests: Readonly<Record<string, string>>;
  /** Cheapest first, at most `maxInstanceTypes`. */
  readonly instanceTypes: readonly string[];
  /** The number of compatible types before the list was truncated. */
  readonly instanceTypeCount: number;
  readonly cheapest: CheapestOffering;
  readonly pods: readonly string[];
  /** Reservations held for this claim. */
  readonly reservations: readonly string[];
  /** minValues that were lowered because the types could not meet them (BestEffort only). */
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
