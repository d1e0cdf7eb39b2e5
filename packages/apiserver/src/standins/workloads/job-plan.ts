/**
 * What a Job does next and what its status says. Pure. Pods are counted while they are there: there are no tracking
 * finalizers, so a finished pod that is deleted is remembered only through the counts already in the status.
 */
import {
  conditionOf,
  formatTime,
  type Job,
  type JobStatus,
  type Pod,
  parseTimeMs,
  type StatusCondition,
  type Stored,
  withConditions,
} from '@chandler/kube';
import { isFinished, isReady, isTerminating } from '../object-facts.ts';
import { isActive } from './owned-pods.ts';

export const INDEX = 'batch.kubernetes.io/job-completion-index';

export interface JobPlan {
  /** Pods to create: for an indexed Job the indexes, otherwise only their number matters. */
  readonly create: readonly (number | undefined)[];
  readonly remove: readonly Stored<Pod>[];
  readonly status: JobStatus;
  /** Requeue after this time. */
  readonly requeueAfterMs?: number;
  /** The TTL after completion has passed. */
  readonly expired?: boolean;
}

export function planJob(job: Stored<Job>, pods: readonly Stored<Pod>[], nowMs: number): JobPlan {
  if (isOver(job)) return afterwards(job, pods, nowMs);
  const counts = count(job, pods);
  const base = baseStatus(job, counts, nowMs);
  if (isTerminating(job)) return { create: [], remove: [], status: base };
  const outcome = outcomeOf(job, counts, nowMs);
  if (outcome) return finish(job, counts, base, outcome, nowMs);
  if (job.spec.suspend) return suspended(counts, base, nowMs);
  const waitMs = backoffMs(pods, counts.failed, nowMs);
  const create = waitMs > 0 ? [] : missing(job, counts);
  const conditions = resumed(base, nowMs);
  const deadlineMs = deadlineInMs(job, nowMs);
  const waits = [waitMs, deadlineMs ?? 0].filter((ms) => ms > 0);
  return {
    create,
    remove: excess(job, counts),
    status: { ...base, ...(conditions ? { conditions } : {}) },
    ...(waits.length === 0 ? {} : { requeueAfterMs: Math.min(...waits) }),
  };
}

export function isOver(job: Stored<Job>): boolean {
  return ['Complete', 'Failed'].some((type) => conditionOf(job, type)?.status === 'True');
}

// ---------------------------------------------------------------------------------------------------

interface Counts {
  readonly active: readonly Stored<Pod>[];
  readonly terminating: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly doneIndexes: ReadonlySet<number>;
}

interface JobOutcome {
  readonly type: 'Complete' | 'Failed';
  readonly reason: string;
  readonly message: string;
}

const BACKOFF_MS = 10_000;
const MAX_BACKOFF_MS = 600_000;

function count(job: Stored<Job>, pods: readonly Stored<Pod>[]): Counts {
  const succeededPods = pods.filter((pod) => pod.status?.phase === 'Succeeded');
  const failedPods = pods.filter((pod) => pod.status?.phase === 'Failed');
  const doneIndexes = parseIndexes(job.status?.completedIndexes);
  for (const pod of succeededPods) {
    const index = indexOf(pod);
    if (index !== undefined) doneIndexes.add(index);
  }
  const indexed = job.spec.completionMode === 'Indexed';
  return {
    active: pods.filter(isActive),
    terminating: pods.filter((pod) => isTerminating(pod) && !isFinished(pod)).length,
    succeeded: indexed ? doneIndexes.size : Math.max(job.status?.succeeded ?? 0, succeededPods.length),
    failed: Math.max(job.status?.failed ?? 0, failedPods.length),
    doneIndexes,
  };
}

