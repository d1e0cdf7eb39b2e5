/** What creates pods as it is read, and what its fields say about it. */
import {
  CRON_JOBS,
  DAEMON_SETS,
  DEPLOYMENTS,
  JOBS,
  PODS,
  REPLICA_SETS,
  type ResourceRef,
  STATEFUL_SETS,
} from '@chandler/kube';
import type { Condition } from '../../../api/index.ts';
import { isFound, listOr, type ReadObject, wholeFailure } from '../../../causes/index.ts';

import type { GatherContext } from '../gather-context.ts';
import { conditionsOf, fullName, type PodShape, timeMs, withKind } from '../shapes.ts';

export interface WorkloadShape extends ReadObject {
  /** Set from the resource that was read: items of a list do not say it. */
  readonly kind: string;
  readonly spec?: {
    readonly replicas?: number;
    readonly paused?: boolean;
    readonly suspend?: boolean;
    readonly parallelism?: number;
    readonly completions?: number;
    readonly schedule?: string;
    readonly timeZone?: string;
    readonly strategy?: { readonly type?: string };
    readonly podReplacementPolicy?: string;
    readonly podFailurePolicy?: object;
  };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly replicas?: number;
    readonly readyReplicas?: number;
    readonly updatedReplicas?: number;
    readonly desiredNumberScheduled?: number;
    readonly currentNumberScheduled?: number;
    readonly numberReady?: number;
    readonly startTime?: string;
    readonly active?: unknown;
    readonly ready?: number;
    readonly succeeded?: number;
    /** Of a Job with a limit for each index: `1,3-5`. */
    readonly failedIndexes?: string;
    readonly lastScheduleTime?: string;
    readonly lastSuccessfulTime?: string;
    readonly conditions?: readonly Condition[];
  };
}

/** What a workload created. */
export interface Created {
  /** The object that creates its pods now. Undefined: there is none, or that is not known. */
  readonly creator: WorkloadShape | undefined;
  /** Of the creator; those that terminate are apart. */
  readonly pods: readonly PodShape[];
  /** Of the creator, and of the ReplicaSets before it. */
  readonly terminating: readonly PodShape[];
  /** All of it was read. */
  readonly isWhole: boolean;
}

export async function readCreated(context: GatherContext, workload: WorkloadShape): Promise<Created> {
  const { creators, creator, isWhole } = await creatorsOf(context, workload);
  if (creators.length === 0) return { creator, pods: [], terminating: [], isWhole };
  const read = await ownedBy(context, creators, PODS, 'pods', creator ?? workload);
  const pods = read.objects as readonly ReadObject[] as readonly PodShape[];
  const isOfCreator = ({ metadata }: PodShape) =>
    metadata.ownerReferences?.some(({ uid }) => uid === creator?.metadata.uid) === true;
  return {
    creator,
    pods: pods.filter((pod) => isOfCreator(pod) && !isTerminating(pod)),
    terminating: pods.filter(isTerminating),
    isWhole: isWhole && read.isWhole,
  };
}

export function newest<T extends ReadObject>(all: readonly T[]): T | undefined {
  return all.toSorted(byAge).at(-1);
}

export function byAge({ metadata: one }: ReadObject, { metadata: other }: ReadObject): number {
  const difference = (timeMs(one.creationTimestamp) ?? 0) - (timeMs(other.creationTimestamp) ?? 0);
  return difference || (one.name < other.name ? -1 : 1);
}

export function hasSucceeded({ status }: PodShape): boolean {
  return status?.phase === 'Succeeded';
}

export function isWell(pod: PodShape): boolean {
  const isReady = conditionsOf(pod).some(({ type, status }) => type === 'Ready' && status === 'True');
  return hasSucceeded(pod) || (pod.status?.phase === 'Running' && isReady);
}

/** Pods by the status of what creates them. Undefined: it does not say. */
export function countedByStatus(
  workload: WorkloadShape,
  creator: WorkloadShape | undefined,
  terminating: number,
): { readonly created: number; readonly ready: number } | undefined {
  const { kind, status = {} } = creator ?? workload;
  // Those of DaemonSets and StatefulSets count pods that terminate.
  if (kind === DAEMON_SETS.kind && status.currentNumberScheduled !== undefined)
    return {
      created: Math.max(0, status.currentNumberScheduled - terminating),
      ready: status.numberReady ?? 0,
    };
  if (kind === JOBS.kind && status.startTime !== undefined)
    return { created: Number(status.active ?? 0), ready: status.ready ?? 0 };
  if (kind === STATEFUL_SETS.kind && status.replicas !== undefined)
    return { created: Math.max(0, status.replicas - terminating), ready: status.readyReplicas ?? 0 };
  if (kind === REPLICA_SETS.kind && status.replicas !== undefined)
    return { created: status.replicas, ready: status.readyReplicas ?? 0 };
  if (kind === DEPLOYMENTS.kind && status.replicas !== undefined) {
    const { updatedReplicas = 0, readyReplicas = 0 } = status;
    return { created: updatedReplicas, ready: Math.min(updatedReplicas, readyReplicas) };
  }
  return undefined;
}

