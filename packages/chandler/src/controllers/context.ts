/**
 * What every reconciler is given, and nothing else: no reconciler reaches for the environment. `operator/` builds it
 * once; tests build it on servers in the same process.
 */
import type { Controller, EventRecorder, KubeClient, ReconcileContext, World } from '@chandler/kube';
import type { LabelRules } from '../api/index.ts';
import type { Cloud } from '../cloud/index.ts';
import type { Cluster, Stores } from '../state/index.ts';

import type { LaunchBackoff } from './launch-backoff.ts';
import type { PoolHealth } from './lifecycle/pool-health.ts';
import type { PodTimes } from './metrics/pod-times.ts';
import type { LaunchBudget } from './provisioning/launch-budget.ts';

export interface ControllerContext {
  readonly world: World;
  /** Writes only what does no harm when it arrives late. */
  readonly client: KubeClient;
  readonly stores: Stores;
  readonly cluster: Cluster;
  readonly cloud: Cloud;
  readonly events: EventRecorder;
  readonly labelRules: LabelRules;
  readonly backoff: LaunchBackoff;
  /** Claims of the last minute, for the guard against runaway launches. */
  readonly launches: LaunchBudget;
  /** The last outcomes of each pool's launches. */
  readonly poolHealth: PoolHealth;
  /** When pods were seen and decided about, for metrics. */
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

/** Plain values; where they came from is known to those who print them. */
export interface ControllerSettings {
  readonly batchIdleMs: number;
  readonly batchMaxMs: number;
  readonly preferencePolicy: 'Respect' | 'Ignore';
  readonly minValuesPolicy: 'Strict' | 'BestEffort';
  readonly gates: Readonly<Record<FeatureGate, boolean>>;
  /** Millicores, from which the number of workers follows. */
  readonly cpuRequests: number;
  /** A runaway guard: so many launches in a minute, and so many claims that fail to launch at once. 0 = no limit. */
  readonly maxLaunchesPerMinute: number;
  readonly maxFailingLaunches: number;
  /** Our namespace. */
  readonly namespace: string;
  /** Tells the names of options that have another value from now on. @returns what ends it. */
  onChange(listener: (names: readonly string[]) => void): () => void;
}

export type FeatureGate =
  | 'NodeRepair'
  | 'ReservedCapacity'
  | 'SpotToSpotConsolidation'
  | 'NodeOverlay'
  | 'StaticCapacity'
  | 'CapacityBuffer';

export const DEFAULT_SETTINGS: ControllerSettings = {
  batchIdleMs: 1_000,
  batchMaxMs: 10_000,
  preferencePolicy: 'Respect',
  minValuesPolicy: 'Strict',
  gates: {
    NodeRepair: false,
    ReservedCapacity: true,
    SpotToSpotConsolidation: false,
    NodeOverlay: false,
    StaticCapacity: false,
    CapacityBuffer: false,
  },
  cpuRequests: 1_000,
  maxLaunchesPerMinute: 0,
  maxFailingLaunches: 0,
  namespace: 'kube-system',
  onChange: () => () => undefined,
};

/** What a file in this room exports: it makes its controller, the operator starts and stops it. */
export type MakeController = (context: ControllerContext) => Controller;

/** Workers that grow with the machine: the least at one core, the most at sixty. */
export function workers(cpuRequests: number, least: number, most: number): number {
  const cores = Math.max(1, Math.ceil(cpuRequests / 1000));
  return Math.min(most, Math.round(least + ((most - least) * (Math.min(cores, 60) - 1)) / 59));
}
