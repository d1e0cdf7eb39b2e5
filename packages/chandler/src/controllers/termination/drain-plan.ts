/**
 * Which pods of a terminating node are evicted now. Pods leave in four tiers, each after the one before it: pods, DaemonSet
 * pods, critical pods, critical DaemonSet pods. Past the deadline the tier does not matter. Pure; the eviction queue evicts.
 */
import type { Pod, Stored } from '@chandler/kube';
import { DISRUPTED_TAINT, type Taint } from '../../api/index.ts';
import { toleratesTaint } from '../../scheduling/index.ts';
import { isOwnedByDaemonSet, isOwnedByNode, isTerminal, isTerminating } from '../../state/index.ts';

export interface DrainPlan {
  /** Pods the node waits for. */
  readonly waiting: readonly Stored<Pod>[];
  /** Of those, to be evicted now. */
  readonly evict: readonly Stored<Pod>[];
  /** Of those, past the deadline: deleted regardless of disruption budgets. */
  readonly force: readonly Stored<Pod>[];
}

/** A pod that still exists a minute after its grace period is ignored: its kubelet does not answer. */
const STUCK_MS = 60_000;
const DEFAULT_GRACE_SECONDS = 30;
const MIN_FORCED_SECONDS = 1;
const CRITICAL = new Set(['system-cluster-critical', 'system-node-critical']);

/** @param taint pods that tolerate it stay. Default: that of disruption. */
export function drainPlan(
  pods: readonly Stored<Pod>[],
  nowMs: number,
  deadlineMs: number | undefined,
  taint: Taint = DISRUPTED_TAINT as Taint,
): DrainPlan {
  const waiting = pods.filter((pod) => isWaitedFor(pod, nowMs, taint));
  const force = deadlineMs === undefined ? [] : waiting.filter((pod) => isOutOfTime(pod, nowMs, deadlineMs));
  const forced = new Set(force);
  const tiers = waiting.map(tierOf);
  const first = Math.min(...tiers);
  const evict = waiting.filter(
    (pod, index) => tiers[index] === first && !forced.has(pod) && !isTerminating(pod),
  );
  return { waiting, evict, force };
}

/** The grace period of a force-deleted pod, at least one second. */
export function forcedGraceSeconds(nowMs: number, deadlineMs: number): number {
  return Math.max(MIN_FORCED_SECONDS, Math.floor((deadlineMs - nowMs) / 1000));
}

/** Pods that would be recreated on the node are not drained. Terminal pods are, so that their volumes are detached. */
export function isDrainable(
  pod: Stored<Pod>,
  nowMs: number,
  taint: Taint = DISRUPTED_TAINT as Taint,
): boolean {
  const tolerates = (pod.spec.tolerations ?? []).some((toleration) => toleratesTaint(toleration, taint));
  return !tolerates && !isOwnedByNode(pod) && !isStuck(pod, nowMs);
}

// ---------------------------------------------------------------------------------------------------

function isWaitedFor(pod: Stored<Pod>, nowMs: number, taint: Taint): boolean {
  return isDrainable(pod, nowMs, taint) && !isTerminal(pod);
}

function isStuck(pod: Stored<Pod>, nowMs: number): boolean {
  const deleted = pod.metadata.deletionTimestamp;
  return deleted !== undefined && nowMs - Date.parse(deleted) > STUCK_MS;
}

function isOutOfTime(pod: Stored<Pod>, nowMs: number, deadlineMs: number): boolean {
  const deleted = pod.metadata.deletionTimestamp;
  // Already terminating: only shortened when it would exceed the deadline and more than the shortest grace period is left.
  if (deleted !== undefined)
    return Date.parse(deleted) > Math.max(deadlineMs, nowMs + MIN_FORCED_SECONDS * 1000);
  const graceMs = (pod.spec.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS) * 1000;
  return nowMs > deadlineMs - graceMs;
}

/** 0 pods, 1 DaemonSet pods, 2 critical pods, 3 critical DaemonSet pods. */
function tierOf(pod: Stored<Pod>): number {
  const critical = CRITICAL.has(pod.spec.priorityClassName ?? '');
  return (critical ? 2 : 0) + (isOwnedByDaemonSet(pod) ? 1 : 0);
}
