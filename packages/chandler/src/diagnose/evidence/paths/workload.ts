/**
 * Evidence about what creates pods: how many it wants and how many there are, what its controller says, and the pod that is
 * worst. A Deployment creates them by a ReplicaSet, a CronJob by a Job.
 */
import {
  CRON_JOBS,
  DAEMON_SETS,
  DEPLOYMENTS,
  JOBS,
  PODS,
  REPLICA_SETS,
  type ResourceRef,
} from '@chandler/kube';
import type { Condition } from '../../../api/index.ts';
import {
  isFound,
  listOr,
  type ReadObject,
  type WorkloadEvidence,
  wholeFailure,
} from '../../../causes/index.ts';

import { readEvents } from '../events.ts';
import type { GatherContext } from '../gather-context.ts';
import { conditionsOf, fullName, type PodShape, timeMs, withKind } from '../shapes.ts';
import { gatherPod } from './pod.ts';

export async function gatherWorkload(context: GatherContext, object: ReadObject): Promise<void> {
  const workload = object as WorkloadShape;
  const creator = await creatorOf(context, workload);
  const pods = creator === undefined ? [] : await podsOf(context, creator);
  for (const each of new Set([workload, creator ?? workload])) {
    const { name, namespace, uid } = each.metadata;
    await readEvents(context, { kind: each.kind, name, namespace, uid });
  }
  const state = stateOfWorkload(workload, creator, pods);
  addEvidence(context, workload, creator, state);
  const shown = shownPod(state, pods);
  if (shown !== undefined) await gatherPod(context, shown);
}

// ---------------------------------------------------------------------------------------------------

interface WorkloadShape extends ReadObject {
  /** Set from the resource that was read: items of a list do not say it. */
  readonly kind: string;
  readonly spec?: {
    readonly replicas?: number;
    readonly paused?: boolean;
    readonly suspend?: boolean;
    readonly parallelism?: number;
    readonly completions?: number;
    readonly schedule?: string;
  };
  readonly status?: {
    readonly desiredNumberScheduled?: number;
    readonly readyReplicas?: number;
    readonly succeeded?: number;
    readonly conditions?: readonly Condition[];
  };
}

const REVISION = 'deployment.kubernetes.io/revision';

/** Undefined: it has created none, or that is not known. */
async function creatorOf(
  context: GatherContext,
  workload: WorkloadShape,
): Promise<WorkloadShape | undefined> {
  if (workload.kind === DEPLOYMENTS.kind) {
    const all = await ownedBy(context, workload, REPLICA_SETS, 'ReplicaSets');
    const revision = workload.metadata.annotations?.[REVISION];
    const current = all.filter(({ metadata }) => metadata.annotations?.[REVISION] === revision);
    // Older dumps have no values of this annotation.
    const active = all.filter(({ spec }) => (spec?.replicas ?? 0) > 0);
    return current.length === 1 ? current[0] : (newest(active) ?? newest(all));
  }
  if (workload.kind === CRON_JOBS.kind) return newest(await ownedBy(context, workload, JOBS, 'Jobs'));
  return workload;
}

async function podsOf(context: GatherContext, creator: WorkloadShape): Promise<readonly PodShape[]> {
  const pods = (await ownedBy(context, creator, PODS, 'pods')) as readonly ReadObject[];
  return (pods as readonly PodShape[]).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
}

async function ownedBy(
  { reader, recorder }: GatherContext,
  owner: WorkloadShape,
  resource: ResourceRef,
  what: string,
): Promise<readonly WorkloadShape[]> {
  const { namespace = '', uid } = owner.metadata;
  const found: ReadObject[] = [];
  for await (const page of reader.pages(resource, { namespace })) {
    const failure = wholeFailure(page);
    if (failure !== undefined) recorder.addUnread('workload', `${what} of ${fullName(owner)}`, failure);
    if (!isFound(page)) break;
    found.push(...listOr(page));
  }
  return found
    .filter(({ metadata }) => metadata.ownerReferences?.some((each) => each.uid === uid))
    .map((each) => withKind(each, resource));
}

function newest<T extends ReadObject>(all: readonly T[]): T | undefined {
  return all.toSorted(byAge).at(-1);
}

function byAge({ metadata: one }: ReadObject, { metadata: other }: ReadObject): number {
  const difference = (timeMs(one.creationTimestamp) ?? 0) - (timeMs(other.creationTimestamp) ?? 0);
  return difference || (one.name < other.name ? -1 : 1);
}

/** How far a workload got with its pods. */
interface WorkloadState {
  readonly wanted: number;
  /** What its creator wants now: a ReplicaSet gets more during a rollout, a Job needs fewer near its end. */
  readonly due: number;
  /** Pods that count for it. Failed ones are left behind: others are created in their place. */
  readonly live: readonly PodShape[];
  readonly isSuspended: boolean;
  readonly isDone: boolean;
  readonly hasFailed: boolean;
}

function stateOfWorkload(
  workload: WorkloadShape,
  creator: WorkloadShape | undefined,
  pods: readonly PodShape[],
): WorkloadState {
  const isTrue = (...types: readonly string[]) =>
    (creator?.status?.conditions ?? []).some(({ type, status }) => types.includes(type) && status === 'True');
  const isJob = creator?.kind === JOBS.kind;
  const over: ReadonlySet<string> = new Set(isJob ? ['Failed', 'Succeeded'] : ['Failed']);
  const hasFailed = isJob && isTrue('Failed');
  const wanted = wantedPods(workload, creator, pods);
  const due =
    workload.kind === DEPLOYMENTS.kind ? Math.min(creator?.spec?.replicas ?? wanted, wanted) : wanted;
  return {
    wanted,
    due: hasFailed ? 0 : due,
    live: pods.filter(({ status }) => !over.has(status?.phase ?? '')),
    isSuspended: workload.spec?.suspend === true || creator?.spec?.suspend === true,
    isDone: isJob && isTrue('Complete', 'SuccessCriteriaMet'),
    hasFailed,
  };
}

