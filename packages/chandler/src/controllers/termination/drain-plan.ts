/**
 * Which pods of a node that goes are to be evicted now: tier by tier, and past the deadline whatever their tier. Pure;
 * who evicts them is the eviction queue.
 */
import { DISRUPTED_TAINT, type Taint } from '../../api/index.ts';
import { toleratesTaint } from '../../scheduling/index.ts';
import {
  isOwnedByDaemonSet,
  isOwnedByNode,
  isTerminal,
  isTerminating,
  type PodObject,
} from '../../state/index.ts';

export interface DrainPlan {
  /** Pods the node waits for. */
  readonly waiting: readonly PodObject[];
  /** Of those, to be asked to go now. */
  readonly evict: readonly PodObject[];
  /** Of those, out of time: deleted, whatever budgets say. */
  readonly force: readonly PodObject[];
}

/** A pod that is still there a minute after its grace period is not waited for: its kubelet is gone. */
const STUCK_MS = 60_000;
const DEFAULT_GRACE_SECONDS = 30;
const CRITICAL = new Set(['system-cluster-critical', 'system-node-critical']);

export function drainPlan(
  pods: readonly PodObject[],
  nowMs: number,
  deadlineMs: number | undefined,
): DrainPlan {
  const waiting = pods.filter((pod) => isWaitedFor(pod, nowMs));
  const force = deadlineMs === undefined ? [] : waiting.filter((pod) => isOutOfTime(pod, nowMs, deadlineMs));
  const forced = new Set(force);
  const tiers = waiting.map(tierOf);
  const first = Math.min(...tiers);
  const evict = waiting.filter(
    (pod, index) => tiers[index] === first && !forced.has(pod) && !isTerminating(pod),
  );
  return { waiting, evict, force };
}

/** When a forced pod has to be gone, at least a second from now. */
export function forcedGraceSeconds(nowMs: number, deadlineMs: number): number {
  return Math.max(1, Math.floor((deadlineMs - nowMs) / 1000));
}

/** Those that stay or come back whatever we do are not drained. One that has ended is: its volumes let go. */
export function isDrainable(pod: PodObject, nowMs: number): boolean {
  const taint = DISRUPTED_TAINT as Taint;
  const tolerates = (pod.spec.tolerations ?? []).some((toleration) => toleratesTaint(toleration, taint));
  return !tolerates && !isOwnedByNode(pod) && !isStuck(pod, nowMs);
}

// ---------------------------------------------------------------------------------------------------

function isWaitedFor(pod: PodObject, nowMs: number): boolean {
  return isDrainable(pod, nowMs) && !isTerminal(pod);
}

function isStuck(pod: PodObject, nowMs: number): boolean {
  const deleted = pod.metadata.deletionTimestamp;
  return deleted !== undefined && nowMs - Date.parse(deleted) > STUCK_MS;
}

function isOutOfTime(pod: PodObject, nowMs: number, deadlineMs: number): boolean {
  const deleted = pod.metadata.deletionTimestamp;
  // Already going: only pulled forward when it would outlive the deadline.
  if (deleted !== undefined) return Date.parse(deleted) > deadlineMs;
  const graceMs = (pod.spec.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS) * 1000;
  return nowMs > deadlineMs - graceMs;
}

/** Ordinary pods, their daemons, critical pods, critical daemons: each waits for those before it. */
function tierOf(pod: PodObject): number {
  const critical = CRITICAL.has(pod.spec.priorityClassName ?? '');
  return (critical ? 2 : 0) + (isOwnedByDaemonSet(pod) ? 1 : 0);
}
