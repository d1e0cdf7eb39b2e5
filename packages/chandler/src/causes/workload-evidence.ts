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
  /** Of a Deployment that has not replaced all pods yet. */
  readonly rollout: { readonly sinceMs: number; readonly readyInAll: number } | undefined;
  readonly isSuspended: boolean;
  /** A Job that has completed. */
  readonly isDone: boolean;
  /** Why it wants no pod now. */
  readonly note: string | undefined;
  /** Of itself and of the object that creates its pods. */
  readonly conditions: readonly Condition[];
  /** What creates its pods, as events name it: `ReplicaSet/shop/web-5d4`. */
  readonly creators: readonly string[];
}
