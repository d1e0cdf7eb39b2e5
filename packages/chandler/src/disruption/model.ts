/**
 * The input of disruption: one immutable snapshot of nodes, pods, NodePools and PodDisruptionBudgets, and the input of the
 * planner for the same cluster. The caller (the controller, a file, a test) collects it. Decisions depend on nothing else.
 */
import { conditionOf, type Node, type PodDisruptionBudget } from '@chandler/kube';
import type { DISRUPTION_REASONS, NodeClaim } from '../api/index.ts';
import type { Pod, PoolInput, SchedulingInput } from '../scheduling/index.ts';
import type { CostOptions } from './costs.ts';
import type { Freeze, SavingRules } from './pool-rules.ts';
import type { RepairOptions } from './repair-policies.ts';
import type { SurgeRefusals, Workloads } from './surge.ts';

export type DisruptionReason = (typeof DISRUPTION_REASONS)[number];

export interface DisruptionInput {
  /**
   * What the planner gets for the pending pods: `nodes` without those that are being deleted, whose pods are in `pods`.
   */
  readonly scheduling: SchedulingInput;
  /** Every Node and NodeClaim, also unmanaged ones, those in flight and those that are being deleted. */
  readonly nodes: readonly DisruptionNode[];
  /** Every NodePool with its instance types, also static ones; without instance types if they are not known. */
  readonly pools: readonly PoolInput[];
  readonly podDisruptionBudgets: readonly PodDisruptionBudget[];
  /** Deployments and StatefulSets, with option `surge`. Default: none is known. */
  readonly workloads?: Workloads;
}

/** A Node and its NodeClaim as one. */
export interface DisruptionNode {
  /** The name of the Node, or of the claim while there is no Node. Also its name in `scheduling.nodes`. */
  readonly name: string;
  readonly node?: Node;
  readonly claim?: NodeClaim;
  readonly nodePool: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly registered: boolean;
  readonly initialized: boolean;
  /** It is being deleted, or is marked for deletion. */
  readonly deleting: boolean;
  /** Pending pods are expected on it. Default false. */
  readonly nominated?: boolean;
  /** The key of the command in progress that includes it. */
  readonly command?: string;
  /** All pods that are bound to it. */
  readonly pods: readonly Pod[];
  /** CapacityBuffers (`namespace/name`) that reserve capacity on it. */
  readonly buffers?: readonly string[];
}

export interface DisruptionOptions extends CostOptions {
  /** Repair of unhealthy nodes (gate NodeRepair). Default: none. */
  readonly repair?: RepairOptions;
  /** Where no replacement can be launched first, the node is deleted first (gates TerminateFirstDrift, TerminateFirstRepair). */
  readonly terminateFirst?: { readonly drift?: boolean; readonly repair?: boolean };
  /** Whether a spot node may be replaced by a cheaper spot node (gate SpotToSpotConsolidation). Default false. */
  readonly spotToSpot?: boolean;
  /** What consolidation must save; annotations of a NodePool replace single values. Default: anything. */
  readonly saving?: SavingRules;
  /** Freezes besides those in annotations of NodePools. */
  readonly freezes?: readonly Freeze[];
  /** NodePools whose last replacements failed: their drifted nodes wait, so that others get their turn. */
  readonly driftBackoff?: ReadonlyMap<string, { readonly untilMs: number; readonly failures: number }>;
  /** NodePools in which the last consolidations did not hold: pods that they moved needed a new node. */
  readonly consolidationBackoff?: ReadonlyMap<
    string,
    { readonly untilMs: number; readonly failures: number }
  >;
  /** By UID of the claim: nodes whose marks the API server refused, and until when they are left out. */
  readonly unwritable?: ReadonlyMap<string, number>;
  /** Static NodePools in which nothing is launched now, and why. */
  readonly heldPools?: ReadonlyMap<string, string>;
  /** Pods that ask for it move by a rolling update of their workload (option disruption-surge). Default false. */
  readonly surge?: boolean;
  readonly surgeRefusals?: SurgeRefusals;
  /** How many nodes a command may launch for the nodes that it removes. Default: no limit but the price. */
  readonly maxReplacements?: number;
}

/** Whether the instance is being rebooted in place. */
export function isRebooting({ claim }: DisruptionNode): boolean {
  return claim !== undefined && conditionOf(claim, 'Rebooting')?.status === 'True';
}

export function isReady({ node }: DisruptionNode): boolean {
  return node !== undefined && conditionOf(node, 'Ready')?.status === 'True';
}
