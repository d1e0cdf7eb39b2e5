/**
 * How a Deployment moves from old ReplicaSets to the new one: sizes, within what surge and unavailability allow, and the
 * status that `kubectl rollout status` reads. Pure. A change of size in the middle of a rollout goes to the new
 * ReplicaSet only; upstream would share it out.
 */
import {
  type Deployment,
  formatTime,
  type PodTemplateSpec,
  parseTimeMs,
  type ReplicaSet,
  type StatusCondition,
  type Stored,
  type WorkloadStatus,
  withConditions,
} from '@chandler/kube';
import { nameOf } from '../object-facts.ts';
import { sameJson } from '../same-json.ts';
import { scaledValue } from './owned-pods.ts';

export const TEMPLATE_HASH = 'pod-template-hash';
export const REVISION = 'deployment.kubernetes.io/revision';

/** The ReplicaSet that has the Deployment's template, whatever its hash. The oldest, if there are several. */
export function findCurrent(
  deployment: Stored<Deployment>,
  sets: readonly Stored<ReplicaSet>[],
): Stored<ReplicaSet> | undefined {
  const wanted = bareTemplate(deployment.spec.template);
  return byAge(sets).find((set) => sameJson(bareTemplate(set.spec.template), wanted));
}

/** New sizes; sets that keep theirs are not named. */
export function planSizes(
  deployment: Stored<Deployment>,
  current: Stored<ReplicaSet> | undefined,
  old: readonly Stored<ReplicaSet>[],
): Map<Stored<ReplicaSet>, number> {
  if (deployment.spec.strategy?.type === 'Recreate') return planRecreate(deployment, current, old);
  const grown =
    current === undefined ? new Map<Stored<ReplicaSet>, number>() : growCurrent(deployment, current, old);
  return grown.size > 0 || current === undefined ? grown : shrinkOld(deployment, current, old);
}

/** The size with which a new ReplicaSet begins. */
export function firstSize(deployment: Stored<Deployment>, old: readonly Stored<ReplicaSet>[]): number {
  const desired = desiredOf(deployment);
  if (deployment.spec.strategy?.type === 'Recreate') return desired;
  return Math.max(0, Math.min(desired, desired + surgeOf(deployment) - total(old)));
}

export function deploymentStatus(
  deployment: Stored<Deployment>,
  current: Stored<ReplicaSet> | undefined,
  old: readonly Stored<ReplicaSet>[],
  nowMs: number,
): WorkloadStatus {
  const sets = current ? [...old, current] : old;
  const sum = (field: string) => sets.reduce((all, set) => all + Number(set.status?.[field] ?? 0), 0);
  const available = sum('availableReplicas');
  const counts = {
    replicas: sum('replicas'),
    updatedReplicas: Number(current?.status?.replicas ?? 0),
    readyReplicas: sum('readyReplicas'),
    availableReplicas: available,
    unavailableReplicas: Math.max(0, total(sets) - available),
  };
  const before = deployment.status ?? {};
  const failure = [...(current === undefined ? [] : [current]), ...old]
    .flatMap((set) => set.status?.conditions ?? [])
    .find(({ type }) => type === 'ReplicaFailure');
  const changes = [
    availability(deployment, available),
    progress(deployment, current, counts, nowMs),
    // Of a ReplicaSet whose pods are refused, as long as it says so.
    failure,
  ];
  const conditions = stamped(
    (before.conditions ?? []).filter(({ type }) => type !== 'ReplicaFailure' || failure !== undefined),
    changes.filter((condition) => condition !== undefined),
    formatTime(nowMs),
  );
  const nonZero = Object.entries(counts).filter(([, count]) => count !== 0);
  return {
    observedGeneration: deployment.metadata.generation ?? 0,
    ...Object.fromEntries(nonZero),
    ...(before['collisionCount'] === undefined ? {} : { collisionCount: before['collisionCount'] }),
    ...(sum('terminatingReplicas') > 0 || before['terminatingReplicas'] !== undefined
      ? { terminatingReplicas: sum('terminatingReplicas') }
      : {}),
    conditions,
  };
}

