/** The health state of what creates pods: by its counts and conditions, and by the pod that is worst. */
import { conditionOf, type EvidenceSet, podIsWell, type WorkloadEvidence } from '../causes/index.ts';

import { durationText, minuteText } from './duration-text.ts';
import { type HealthState, wellIfRead } from './well-if-read.ts';

/** `podHealth`: of the pod that is worst, where one was chosen. */
export function workloadHealth(
  evidence: EvidenceSet,
  podHealth: (evidence: EvidenceSet) => HealthState,
): HealthState {
  const workload = evidence.first('workload');
  if (workload === undefined) return { state: 'late', text: 'The workload could not be read.' };
  const who = `The ${workload.objectKind}`;
  if (workload.isSuspended) return { state: 'late', text: `${who} is suspended.` };
  const finished = finishedRun(workload, evidence);
  const failure = failureOf(workload);
  if (finished !== undefined && failure === undefined) return finished;
  const pod = evidence.first('pod');
  if (pod !== undefined && !podIsWell(evidence)) {
    const { state, text } = podHealth(evidence);
    const named = text.replace(/^The pod/, `Pod ${pod.name}`);
    const waits =
      pod.deletingSinceMs === undefined ? [] : ['No pod is created in its place before it is gone.'];
    const others = workload.otherPods === undefined ? [] : [`${workload.otherPods}.`];
    return {
      state: failure === undefined ? state : 'late',
      text: [failure ?? `${who} has ${readyText(workload)}.`, named, ...waits, ...others].join(' '),
    };
  }
  if (failure !== undefined) return { state: 'late', text: failure };
  return withoutBadPod(workload, evidence, who);
}

/** The Job of the last time of a CronJob is gone, and it is not known to have succeeded. */
export function hasLostRun({ runs }: WorkloadEvidence): boolean {
  const { lastScheduledMs = 0, lastSucceededMs = 0, job } = runs ?? {};
  return runs !== undefined && job === undefined && lastScheduledMs > 0 && lastSucceededMs < lastScheduledMs;
}

// ---------------------------------------------------------------------------------------------------

/** Controllers create pods at once. */
const CREATED_LATE_MS = 2 * 60_000;
/** The default of progressDeadlineSeconds. */
const ROLLOUT_LATE_MS = 10 * 60_000;

/** Of a Job that has completed, and of a CronJob whose last Job is known. */
function finishedRun(workload: WorkloadEvidence, evidence: EvidenceSet): HealthState | undefined {
  const { objectKind, isDone, runs } = workload;
  const who = `The ${objectKind}`;
  if (runs === undefined) return isDone ? { state: 'well', text: `${who} has completed.` } : undefined;
  const { overdueMs, job } = runs;
  if (overdueMs !== undefined && workload.isCounted && (isDone || job === undefined)) {
    const text = `${who} was due ${minuteText(overdueMs)}, and no Job was created since.`;
    return { state: 'late', text };
  }
  if (isDone) {
    const { name = '', createdAtMs = 0 } = job ?? {};
    const text = `The last Job of the ${objectKind}, ${name}, has completed (created ${minuteText(createdAtMs)})`;
    return wellIfRead(text, unreadOf(workload, evidence));
  }
  if (job !== undefined || !workload.isCounted || runs.lastScheduledMs === undefined) return undefined;
  const scheduled = `${who} was last scheduled ${minuteText(runs.lastScheduledMs)}`;
  const { lastSucceededMs } = runs;
  const succeeded =
    lastSucceededMs === undefined ? 'never succeeded' : `last succeeded ${minuteText(lastSucceededMs)}`;
  if (!hasLostRun(workload))
    return wellIfRead(`${scheduled}, and ${succeeded}`, unreadOf(workload, evidence));
  return {
    state: 'late',
    text: `${scheduled}, and ${succeeded}; the Job of the last time no longer exists.`,
  };
}

function failureOf(workload: WorkloadEvidence): string | undefined {
  const failed = conditionOf(workload, 'Failed');
  if (failed?.status !== 'True') return undefined;
  const { objectKind, runs } = workload;
  const who =
    runs === undefined ? `The ${objectKind}` : `The last Job of the ${objectKind}, ${runs.job?.name ?? ''},`;
  return `${who} has failed (${failed.reason ?? 'Failed'}: ${failed.message ?? ''}).`;
}

