/** What the conditions of a node mean for pods: the taints it should have, and which pods are evicted when. Pure. */
import {
  conditionOf,
  formatTime,
  type Node,
  type Pod,
  parseTimeMs,
  type StatusCondition,
  type Stored,
  sameTaint,
  type Taint,
} from '@chandler/kube';
import { toleratesTaint } from './scheduler/taints.ts';

/** The taints of the node after its conditions; undefined when it has them already. */
export function taintsFor(node: Stored<Node>, nowMs: number): Taint[] | undefined {
  const before = node.spec?.taints ?? [];
  const wanted = conditionTaints(node);
  const kept = before.filter((taint) => !isOurs(taint) || wanted.some((other) => sameTaint(other, taint)));
  const added = wanted
    .filter((taint) => !before.some((other) => sameTaint(other, taint)))
    .map((taint) => ({ ...taint, timeAdded: formatTime(nowMs) }));
  return added.length === 0 && kept.length === before.length ? undefined : [...kept, ...added];
}

/**
 * How long the pod may keep running, counted from the oldest taint that it does not tolerate forever: zero evicts at once,
 * infinite never. `sinceMs` is when a taint without a time was first observed.
 */
export function toleratedForMs(
  pod: Stored<Pod>,
  taints: readonly Taint[],
  sinceMs: number,
  nowMs: number,
): number {
  let leftMs = Number.POSITIVE_INFINITY;
  for (const taint of taints) {
    if (taint.effect !== 'NoExecute') continue;
    const matching = (pod.spec.tolerations ?? []).filter((toleration) => toleratesTaint(toleration, taint));
    if (matching.length === 0) return 0;
    const seconds = matching.flatMap(({ tolerationSeconds }) => tolerationSeconds ?? []);
    if (seconds.length === 0) continue;
    const startMs = taint.timeAdded === undefined ? sinceMs : parseTimeMs(taint.timeAdded);
    leftMs = Math.min(leftMs, startMs + Math.max(0, Math.min(...seconds)) * 1000 - nowMs);
  }
  return Math.max(0, leftMs);
}

/** Conditions of a node without heartbeats. */
export function unknownConditions(node: Stored<Node>, nowMs: number): StatusCondition[] {
  const now = formatTime(nowMs);
  return REPORTED.map((type) => {
    const before = conditionOf(node, type);
    return {
      type,
      status: 'Unknown',
      reason: before ? 'NodeStatusUnknown' : 'NodeStatusNeverUpdated',
      message: before ? 'Kubelet stopped posting node status.' : 'Kubelet never posted node status.',
      lastHeartbeatTime: before?.['lastHeartbeatTime'] ?? node.metadata.creationTimestamp ?? now,
      lastTransitionTime: before?.status === 'Unknown' ? (before.lastTransitionTime ?? now) : now,
    };
  });
}

// ---------------------------------------------------------------------------------------------------

const REPORTED = ['MemoryPressure', 'DiskPressure', 'PIDPressure', 'Ready'];

/** One row per condition and value that keeps pods off. */
const TAINTS: readonly { type: string; status: string; key: string; evicts?: boolean }[] = [
  { type: 'Ready', status: 'False', key: 'node.kubernetes.io/not-ready', evicts: true },
  { type: 'Ready', status: 'Unknown', key: 'node.kubernetes.io/unreachable', evicts: true },
  { type: 'MemoryPressure', status: 'True', key: 'node.kubernetes.io/memory-pressure' },
  { type: 'DiskPressure', status: 'True', key: 'node.kubernetes.io/disk-pressure' },
  { type: 'PIDPressure', status: 'True', key: 'node.kubernetes.io/pid-pressure' },
  { type: 'NetworkUnavailable', status: 'True', key: 'node.kubernetes.io/network-unavailable' },
];
const UNSCHEDULABLE = 'node.kubernetes.io/unschedulable';
const OUR_KEYS = new Set([...TAINTS.map(({ key }) => key), UNSCHEDULABLE]);

function conditionTaints(node: Stored<Node>): Taint[] {
  const taints: Taint[] = [];
  for (const { type, status, key, evicts } of TAINTS) {
    // A node that never reported a status is not ready.
    const actual = conditionOf(node, type)?.status ?? (type === 'Ready' ? 'False' : undefined);
    if (actual !== status) continue;
    taints.push({ key, effect: 'NoSchedule' });
    if (evicts) taints.push({ key, effect: 'NoExecute' });
  }
  if (node.spec?.unschedulable) taints.push({ key: UNSCHEDULABLE, effect: 'NoSchedule' });
  return taints;
}

function isOurs(taint: Taint): boolean {
  return OUR_KEYS.has(taint.key);
}