/** When a rollout without progress exceeds its deadline; undefined when none is in progress. */
export function deadlineInMs(
  deployment: Stored<Deployment>,
  status: WorkloadStatus,
  nowMs: number,
): number | undefined {
  const condition = status.conditions?.find(({ type }) => type === 'Progressing');
  if (condition?.status !== 'True' || condition.reason === 'NewReplicaSetAvailable') return undefined;
  const sinceMs = parseTimeMs(condition['lastUpdateTime'] as string | undefined);
  return Math.max(0, sinceMs + (deployment.spec.progressDeadlineSeconds ?? 600) * 1000 - nowMs) + 1000;
}

/** Old sets without pods that exceed the revision history limit, oldest first. */
export function forgotten(
  deployment: Stored<Deployment>,
  old: readonly Stored<ReplicaSet>[],
): Stored<ReplicaSet>[] {
  const empty = old.filter((set) => (set.spec.replicas ?? 0) === 0 && (set.status?.replicas ?? 0) === 0);
  const excess = empty.length - (deployment.spec.revisionHistoryLimit ?? 10);
  if (excess <= 0) return [];
  return [...empty].sort((left, right) => revisionOf(left) - revisionOf(right)).slice(0, excess);
}

export function revisionOf(set: Stored<ReplicaSet>): number {
  return Number(set.metadata.annotations?.[REVISION] ?? 0) || 0;
}

// ---------------------------------------------------------------------------------------------------

interface Counts {
  readonly replicas: number;
  readonly updatedReplicas: number;
  readonly readyReplicas: number;
  readonly availableReplicas: number;
}

function desiredOf(deployment: Stored<Deployment>): number {
  return deployment.spec.replicas ?? 1;
}

function surgeOf(deployment: Stored<Deployment>): number {
  return scaledValue(deployment.spec.strategy?.rollingUpdate?.maxSurge ?? '25%', desiredOf(deployment), 'up');
}

/** With both at zero nothing could change; then one pod may be unavailable. */
function maxUnavailableOf(deployment: Stored<Deployment>): number {
  const desired = desiredOf(deployment);
  if (deployment.spec.strategy?.type === 'Recreate' || desired === 0) return 0;
  const value = scaledValue(
    deployment.spec.strategy?.rollingUpdate?.maxUnavailable ?? '25%',
    desired,
    'down',
  );
  return Math.min(desired, value === 0 && surgeOf(deployment) === 0 ? 1 : value);
}

function total(sets: readonly Stored<ReplicaSet>[]): number {
  return sets.reduce((all, set) => all + (set.spec.replicas ?? 0), 0);
}

function availableOf(set: Stored<ReplicaSet>): number {
  return set.status?.availableReplicas ?? 0;
}

function growCurrent(
  deployment: Stored<Deployment>,
  current: Stored<ReplicaSet>,
  old: readonly Stored<ReplicaSet>[],
): Map<Stored<ReplicaSet>, number> {
  const desired = desiredOf(deployment);
  const size = current.spec.replicas ?? 0;
  const room = desired + surgeOf(deployment) - total(old) - size;
  const next = size >= desired ? desired : size + Math.max(0, Math.min(room, desired - size));
  return next === size ? new Map() : new Map([[current, next]]);
}

/** First unavailable pods, then as many as availability allows. */
function shrinkOld(
  deployment: Stored<Deployment>,
  current: Stored<ReplicaSet>,
  old: readonly Stored<ReplicaSet>[],
): Map<Stored<ReplicaSet>, number> {
  const sizes = new Map<Stored<ReplicaSet>, number>();
  const minAvailable = desiredOf(deployment) - maxUnavailableOf(deployment);
  const currentUnavailable = (current.spec.replicas ?? 0) - availableOf(current);
  let mayGo = total([...old, current]) - minAvailable - currentUnavailable;
  if (mayGo <= 0) return sizes;
  const sizeOf = (set: Stored<ReplicaSet>) => sizes.get(set) ?? set.spec.replicas ?? 0;
  for (const set of byAge(old)) {
    const unhealthy = Math.max(0, sizeOf(set) - availableOf(set));
    const count = Math.min(mayGo, unhealthy);
    if (count <= 0) continue;
    sizes.set(set, sizeOf(set) - count);
    mayGo -= count;
  }
  let spare = [...old, current].reduce((all, set) => all + availableOf(set), 0) - minAvailable;
  for (const set of byAge(old)) {
    const count = Math.min(spare, sizeOf(set));
    if (count <= 0) continue;
    sizes.set(set, sizeOf(set) - count);
    spare -= count;
  }
  return sizes;
}