function baseStatus(job: Stored<Job>, counts: Counts, nowMs: number): JobStatus {
  const ready = counts.active.filter(isReady).length;
  const suspended = job.spec.suspend === true;
  const startTime = suspended ? undefined : (job.status?.startTime ?? formatTime(nowMs));
  return {
    ...(counts.active.length === 0 ? {} : { active: counts.active.length }),
    ready,
    terminating: counts.terminating,
    ...(counts.succeeded === 0 ? {} : { succeeded: counts.succeeded }),
    ...(counts.failed === 0 ? {} : { failed: counts.failed }),
    ...(startTime === undefined ? {} : { startTime }),
    ...(job.spec.completionMode === 'Indexed' && counts.doneIndexes.size > 0
      ? { completedIndexes: printIndexes(counts.doneIndexes) }
      : {}),
    uncountedTerminatedPods: {},
    ...(job.status?.conditions ? { conditions: job.status.conditions } : {}),
  };
}

/** Without completions, one success means that the work is done and the others may finish. */
function outcomeOf(job: Stored<Job>, counts: Counts, nowMs: number): JobOutcome | undefined {
  const { completions, backoffLimit = 6 } = job.spec;
  if (counts.failed > backoffLimit) {
    return {
      type: 'Failed',
      reason: 'BackoffLimitExceeded',
      message: 'Job has reached the specified backoff limit',
    };
  }
  if ((deadlineInMs(job, nowMs) ?? 1) <= 0) {
    return {
      type: 'Failed',
      reason: 'DeadlineExceeded',
      message: 'Job was active longer than specified deadline',
    };
  }
  const done =
    completions === undefined
      ? counts.succeeded > 0 && counts.active.length === 0
      : counts.succeeded >= completions;
  return done
    ? { type: 'Complete', reason: 'CompletionsReached', message: 'Reached expected number of succeeded pods' }
    : undefined;
}

/** Running pods are deleted first; then the Job is finished. */
function finish(
  job: Stored<Job>,
  counts: Counts,
  base: JobStatus,
  outcome: JobOutcome,
  nowMs: number,
): JobPlan {
  const now = formatTime(nowMs);
  const first = outcome.type === 'Complete' ? 'SuccessCriteriaMet' : 'FailureTarget';
  const { reason, message } = outcome;
  const announce: StatusCondition = { type: first, status: 'True', reason, message, lastProbeTime: now };
  const announced = withConditions(job.status?.conditions, [announce], now);
  if (counts.active.length + counts.terminating > 0) {
    return { create: [], remove: counts.active, status: { ...base, conditions: announced } };
  }
  const over: StatusCondition = { type: outcome.type, status: 'True', reason, message, lastProbeTime: now };
  const status: JobStatus = {
    ...base,
    conditions: withConditions(announced, [over], now),
    ...(outcome.type === 'Complete' ? { completionTime: now } : {}),
  };
  return { create: [], remove: [], status };
}

function afterwards(job: Stored<Job>, pods: readonly Stored<Pod>[], nowMs: number): JobPlan {
  const status = job.status ?? {};
  const ttl = job.spec.ttlSecondsAfterFinished;
  const remove = pods.filter(isActive);
  if (ttl === undefined) return { create: [], remove, status };
  const over = conditionOf(job, 'Complete') ?? conditionOf(job, 'Failed');
  const requeueAfterMs = parseTimeMs(over?.lastTransitionTime) + ttl * 1000 - nowMs;
  return requeueAfterMs <= 0
    ? { create: [], remove, status, expired: true }
    : { create: [], remove, status, requeueAfterMs };
}

function suspended(counts: Counts, base: JobStatus, nowMs: number): JobPlan {
  const now = formatTime(nowMs);
  const condition = {
    type: 'Suspended',
    status: 'True',
    reason: 'JobSuspended',
    message: 'Job suspended',
    lastProbeTime: now,
  };
  const conditions = base.conditions?.some(({ type, status }) => type === 'Suspended' && status === 'True')
    ? base.conditions
    : withConditions(base.conditions, [condition], now);
  return { create: [], remove: counts.active, status: { ...base, conditions } };
}