/** No pod is created before one that terminates is gone. */
export function waitsForTermination({ kind, spec = {} }: WorkloadShape): boolean {
  // The controller of a DaemonSet counts a pod that terminates as one that its node has.
  if (kind === STATEFUL_SETS.kind || kind === DAEMON_SETS.kind) return true;
  if (kind === DEPLOYMENTS.kind) return spec.strategy?.type === 'Recreate';
  const byDefault = spec.podFailurePolicy === undefined ? 'TerminatingOrFailed' : 'Failed';
  return kind === JOBS.kind && (spec.podReplacementPolicy ?? byDefault) === 'Failed';
}

/** Controllers write which change they have seen; those of Jobs do not. */
export function observedOf(workload: WorkloadShape): 'current' | 'outdated' | 'never' {
  const { kind, metadata, status = {} } = workload;
  if (kind === JOBS.kind || kind === CRON_JOBS.kind) return 'current';
  const { observedGeneration = 0, desiredNumberScheduled } = status;
  if (metadata.generation === undefined)
    return kind === DAEMON_SETS.kind && desiredNumberScheduled === undefined ? 'never' : 'current';
  if (observedGeneration === 0) return 'never';
  return observedGeneration < metadata.generation ? 'outdated' : 'current';
}

// ---------------------------------------------------------------------------------------------------

const REVISION = 'deployment.kubernetes.io/revision';

interface Creators {
  /** The ReplicaSets of a Deployment; of others the one. */
  readonly creators: readonly WorkloadShape[];
  readonly creator: WorkloadShape | undefined;
  readonly isWhole: boolean;
}

async function creatorsOf(context: GatherContext, workload: WorkloadShape): Promise<Creators> {
  if (workload.kind === DEPLOYMENTS.kind) {
    const { objects: all, isWhole } = await ownedBy(context, [workload], REPLICA_SETS, 'ReplicaSets');
    const revision = workload.metadata.annotations?.[REVISION];
    const current = all.filter(({ metadata }) => metadata.annotations?.[REVISION] === revision);
    // Older dumps have no values of this annotation.
    const active = all.filter(({ spec }) => (spec?.replicas ?? 0) > 0);
    const creator = current.length === 1 ? current[0] : (newest(active) ?? newest(all));
    const counts = waitsForTermination(workload) ? all : creator === undefined ? [] : [creator];
    return { creators: counts, creator, isWhole };
  }
  if (workload.kind === CRON_JOBS.kind) {
    const { objects, isWhole } = await ownedBy(context, [workload], JOBS, 'Jobs');
    const creator = jobOfLastTime(workload, objects);
    return { creators: creator === undefined ? [] : [creator], creator, isWhole };
  }
  return { creators: [workload], creator: workload, isWhole: true };
}

/** Jobs of before are kept when that of the last time was deleted, because it failed or its time to live is over. */
function jobOfLastTime({ status = {} }: WorkloadShape, jobs: readonly WorkloadShape[]) {
  const last = newest(jobs);
  const scheduledMs = timeMs(status.lastScheduleTime) ?? 0;
  return last !== undefined && (timeMs(last.metadata.creationTimestamp) ?? 0) >= scheduledMs
    ? last
    : undefined;
}

function isTerminating({ metadata }: PodShape): boolean {
  return metadata.deletionTimestamp !== undefined;
}

async function ownedBy(
  { reader, recorder }: GatherContext,
  owners: readonly WorkloadShape[],
  resource: ResourceRef,
  what: string,
  named: WorkloadShape = owners[0]!,
): Promise<{ readonly objects: readonly WorkloadShape[]; readonly isWhole: boolean }> {
  const { namespace = '' } = named.metadata;
  const uids = new Set(owners.map(({ metadata }) => metadata.uid));
  const objects: WorkloadShape[] = [];
  let isWhole = true;
  for await (const page of reader.pages(resource, { namespace })) {
    const failure = wholeFailure(page);
    if (failure !== undefined) {
      isWhole = false;
      recorder.addUnread('workload', `${what} of ${fullName(named)}`, failure);
    }
    if (!isFound(page)) break;
    // Of a namespace with very many objects, only these are kept.
    for (const each of listOr(page))
      if (each.metadata.ownerReferences?.some(({ uid }) => uids.has(uid)))
        objects.push(withKind(each, resource));
  }
  return { objects, isWhole };
}