function withoutBadPod(workload: WorkloadEvidence, evidence: EvidenceSet, who: string): HealthState {
  const { wanted, created, ready, createdAtMs, note, observed, rollout } = workload;
  const ageMs = evidence.ageMs(createdAtMs);
  if (observed === 'never')
    return {
      state: ageMs <= CREATED_LATE_MS ? 'soon' : 'late',
      text: `${who} was created ${durationText(ageMs)} ago, and its controller has not seen it yet.`,
    };
  const unread = unreadOf(workload, evidence);
  if (note !== undefined) return ifObserved(workload, wellIfRead(`${who} ${note}`, unread));
  if (ready >= wanted && !(workload.paused?.holdsRollout ?? false))
    return ifObserved(workload, wellIfRead(`${who} has ${ready} of ${wanted} pods Ready`, unread));
  if (!workload.isCounted)
    return { state: 'late', text: `${who} wants ${wanted} pods; what it created could not be read.` };
  if (workload.paused?.holdsRollout === true)
    return { state: 'late', text: `${who} is paused, and not all of its pods are new.` };
  const successor = successorText(workload, evidence);
  if (successor !== undefined)
    return { state: 'soon', text: `${who} has ${readyText(workload)}. ${successor}` };
  const counts =
    rollout === undefined
      ? `${who} has ${ready} of ${wanted} pods Ready; ${created} exist`
      : `${who} has ${readyText(workload)}`;
  if (observed === 'outdated')
    return { state: 'soon', text: `${counts}, and its controller has not seen its last change yet.` };
  if (rollout !== undefined && created >= workload.due)
    return {
      state: evidence.ageMs(rollout.sinceMs) <= ROLLOUT_LATE_MS ? 'soon' : 'late',
      text: `${who} has ${readyText(workload)}.`,
    };
  const sinceMs = Math.max(createdAtMs, rollout?.sinceMs ?? 0);
  return { state: evidence.ageMs(sinceMs) <= CREATED_LATE_MS ? 'soon' : 'late', text: `${counts}.` };
}

/** What is missing is created once the pods that terminate are gone. */
function successorText(
  { created, due, terminating }: WorkloadEvidence,
  evidence: EvidenceSet,
): string | undefined {
  if (terminating === undefined || created + terminating.count < due) return undefined;
  const { count, name, untilMs } = terminating;
  const leftMs = untilMs - evidence.atMs;
  const time =
    leftMs > 0 ? `${durationText(leftMs)} of its grace period are left` : 'its grace period is over';
  const others = count === 1 ? '' : count === 2 ? ', as is 1 other pod' : `, as are ${count - 1} other pods`;
  return `Pod ${name} is terminating (${time})${others}; no pod is created in its place before it is gone.`;
}

function readyText({ ready, wanted, created, due, isCounted, rollout }: WorkloadEvidence): string {
  if (!isCounted) return `${wanted} pods, of which not all could be read`;
  if (rollout === undefined) return `${ready} of ${wanted} pods Ready`;
  // Pods beyond what is wanted are there for the rollout.
  const inAll = Math.min(Math.max(ready, rollout.readyInAll), wanted);
  const exist = created < due ? ` (of ${due} that are due now, ${created} exist)` : '';
  return `${inAll} of ${wanted} pods Ready. Its rollout is in progress: ${ready} are new${exist}`;
}

/** What it rests on that it is well: of a CronJob also its events, which alone say that Jobs are refused. */
function unreadOf({ isCounted, runs, name }: WorkloadEvidence, { unread }: EvidenceSet): readonly string[] {
  const events = unread.some(({ kind, what }) => kind === 'events' && what === `Events of CronJob/${name}`);
  return [
    ...(isCounted ? [] : ['what it created could not be read']),
    ...(runs !== undefined && events ? ['its events could not be read'] : []),
    ...(runs?.problem === undefined ? [] : [`when it is due is not known: ${runs.problem}`]),
  ];
}

/** Until its controller has seen the last change, nothing is known about it. */
function ifObserved({ observed }: WorkloadEvidence, health: HealthState): HealthState {
  if (observed === 'current' || health.state !== 'well') return health;
  const text = health.text.replace(/\.$/, ', but its controller has not seen its last change yet.');
  return { state: 'soon', text };
}
