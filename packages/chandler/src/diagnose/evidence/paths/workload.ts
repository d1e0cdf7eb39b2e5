/**
 * Evidence about what creates pods: how many it wants and how many there are, what its controller says, and the pod that is
 * worst. A Deployment creates them by a ReplicaSet, a CronJob by a Job.
 */
import { CRON_JOBS, DAEMON_SETS, DEPLOYMENTS, JOBS } from '@chandler/kube';
import type { Condition } from '../../../api/index.ts';
import type { ReadObject, WorkloadEvidence } from '../../../causes/index.ts';

import { readEvents } from '../events.ts';
import type { GatherContext } from '../gather-context.ts';
import { isReadyForNow, wasRestartedLately } from '../pods.ts';
import { conditionsOf, fullName, type PodShape, timeMs } from '../shapes.ts';
import { dueJobOf } from './cron-job-due.ts';
import { gatherPod } from './pod.ts';
import {
  byAge,
  type Created,
  countedByStatus,
  hasSucceeded,
  isWell,
  newest,
  observedOf,
  readCreated,
  type WorkloadShape,
  waitsForTermination,
} from './workload-shapes.ts';
import { type WorstPod, worstOf } from './worst-pod.ts';

export async function gatherWorkload(context: GatherContext, object: ReadObject): Promise<void> {
  const workload = object as WorkloadShape;
  const made = await readCreated(context, workload);
  const { creator, pods } = made;
  for (const each of new Set([workload, creator ?? workload])) {
    const { name, namespace, uid } = each.metadata;
    await readEvents(context, { kind: each.kind, name, namespace, uid });
  }
  const state = stateOfWorkload(workload, made, context.recorder.atMs);
  const shown = shownPod(context, state, pods, worstOf(context, badPods(context, workload, made, state)));
  addEvidence(context, workload, creator, state, shown?.others);
  if (shown !== undefined) await gatherPod(context, shown.pod);
}

// ---------------------------------------------------------------------------------------------------

/** How far a workload got with its pods. */
interface WorkloadState {
  readonly wanted: number;
  /** What its creator wants now: a ReplicaSet gets more during a rollout, a Job needs fewer near its end. */
  readonly due: number;
  /** Pods that count for it. Failed ones are left behind: others are created in their place. */
  readonly live: readonly PodShape[];
  /** How many of these there are; not all may have been read. */
  readonly created: number;
  readonly ready: number;
  readonly isCounted: boolean;
  readonly isSuspended: boolean;
  readonly isDone: boolean;
  /** Of a Job that has failed. */
  readonly failure: Condition | undefined;
  /** Before these are gone, no others are created; they are within their time. */
  readonly leaving: readonly PodShape[];
}

function stateOfWorkload(workload: WorkloadShape, made: Created, atMs: number): WorkloadState {
  const { creator, pods, terminating, isWhole } = made;
  const trueOne = (...types: readonly string[]) =>
    (creator?.status?.conditions ?? []).find(({ type, status }) => types.includes(type) && status === 'True');
  const isJob = creator?.kind === JOBS.kind;
  const over: ReadonlySet<string> = new Set(isJob ? ['Failed', 'Succeeded'] : ['Failed']);
  const failure = isJob ? trueOne('Failed') : undefined;
  const wanted = wantedPods(workload, creator, pods);
  const due =
    workload.kind === DEPLOYMENTS.kind ? Math.min(creator?.spec?.replicas ?? wanted, wanted) : wanted;
  const live = pods.filter(({ status }) => !over.has(status?.phase ?? ''));
  const seen = { created: live.length, ready: live.filter(isWell).length };
  const counted = isWhole ? seen : countedByStatus(workload, creator, terminating.length);
  return {
    wanted,
    due: failure === undefined ? due : 0,
    live,
    ...(counted ?? seen),
    isCounted: counted !== undefined,
    isSuspended: workload.spec?.suspend === true || creator?.spec?.suspend === true,
    isDone: isJob && trueOne('Complete', 'SuccessCriteriaMet') !== undefined,
    failure,
    leaving: blocksCreation(workload, creator)
      ? terminating.filter((pod) => !isOverdue(pod, atMs)).toSorted(byEnd)
      : [],
  };
}

function addEvidence(
  { recorder }: GatherContext,
  workload: WorkloadShape,
  creator: WorkloadShape | undefined,
  state: WorkloadState,
  otherPods: string | undefined,
): void {
  const { kind, metadata } = workload;
  const { wanted, due, created, ready, isCounted, isSuspended, isDone, leaving } = state;
  const last = leaving.at(-1);
  const isCronJob = kind === CRON_JOBS.kind;
  recorder.add({
    kind: 'workload',
    reading: recorder.reading(`${kind} ${fullName(workload)}`),
    objectKind: kind,
    name: fullName(workload),
    createdAtMs: timeMs(metadata.creationTimestamp) ?? recorder.atMs,
    wanted,
    due,
    created,
    ready,
    ...(last === undefined
      ? {}
      : { terminating: { count: leaving.length, name: fullName(last), untilMs: endMs(last) } }),
    isCounted,
    observed: observedOf(workload),
    rollout: due < wanted || hasOldPods(workload) ? rolloutOf(workload, creator) : undefined,
    paused: pausedOf(workload, state),
    isSuspended,
    isDone,
    note: isSuspended ? undefined : noteOf(workload, creator, state),
    conditions: [workload, ...(creator === undefined || creator === workload ? [] : [creator])].flatMap(
      (each) => conditionsOf(each),
    ),
    // A CronJob creates Jobs, not pods.
    creators: [...(isCronJob ? [] : [workload]), ...(creator === undefined ? [] : [creator])].map(
      (each) => `${each.kind}/${fullName(each)}`,
    ),
    runs: isCronJob ? runsOf(workload, creator, recorder.atMs) : undefined,
    otherPods,
  });
}

