/** The nodes on which a DaemonSet needs a pod, the pods to delete, and its status. Pure. */
import type { DaemonSet, Node, Pod, PodSpec, Stored, Toleration, WorkloadStatus } from '@chandler/kube';
import { isFinished, isReady, isTerminating, nameOf } from '../object-facts.ts';
import { matchesNodeAffinity } from '../scheduler/node-affinity.ts';
import { tolerates, untolerated } from '../scheduler/taints.ts';
import { isAvailable, scaledValue, templateHash } from './owned-pods.ts';

export const REVISION_LABEL = 'controller-revision-hash';

export interface DaemonPlan {
  /** Names of nodes that need a pod. */
  readonly create: readonly string[];
  readonly remove: readonly Stored<Pod>[];
}

export function planDaemon(
  set: Stored<DaemonSet>,
  nodes: Iterable<Stored<Node>>,
  pods: readonly Stored<Pod>[],
  nowMs: number,
): DaemonPlan {
  if (isTerminating(set)) return { create: [], remove: [] };
  const byNode = podsByNode(pods);
  const create: string[] = [];
  const remove: Stored<Pod>[] = [];
  const kept: Stored<Pod>[] = [];
  for (const node of nodes) {
    const here = byNode.get(nameOf(node)) ?? [];
    const { shouldRun, keepRunning } = eligibility(set, node);
    const alive = here.filter((pod) => !isTerminating(pod));
    const ended = alive.filter(isFinished);
    remove.push(...ended);
    const running = alive.filter((pod) => !isFinished(pod));
    if (!keepRunning) remove.push(...running);
    else {
      const [oldest, ...extra] = byAge(running);
      remove.push(...extra);
      if (oldest) kept.push(oldest);
      else if (shouldRun && here.length === 0) create.push(nameOf(node));
    }
  }
  // Outdated pods are replaced only when every node has its pod.
  if (create.length === 0) remove.push(...nextUpdates(set, kept, byNode, nowMs));
  return { create: create.sort(), remove };
}

export function daemonStatus(
  set: Stored<DaemonSet>,
  nodes: Iterable<Stored<Node>>,
  pods: readonly Stored<Pod>[],
  nowMs: number,
): WorkloadStatus {
  const byNode = podsByNode(pods);
  const counts = { desired: 0, current: 0, misscheduled: 0, ready: 0, updated: 0, available: 0 };
  for (const node of nodes) {
    const [pod] = byAge((byNode.get(nameOf(node)) ?? []).filter((found) => !isFinished(found)));
    if (!eligibility(set, node).shouldRun) {
      if (pod) counts.misscheduled += 1;
      continue;
    }
    counts.desired += 1;
    if (!pod) continue;
    counts.current += 1;
    if (isReady(pod)) counts.ready += 1;
    if (isAvailable(pod, set.spec.minReadySeconds ?? 0, nowMs)) counts.available += 1;
    if (pod.metadata.labels?.[REVISION_LABEL] === revisionOf(set)) counts.updated += 1;
  }
  const unavailable = counts.desired - counts.available;
  return {
    currentNumberScheduled: counts.current,
    numberMisscheduled: counts.misscheduled,
    desiredNumberScheduled: counts.desired,
    numberReady: counts.ready,
    observedGeneration: set.metadata.generation ?? 0,
    ...(counts.updated === 0 ? {} : { updatedNumberScheduled: counts.updated }),
    ...(counts.available === 0 ? {} : { numberAvailable: counts.available }),
    ...(unavailable === 0 ? {} : { numberUnavailable: unavailable }),
  };
}

/** Whether the node should get a pod, and whether an existing one may keep running. */
export function eligibility(
  set: Stored<DaemonSet>,
  node: Stored<Node>,
): { shouldRun: boolean; keepRunning: boolean } {
  const spec = daemonPodSpec(set, undefined);
  const here = { name: nameOf(node), labels: node.metadata.labels ?? {} };
  const wantedHere =
    (spec.nodeName === undefined || spec.nodeName === here.name) && matchesNodeAffinity({ spec }, here);
  if (!wantedHere) return { shouldRun: false, keepRunning: false };
  const taints = node.spec?.taints ?? [];
  if (!untolerated(taints, spec.tolerations)) return { shouldRun: true, keepRunning: true };
  const evicts = taints.some((taint) => taint.effect === 'NoExecute' && !tolerates(spec.tolerations, taint));
  return { shouldRun: false, keepRunning: !evicts };
}