function planRecreate(
  deployment: Stored<Deployment>,
  current: Stored<ReplicaSet> | undefined,
  old: readonly Stored<ReplicaSet>[],
): Map<Stored<ReplicaSet>, number> {
  const sizes = new Map<Stored<ReplicaSet>, number>();
  for (const set of old) if ((set.spec.replicas ?? 0) > 0) sizes.set(set, 0);
  const oldIsThere = old.some(
    (set) => (set.status?.replicas ?? 0) + Number(set.status?.['terminatingReplicas'] ?? 0) > 0,
  );
  if (sizes.size === 0 && current && !oldIsThere && current.spec.replicas !== desiredOf(deployment)) {
    sizes.set(current, desiredOf(deployment));
  }
  return sizes;
}

function availability(deployment: Stored<Deployment>, available: number): StatusCondition {
  return available >= desiredOf(deployment) - maxUnavailableOf(deployment)
    ? {
        type: 'Available',
        status: 'True',
        reason: 'MinimumReplicasAvailable',
        message: 'Deployment has minimum availability.',
      }
    : {
        type: 'Available',
        status: 'False',
        reason: 'MinimumReplicasUnavailable',
        message: 'Deployment does not have minimum availability.',
      };
}

function progress(
  deployment: Stored<Deployment>,
  current: Stored<ReplicaSet> | undefined,
  counts: Counts,
  nowMs: number,
): StatusCondition | undefined {
  const deadlineSeconds = deployment.spec.progressDeadlineSeconds ?? 600;
  if (deadlineSeconds >= MAX_INT32 || !current) return undefined;
  const before = deployment.status?.conditions?.find(({ type }) => type === 'Progressing');
  const what = `ReplicaSet "${nameOf(current)}"`;
  const desired = desiredOf(deployment);
  const complete =
    counts.updatedReplicas === desired && counts.replicas === desired && counts.availableReplicas === desired;
  if (complete) {
    return {
      type: 'Progressing',
      status: 'True',
      reason: 'NewReplicaSetAvailable',
      message: `${what} has successfully progressed.`,
    };
  }
  // A complete rollout that lost a pod is not in progress again.
  if (before?.reason === 'NewReplicaSetAvailable' && counts.replicas === counts.updatedReplicas)
    return before;
  const moved = PROGRESS_FIELDS.some((field) => Number(deployment.status?.[field] ?? 0) !== counts[field]);
  const sinceMs = parseTimeMs(
    (before?.['lastUpdateTime'] as string | undefined) ?? before?.lastTransitionTime,
  );
  if (before && !moved && nowMs > sinceMs + deadlineSeconds * 1000) {
    return {
      type: 'Progressing',
      status: 'False',
      reason: 'ProgressDeadlineExceeded',
      message: `${what} has timed out progressing.`,
    };
  }
  if (before && !moved && before.reason !== 'NewReplicaSetAvailable') return before;
  return {
    type: 'Progressing',
    status: 'True',
    reason: 'ReplicaSetUpdated',
    message: `${what} is progressing.`,
    lastUpdateTime: formatTime(nowMs),
  };
}

const MAX_INT32 = 2_147_483_647;
const PROGRESS_FIELDS = ['updatedReplicas', 'readyReplicas', 'availableReplicas'] as const;

/** Conditions of Deployments also say when they were last written. */
function stamped(
  before: readonly StatusCondition[] | undefined,
  changes: readonly StatusCondition[],
  now: string,
): StatusCondition[] {
  const withUpdateTimes = changes.map((change) => {
    const known = before?.find(({ type }) => type === change.type);
    const same =
      known?.status === change.status && known.reason === change.reason && known.message === change.message;
    return {
      ...change,
      lastUpdateTime: change['lastUpdateTime'] ?? (same ? known['lastUpdateTime'] : undefined) ?? now,
    };
  });
  return withConditions(before, withUpdateTimes, now);
}

function bareTemplate(template: PodTemplateSpec): unknown {
  const { creationTimestamp: _, labels, ...metadata } = template.metadata ?? {};
  const { [TEMPLATE_HASH]: __, ...rest } = labels ?? {};
  return { ...template, metadata: { ...metadata, labels: rest } };
}

function byAge(sets: readonly Stored<ReplicaSet>[]): Stored<ReplicaSet>[] {
  const key = (set: Stored<ReplicaSet>) => `${set.metadata.creationTimestamp ?? ''} ${nameOf(set)}`;
  return [...sets].sort((left, right) => (key(left) < key(right) ? -1 : 1));
}