function runsOf(
  { metadata, spec = {}, status = {} }: WorkloadShape,
  job: WorkloadShape | undefined,
  atMs: number,
): WorkloadEvidence['runs'] {
  const lastScheduledMs = timeMs(status.lastScheduleTime);
  const lastSucceededMs = timeMs(status.lastSuccessfulTime);
  const createdAtMs = timeMs(metadata.creationTimestamp) ?? atMs;
  const sinceMs = Math.max(createdAtMs, lastScheduledMs ?? 0, lastSucceededMs ?? 0);
  return {
    lastScheduledMs,
    lastSucceededMs,
    job:
      job === undefined
        ? undefined
        : { name: fullName(job), createdAtMs: timeMs(job.metadata.creationTimestamp) ?? 0 },
    ...dueJobOf(spec.schedule ?? '', spec.timeZone, sinceMs, atMs),
  };
}

/** A new template has no pods at all until the Deployment is resumed. */
function pausedOf(
  { kind, spec = {}, status = {} }: WorkloadShape,
  { due, wanted }: WorkloadState,
): WorkloadEvidence['paused'] {
  if (kind !== DEPLOYMENTS.kind || spec.paused !== true) return undefined;
  const isUpdated = status.replicas === undefined || (status.updatedReplicas ?? 0) >= wanted;
  return { holdsRollout: due < wanted || !isUpdated };
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

/** Pods of before its last change serve until there are others. */
function hasOldPods({ kind, status: { replicas = 0, updatedReplicas = 0 } = {} }: WorkloadShape): boolean {
  return kind === DEPLOYMENTS.kind && replicas > updatedReplicas;
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
  return Math.max(0, Math.min(parallelism, completions - succeeded - countIndexes(status.failedIndexes)));
}

/** `1,3-5` are four. A dump that somebody edited may have null. */
function countIndexes(text: string | null | undefined): number {
  return (text ?? '')
    .split(',')
    .filter((part) => part !== '')
    .map((part) => part.split('-').map(Number))
    .reduce((sum, [first = 0, last = first]) => sum + last - first + 1, 0);
}

/** Known only if everything that it created was read, or counted. */
function noteOf(
  workload: WorkloadShape,
  creator: WorkloadShape | undefined,
  { wanted, failure, isCounted }: WorkloadState,
): string | undefined {
  const { kind, spec = {} } = workload;
  if (!isCounted || failure !== undefined || observedOf(workload) === 'never') return undefined;
  if (kind === CRON_JOBS.kind && creator === undefined)
    return `has no Job: the next one is created by its schedule (${spec.schedule ?? ''})`;
  if (wanted > 0) return undefined;
  if (kind === DAEMON_SETS.kind) return 'wants no pod: no node matches its selector and tolerations';
  return creator?.kind === JOBS.kind && creator.spec?.parallelism !== 0
    ? 'needs no more pods'
    : 'is scaled to zero';
}

/** After its grace period, a pod is gone in moments. */
const TERMINATION_USUAL_MS = 60_000;

/** Those that are not well, and those that must be gone before another is created. */
function badPods(
  context: GatherContext,
  workload: WorkloadShape,
  { creator, terminating }: Created,
  { live, created, wanted }: WorkloadState,
): readonly PodShape[] {
  const blocking = blocksCreation(workload, creator)
    ? terminating.filter((pod) => isOverdue(pod, context.recorder.atMs))
    : [];
  const bad = live.filter((pod) => !isWell(pod) || isReadyForNow(context, pod));
  return [...bad, ...(created < wanted ? blocking : [])];
}

function blocksCreation(workload: WorkloadShape, creator: WorkloadShape | undefined): boolean {
  return waitsForTermination(workload) || (creator !== undefined && waitsForTermination(creator));
}

function isOverdue(pod: PodShape, atMs: number): boolean {
  return atMs - endMs(pod) > TERMINATION_USUAL_MS;
}

/** The API server writes the end of the grace period as the time of the deletion. */
function endMs({ metadata }: PodShape): number {
  return timeMs(metadata.deletionTimestamp) ?? 0;
}

function byEnd(one: PodShape, other: PodShape): number {
  return endMs(one) - endMs(other);
}

/** The pod whose state is that of the workload: where all are well, one that was restarted lately, or any, which shows the layers. */
function shownPod(
  context: GatherContext,
  { due, live, created, isDone, failure, leaving }: WorkloadState,
  pods: readonly PodShape[],
  worst: WorstPod | undefined,
): WorstPod | undefined {
  const alone = (pod: PodShape | undefined) => (pod === undefined ? undefined : { pod, others: undefined });
  if (isDone) return alone(pods.find(hasSucceeded));
  const allFailed = pods.filter(({ status }) => status?.phase === 'Failed');
  const failed = newest(allFailed);
  if (failure !== undefined)
    // A policy for failures names the pod that it applied to.
    return alone(allFailed.find(({ metadata }) => isNamedIn(failure, metadata.name)) ?? failed);
  if (worst !== undefined) return worst;
  const isShort = created + leaving.length < due;
  const last = newest(live);
  if (last === undefined) return isShort ? alone(failed) : undefined;
  // Nothing was created in its place.
  if (isShort && failed !== undefined && byAge(failed, last) > 0) return alone(failed);
  return alone(live.find((pod) => wasRestartedLately(context, pod)) ?? live[0]);
}

function isNamedIn({ message = '' }: Condition, name: string): boolean {
  return message.split(/[\s/,]+/).includes(name);
}