function addEvidence(
  { recorder }: GatherContext,
  workload: WorkloadShape,
  creator: WorkloadShape | undefined,
  state: WorkloadState,
): void {
  const { kind, metadata } = workload;
  const { wanted, due, live, isSuspended, isDone } = state;
  recorder.add({
    kind: 'workload',
    reading: recorder.reading(`${kind} ${fullName(workload)}`),
    objectKind: kind,
    name: fullName(workload),
    createdAtMs: timeMs(metadata.creationTimestamp) ?? recorder.atMs,
    wanted,
    due,
    created: live.length,
    ready: live.filter(isWell).length,
    rollout: due < wanted ? rolloutOf(workload, creator) : undefined,
    isSuspended,
    isDone,
    note: isSuspended ? undefined : noteOf(workload, creator, state),
    conditions: [workload, ...(creator === undefined || creator === workload ? [] : [creator])].flatMap(
      (each) => conditionsOf(each),
    ),
    creators: [workload, creator ?? workload].map((each) => `${each.kind}/${fullName(each)}`),
  });
}

/** Since the ReplicaSet was created, or last got further: after a rollback it is an old one. */
function rolloutOf(
  { kind, status = {} }: WorkloadShape,
  creator: WorkloadShape | undefined,
): WorkloadEvidence['rollout'] {
  if (kind !== DEPLOYMENTS.kind || creator === undefined) return undefined;
  const progressing = status.conditions?.find(({ type }) => type === 'Progressing') as
    | (Condition & { readonly lastUpdateTime?: string })
    | undefined;
  return {
    sinceMs: Math.max(
      timeMs(creator.metadata.creationTimestamp) ?? 0,
      timeMs(progressing?.lastUpdateTime) ?? 0,
    ),
    readyInAll: status.readyReplicas ?? 0,
  };
}

function wantedPods(
  { kind, spec = {}, status = {} }: WorkloadShape,
  creator: WorkloadShape | undefined,
  pods: readonly PodShape[],
): number {
  if (kind === DAEMON_SETS.kind) return status.desiredNumberScheduled ?? 0;
  if (kind === JOBS.kind || kind === CRON_JOBS.kind)
    return creator === undefined ? 0 : jobPods(creator, pods);
  return spec.replicas ?? 1;
}

/** Those that run at a time, and are not done. */
function jobPods({ spec = {}, status = {} }: WorkloadShape, pods: readonly PodShape[]): number {
  const { parallelism = 1, completions } = spec;
  const succeeded = Math.max(status.succeeded ?? 0, pods.filter(hasSucceeded).length);
  // Without a number of completions, the first pod that succeeds ends the Job.
  if (completions === undefined) return succeeded > 0 ? 0 : parallelism;
  return Math.max(0, Math.min(parallelism, completions - succeeded));
}

function noteOf(
  { kind, spec = {} }: WorkloadShape,
  creator: WorkloadShape | undefined,
  { wanted, due, hasFailed }: WorkloadState,
): string | undefined {
  if (kind === CRON_JOBS.kind && creator === undefined)
    return `has no Job: the next one is created by its schedule (${spec.schedule ?? ''})`;
  if (hasFailed) return undefined;
  if (spec.paused === true && due < wanted) return 'is paused in the middle of a rollout';
  if (wanted > 0) return undefined;
  if (kind === DAEMON_SETS.kind) return 'wants no pod: no node matches its selector';
  return creator?.kind === JOBS.kind && creator.spec?.parallelism !== 0
    ? 'needs no more pods'
    : 'is scaled to zero';
}

/** The pod whose state is that of the workload: where all are well, any of them, which shows the layers. */
function shownPod(
  { due, live, isDone, hasFailed }: WorkloadState,
  pods: readonly PodShape[],
): PodShape | undefined {
  if (isDone) return pods.find(hasSucceeded);
  const failed = newest(pods.filter(({ status }) => status?.phase === 'Failed'));
  if (hasFailed) return failed;
  const worst = worstOf(live);
  if (worst !== undefined) return worst;
  const last = newest(live);
  if (last === undefined) return due > 0 ? failed : undefined;
  // Nothing was created in its place.
  return live.length < due && failed !== undefined && byAge(failed, last) > 0 ? failed : live[0];
}

/** The oldest of those that share the most frequent state. */
function worstOf(pods: readonly PodShape[]): PodShape | undefined {
  const bad = pods.filter((pod) => !isWell(pod));
  const isUnscheduled = ({ spec }: PodShape) => spec.nodeName === undefined;
  const [most] = [...Map.groupBy(bad, isUnscheduled).values()].sort(
    (one, other) => other.length - one.length,
  );
  return most?.toSorted(byAge)[0];
}

function hasSucceeded({ status }: PodShape): boolean {
  return status?.phase === 'Succeeded';
}

function isWell(pod: PodShape): boolean {
  const isReady = conditionsOf(pod).some(({ type, status }) => type === 'Ready' && status === 'True');
  return hasSucceeded(pod) || (pod.status?.phase === 'Running' && isReady);
}