function resumed(base: JobStatus, nowMs: number): readonly StatusCondition[] | undefined {
  if (!base.conditions?.some(({ type, status }) => type === 'Suspended' && status === 'True'))
    return base.conditions;
  const now = formatTime(nowMs);
  const condition = {
    type: 'Suspended',
    status: 'False',
    reason: 'JobResumed',
    message: 'Job resumed',
    lastProbeTime: now,
  };
  return withConditions(base.conditions, [condition], now);
}

function missing(job: Stored<Job>, counts: Counts): (number | undefined)[] {
  const { parallelism = 1, completions } = job.spec;
  const left =
    completions === undefined ? (counts.succeeded > 0 ? 0 : parallelism) : completions - counts.succeeded;
  const wanted = Math.min(parallelism, left) - counts.active.length - counts.terminating;
  if (wanted <= 0) return [];
  if (job.spec.completionMode !== 'Indexed') return Array.from({ length: wanted }, () => undefined);
  const busy = new Set(counts.active.map(indexOf));
  const free: number[] = [];
  for (let index = 0; index < (completions ?? 0) && free.length < wanted; index++) {
    if (!busy.has(index) && !counts.doneIndexes.has(index)) free.push(index);
  }
  return free;
}

function excess(job: Stored<Job>, counts: Counts): readonly Stored<Pod>[] {
  const { parallelism = 1, completions } = job.spec;
  const limit =
    completions === undefined ? parallelism : Math.min(parallelism, completions - counts.succeeded);
  return counts.active.length > limit && (completions !== undefined || counts.succeeded === 0)
    ? counts.active.slice(Math.max(0, limit))
    : [];
}

/** After a failure, the next pod is delayed with a growing back-off. */
function backoffMs(pods: readonly Stored<Pod>[], failed: number, nowMs: number): number {
  if (failed === 0) return 0;
  const ends = pods.filter((pod) => pod.status?.phase === 'Failed').map(endOf);
  const lastMs = Math.max(0, ...ends);
  return Math.max(0, lastMs + Math.min(MAX_BACKOFF_MS, BACKOFF_MS * 2 ** (failed - 1)) - nowMs);
}

function endOf(pod: Stored<Pod>): number {
  const ends = (pod.status?.containerStatuses ?? []).map(({ state }) =>
    parseTimeMs((state?.['terminated'] as { finishedAt?: string } | undefined)?.finishedAt),
  );
  return Math.max(0, ...ends.filter((ms) => !Number.isNaN(ms)));
}

function deadlineInMs(job: Stored<Job>, nowMs: number): number | undefined {
  const { activeDeadlineSeconds } = job.spec;
  if (activeDeadlineSeconds === undefined || job.status?.startTime === undefined || job.spec.suspend)
    return undefined;
  return parseTimeMs(job.status.startTime) + activeDeadlineSeconds * 1000 - nowMs;
}

function indexOf(pod: Stored<Pod>): number | undefined {
  const text = pod.metadata.annotations?.[INDEX];
  return text === undefined ? undefined : Number(text);
}

/** `0,2-4` */
function parseIndexes(text: string | undefined): Set<number> {
  const indexes = new Set<number>();
  for (const part of (text ?? '').split(',').filter((piece) => piece !== '')) {
    const [from, to = from] = part.split('-').map(Number);
    for (let index = from!; index <= to!; index++) indexes.add(index);
  }
  return indexes;
}

function printIndexes(indexes: ReadonlySet<number>): string {
  const parts: string[] = [];
  const sorted = [...indexes].sort((left, right) => left - right);
  for (let at = 0; at < sorted.length; ) {
    let end = at;
    while (sorted[end + 1] === sorted[end]! + 1) end += 1;
    // Two neighbours are listed, three or more are a range.
    parts.push(end - at < 2 ? sorted.slice(at, end + 1).join(',') : `${sorted[at]}-${sorted[end]}`);
    at = end + 1;
  }
  return parts.join(',');
}
