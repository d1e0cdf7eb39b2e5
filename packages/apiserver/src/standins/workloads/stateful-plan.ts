/**
 * What a StatefulSet does next: pods by ordinal, one after the other by default, updates from the highest
 * down. Pure. There are no ControllerRevisions: a pod that is made again in the middle of an update gets the new
 * template.
 */
import type {
  NamedObject,
  PersistentVolumeClaim,
  Pod,
  StatefulSet,
  Stored,
  WorkloadStatus,
} from '@chandler/kube';
import { isReady, isTerminating, nameOf, namespaceOf } from '../object-facts.ts';
import { isActive, isAvailable, templateHash } from './owned-pods.ts';

export const REVISION_LABEL = 'controller-revision-hash';

export interface StatefulPlan {
  /** Ordinals to create. */
  readonly create: readonly number[];
  readonly remove: readonly Stored<Pod>[];
}

export function planStateful(
  set: Stored<StatefulSet>,
  pods: readonly Stored<Pod>[],
  nowMs: number,
): StatefulPlan {
  if (isTerminating(set)) return NOTHING_TO_DO;
  const parallel = set.spec.podManagementPolicy === 'Parallel';
  const first = set.spec.ordinals?.start ?? 0;
  const end = first + (set.spec.replicas ?? 1);
  const byOrdinal = new Map(pods.map((pod) => [ordinalOf(set, pod), pod]));
  const healthy = (pod: Stored<Pod> | undefined) =>
    pod !== undefined && isActive(pod) && isAvailable(pod, set.spec.minReadySeconds ?? 0, nowMs);

  // A finished pod is created again.
  const ended = pods.filter((pod) => !isActive(pod) && !isTerminating(pod));
  if (ended.length > 0) return { create: [], remove: parallel ? ended : ended.slice(0, 1) };

  const wanted = Array.from({ length: end - first }, (_, at) => first + at);
  const missing = wanted.filter((ordinal) => !byOrdinal.has(ordinal));
  if (parallel && missing.length > 0) return { create: missing, remove: [] };
  if (!parallel) {
    const next = wanted.find((ordinal) => !healthy(byOrdinal.get(ordinal)));
    if (next !== undefined && !byOrdinal.has(next)) return { create: [next], remove: [] };
    // An unhealthy pod of the old template must not block its own replacement.
    if (next !== undefined && !isOutdated(set, byOrdinal.get(next))) return NOTHING_TO_DO;
  }

  const excess = pods
    .filter((pod) => ordinalOf(set, pod) >= end || ordinalOf(set, pod) < first)
    .sort((left, right) => ordinalOf(set, right) - ordinalOf(set, left));
  if (excess.length > 0) {
    const leaving = excess.some(isTerminating);
    return { create: [], remove: parallel ? excess.filter(isActive) : leaving ? [] : excess.slice(0, 1) };
  }
  return { create: [], remove: nextUpdate(set, wanted, byOrdinal, healthy) };
}

export function statefulStatus(
  set: Stored<StatefulSet>,
  pods: readonly Stored<Pod>[],
  nowMs: number,
): WorkloadStatus {
  const updateRevision = revisionName(set);
  const replicas = set.spec.replicas ?? 1;
  const active = pods.filter((pod) => isActive(pod) || isTerminating(pod));
  const ready = active.filter((pod) => isReady(pod) && !isTerminating(pod));
  const available = ready.filter((pod) => isAvailable(pod, set.spec.minReadySeconds ?? 0, nowMs));
  const updated = active.filter((pod) => !isTerminating(pod) && !isOutdated(set, pod));
  const complete = updated.length === replicas && ready.length === replicas && active.length === replicas;
  const currentRevision = complete ? updateRevision : (set.status?.currentRevision ?? updateRevision);
  const current = active.filter((pod) => pod.metadata.labels?.[REVISION_LABEL] === currentRevision);
  return {
    observedGeneration: set.metadata.generation ?? 0,
    replicas: active.length,
    ...(ready.length === 0 ? {} : { readyReplicas: ready.length }),
    ...(current.length === 0 ? {} : { currentReplicas: current.length }),
    ...(updated.length === 0 ? {} : { updatedReplicas: updated.length }),
    currentRevision,
    updateRevision,
    collisionCount: 0,
    availableReplicas: available.length,
  };
}

export function revisionName(set: Stored<StatefulSet>): string {
  return `${nameOf(set)}-${templateHash(set.spec.template)}`;
}

export function ordinalOf(set: Stored<StatefulSet>, pod: Stored<Pod>): number {
  return Number(nameOf(pod).slice(nameOf(set).length + 1));
}

/** Claims of the pod with this ordinal. They outlive it. */
export function claimsFor(
  set: Stored<StatefulSet>,
  ordinal: number,
): (PersistentVolumeClaim & NamedObject)[] {
  return (set.spec.volumeClaimTemplates ?? []).map(({ metadata, spec }) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: claimName(set, metadata.name, ordinal),
      namespace: namespaceOf(set),
      labels: { ...metadata.labels, ...set.spec.selector.matchLabels },
      ...(metadata.annotations ? { annotations: metadata.annotations } : {}),
    },
    spec,
  }));
}

export function claimName(set: Stored<StatefulSet>, template: string, ordinal: number): string {
  return `${template}-${nameOf(set)}-${ordinal}`;
}

// ---------------------------------------------------------------------------------------------------

const NOTHING_TO_DO: StatefulPlan = { create: [], remove: [] };

function isOutdated(set: Stored<StatefulSet>, pod: Stored<Pod> | undefined): boolean {
  return pod !== undefined && pod.metadata.labels?.[REVISION_LABEL] !== revisionName(set);
}

/** The highest outdated ordinal, when all above it are healthy. */
function nextUpdate(
  set: Stored<StatefulSet>,
  ordinals: readonly number[],
  byOrdinal: ReadonlyMap<number, Stored<Pod>>,
  healthy: (pod: Stored<Pod> | undefined) => boolean,
): readonly Stored<Pod>[] {
  if (set.spec.updateStrategy?.type === 'OnDelete') return [];
  const partition = set.spec.updateStrategy?.rollingUpdate?.partition ?? 0;
  for (const ordinal of ordinals.toReversed()) {
    if (ordinal < partition) return [];
    const pod = byOrdinal.get(ordinal);
    if (!pod || isTerminating(pod)) return [];
    if (isOutdated(set, pod)) return [pod];
    if (!healthy(pod)) return [];
  }
  return [];
}
