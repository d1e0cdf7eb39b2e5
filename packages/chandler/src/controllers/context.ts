/**
 * Everything a reconciler gets; no reconciler reads the environment. `operator/` builds it once; tests build it on
 * servers in the same process.
 */
import type {
  Controller,
  EventRecorder,
  KubeClient,
  ReconcileContext,
  TopologySpreadConstraint,
  World,
} from '@chandler/kube';
import type { LabelRules } from '../api/index.ts';
import type { Cloud } from '../cloud/index.ts';
import type { SavingRules } from '../disruption/index.ts';
import type { Cluster, Stores } from '../state/index.ts';

import type { ClaimRefusals } from './claims/claim-refusals.ts';
import type { Freezes } from './disruption/freeze-watch.ts';
import type { MovedWorkloads } from './disruption/moved-workloads.ts';
import type { LaunchBackoff } from './launch-backoff.ts';
import type { PoolHealth } from './lifecycle/pool-health.ts';
import type { PodTimes } from './metrics/pod-times.ts';
import type { LaunchBudget } from './provisioning/launch-budget.ts';
import type { PodRefusals } from './provisioning/pod-refusals.ts';

export interface ControllerContext {
  readonly world: World;
  /** Allows only conditional writes, which do no harm when they arrive late. */
  readonly client: KubeClient;
  readonly stores: Stores;
  readonly cluster: Cluster;
  readonly cloud: Cloud;
  readonly events: EventRecorder;
  readonly labelRules: LabelRules;
  readonly backoff: LaunchBackoff;
  /** Pools with claims that the API server rejects. */
  readonly refusals: ClaimRefusals;
  /** Pods that make claims of any pool invalid. */
  readonly podRefusals: PodRefusals;
  /** Claims of the last minute, for the guard against runaway launches. */
  readonly launches: LaunchBudget;
  /** The last outcomes of each pool's launches. */
  readonly poolHealth: PoolHealth;
  /** What consolidations moved lately, and NodePools in which they did not hold. */
  readonly moves: MovedWorkloads;
  /** Disruption that people have stopped for all NodePools, or for some. */
  readonly freezes: Freezes;
  /** When pods were first seen and scheduled, for metrics. */
  readonly podTimes: PodTimes;
  readonly settings: ControllerSettings;
}

/** What one reconcile works with: all its calls to the API server end with its signal, all its log lines carry its fields. */
export interface ReconcileScope extends ControllerContext {
  /** For calls to the cloud. Aborted when the controller stops or the lease is lost. */
  readonly signal: AbortSignal;
}

export function scopeOf(context: ControllerContext, { signal, log }: ReconcileContext): ReconcileScope {
  return { ...context, world: { ...context.world, log }, client: context.client.withSignal(signal), signal };
}

/** Plain values of the options, without their sources. */
export interface ControllerSettings {
  readonly batchIdleMs: number;
  readonly batchMaxMs: number;
  readonly preferencePolicy: 'Respect' | 'Ignore';
  /** What preferences may add to the price, in percent. Negative: no limit. */
  readonly maxPreferenceCost: number;
  readonly minValuesPolicy: 'Strict' | 'BestEffort';
  /** Of kube-scheduler, for pods without constraints of their own. */
  readonly defaultConstraints: readonly TopologySpreadConstraint[];
  readonly gates: Readonly<Record<FeatureGate, boolean>>;
  /** Repair by a controller of its own, as before v1.15 of Karpenter. */
  readonly legacyNodeRepair: boolean;
  /** Millicores; the number of workers depends on them. */
  readonly cpuRequests: number;
  /** Limits on launches in a minute and on claims that fail at the same time. 0 = no limit. */
  readonly maxLaunchesPerMinute: number;
  readonly maxFailingLaunches: number;
  /** How many nodes a consolidation may launch. 0 = no limit. */
  readonly maxReplacements: number;
  /** Workloads that ask for it are rolled, and the stores have them. */
  readonly disruptionSurge: boolean;
  /** What a consolidation must save in a NodePool without annotations for it. */
  readonly saving: Required<SavingRules>;
  /** The namespace of the controller. */
  readonly namespace: string;
  /** Calls the listener with the names of options whose value changed. @returns a function that unsubscribes. */
  onChange(listener: (names: readonly string[]) => void): () => void;
}

export type FeatureGate =
  | 'NodeRepair'
  | 'ReservedCapacity'
  | 'SpotToSpotConsolidation'
  | 'NodeOverlay'
  | 'StaticCapacity'
  | 'CapacityBuffer'
  | 'TerminateFirstDrift'
  | 'TerminateFirstRepair'
  | 'PodDeletionCostManagement';

/** For tests; the defaults of the options are in `settings/core-options.ts`. */
export const DEFAULT_SETTINGS: ControllerSettings = {
  batchIdleMs: 1_000,
  batchMaxMs: 10_000,
  preferencePolicy: 'Respect',
  maxPreferenceCost: -1,
  minValuesPolicy: 'Strict',
  defaultConstraints: [],
  gates: {
    NodeRepair: false,
    ReservedCapacity: true,
    SpotToSpotConsolidation: false,
    NodeOverlay: false,
    StaticCapacity: false,
    CapacityBuffer: false,
    TerminateFirstDrift: false,
    TerminateFirstRepair: false,
    PodDeletionCostManagement: false,
  },
  legacyNodeRepair: false,
  cpuRequests: 1_000,
  maxLaunchesPerMinute: 0,
  maxFailingLaunches: 0,
  maxReplacements: 0,
  disruptionSurge: false,
  saving: { minSavingPerMonth: 0, minSavingPercent: 0, costPerEvictedPod: 0, minNodeAgeMs: 0 },
  namespace: 'kube-system',
  onChange: () => () => undefined,
};

/** Creates a controller; the operator starts and stops it. */
export type MakeController = (context: ControllerContext) => Controller;

/** The number of workers: `min` at one core, `max` at sixty, in proportion between. */
export function workers(cpuRequests: number, min: number, max: number): number {
  const cores = Math.max(1, Math.ceil(cpuRequests / 1000));
  return Math.min(max, Math.round(min + ((max - min) * (Math.min(cores, 60) - 1)) / 59));
}