/** The template, with the tolerations of daemons and the node affinity to one node. */
export function daemonPodSpec(set: Stored<DaemonSet>, nodeName: string | undefined): PodSpec {
  const { spec } = set.spec.template;
  const given = spec.tolerations ?? [];
  const added = DAEMON_TOLERATIONS.filter(
    ({ hostNetworkOnly, toleration }) =>
      (!hostNetworkOnly || spec.hostNetwork) &&
      !given.some(({ key, effect }) => key === toleration.key && effect === toleration.effect),
  ).map(({ toleration }) => toleration);
  const tolerations = [...given, ...added];
  if (nodeName === undefined) return { ...spec, tolerations };
  const here = { matchFields: [{ key: 'metadata.name', operator: 'In', values: [nodeName] }] };
  const nodeAffinity = {
    ...spec.affinity?.nodeAffinity,
    requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [here] },
  };
  return { ...spec, tolerations, affinity: { ...spec.affinity, nodeAffinity } };
}

/** The node of a daemon pod, or the node that its affinity names. */
export function targetNode(pod: Stored<Pod>): string {
  if (pod.spec.nodeName) return pod.spec.nodeName;
  const terms =
    pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  return terms[0]?.matchFields?.find(({ key }) => key === 'metadata.name')?.values?.[0] ?? '';
}

export function revisionOf(set: Stored<DaemonSet>): string {
  return templateHash(set.spec.template);
}

// ---------------------------------------------------------------------------------------------------

const DAEMON_TOLERATIONS: readonly { readonly toleration: Toleration; readonly hostNetworkOnly?: boolean }[] =
  [
    { toleration: { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' } },
    { toleration: { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' } },
    { toleration: { key: 'node.kubernetes.io/disk-pressure', operator: 'Exists', effect: 'NoSchedule' } },
    { toleration: { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' } },
    { toleration: { key: 'node.kubernetes.io/pid-pressure', operator: 'Exists', effect: 'NoSchedule' } },
    { toleration: { key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' } },
    {
      toleration: { key: 'node.kubernetes.io/network-unavailable', operator: 'Exists', effect: 'NoSchedule' },
      hostNetworkOnly: true,
    },
  ];

function podsByNode(pods: readonly Stored<Pod>[]): Map<string, Stored<Pod>[]> {
  const byNode = new Map<string, Stored<Pod>[]>();
  for (const pod of pods) {
    const node = targetNode(pod);
    const here = byNode.get(node);
    if (here) here.push(pod);
    else byNode.set(node, [pod]);
  }
  return byNode;
}

/** Outdated pods that may be replaced now. Surge is not supported: a pod is deleted before its replacement is created. */
function nextUpdates(
  set: Stored<DaemonSet>,
  kept: readonly Stored<Pod>[],
  byNode: ReadonlyMap<string, readonly Stored<Pod>[]>,
  nowMs: number,
): Stored<Pod>[] {
  if (set.spec.updateStrategy?.type === 'OnDelete') return [];
  const revision = revisionOf(set);
  const outdated = byAge(kept.filter((pod) => pod.metadata.labels?.[REVISION_LABEL] !== revision));
  if (outdated.length === 0) return [];
  const available = (pod: Stored<Pod>) => isAvailable(pod, set.spec.minReadySeconds ?? 0, nowMs);
  const limit = Math.max(
    1,
    scaledValue(set.spec.updateStrategy?.rollingUpdate?.maxUnavailable ?? 1, kept.length, 'up'),
  );
  const leaving = [...byNode.values()].flat().filter(isTerminating).length;
  const unavailable = kept.filter((pod) => !available(pod)).length + leaving;
  const broken = outdated.filter((pod) => !available(pod));
  return [...broken, ...outdated.filter(available).slice(0, Math.max(0, limit - unavailable))];
}

function byAge(pods: readonly Stored<Pod>[]): Stored<Pod>[] {
  const key = (pod: Stored<Pod>) =>
    `${pod.spec.nodeName ? 0 : 1} ${pod.metadata.creationTimestamp ?? ''} ${nameOf(pod)}`;
  return [...pods].sort((left, right) => (key(left) < key(right) ? -1 : 1));
}
