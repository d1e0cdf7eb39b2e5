/** What creates pods, as evidence. */
import type { Condition } from '../api/index.ts';
import type { Read } from './reading.ts';

/** A Deployment, StatefulSet, DaemonSet, Job or CronJob, and how far it got with its pods. */
export interface WorkloadEvidence extends Read {
  readonly kind: 'workload';
  readonly objectKind: string;
  /** `shop/web`. */
  readonly name: string;
  readonly createdAtMs: number;
  readonly wanted: number;
  /** Of these, what the object that creates its pods wants now. */
  readonly due: number;
  /** Pods that exist. Those that have failed, and of a Job those that have succeeded, do not count. */
  readonly created: number;
  readonly ready: number;
  /** Pods within their time to terminate, before which no other is created in their place: how many, and the last to be gone. */
  readonly terminating?: { readonly count: number; readonly name: string; readonly untilMs: number };
  /** False: not everything that it created was read, and no status says how many pods there are. */
  readonly isCounted: boolean;
  /** Whether its controller has seen its last change; what the status says is of before. */
  readonly observed: 'current' | 'outdated' | 'never';
  /** Of a Deployment that has not replaced all pods yet. */
  readonly rollout: { readonly sinceMs: number; readonly readyInAll: number } | undefined;
  /** Of a Deployment that is paused: whether pods are left to be replaced. */
  readonly paused: { readonly holdsRollout: boolean } | undefined;
  readonly isSuspended: boolean;
  /** A Job that has completed. */
  readonly isDone: boolean;
  /** Why it wants no pod now. */
  readonly note: string | undefined;
  /** Of itself and of the object that creates its pods. */
  readonly conditions: readonly Condition[];
  /** What creates its pods, as events name it: `ReplicaSet/shop/web-5d4`. */
  readonly creators: readonly string[];
  /** Of a CronJob. */
  readonly runs: CronJobRuns | undefined;
  /** How many other pods are not well, and in which state. */
  readonly otherPods: string | undefined;
}

export interface CronJobRuns {
  readonly lastScheduledMs: number | undefined;
  readonly lastSucceededMs: number | undefined;
  /** The Job of the last time, while it exists. */
  readonly job: { readonly name: string; readonly createdAtMs: number } | undefined;
  /** A Job was due then by its schedule, and none was created since. */
  readonly overdueMs?: number;
  /** Why its schedule cannot be read. */
  readonly problem?: string;
}
