/**
 * Before layer 6: pods that are never created. The controller of the workload says why in an event, and the ReplicaSet in
 * its condition ReplicaFailure; the API server or an admission plugin is quoted there.
 */
import {
  type Cause,
  conditionOf,
  type EventFact,
  type EvidenceSet,
  failingByThemselves,
  lastEnd,
  type Match,
  type Seen,
  seen,
  type WorkloadEvidence,
} from '../../causes/index.ts';
import { hasLostRun } from '../workload-health.ts';

const SHOW = 'kubectl describe {resource} -n {namespace} {workloadName}';

/** How the API server and its admission plugins refuse pods. The first that applies is used. */
const REFUSALS: readonly {
  readonly id: string;
  readonly says: RegExp;
  readonly title: string;
  readonly symptom: string;
  readonly fix: string;
  readonly confirm: readonly string[];
}[] = [
  {
    id: 'workloads.quota',
    says: /exceeded quota|failed quota|(?:maximum|minimum) \S+ usage per|must specify (?:limits|requests)/i,
    title: 'A quota or a LimitRange of the namespace rejects the pods',
    symptom: 'Pods are not created: FailedCreate with exceeded quota, or with a maximum or minimum usage.',
    fix: 'Raise the ResourceQuota or the LimitRange that the message names, free what other pods of the namespace use, or change the requests and limits of the pods.',
    confirm: ['kubectl describe resourcequota,limitrange -n {namespace}'],
  },
  {
    id: 'workloads.service-account',
    says: /error looking up service account|serviceaccounts? "[^"]+" not found/i,
    title: 'The ServiceAccount of the pods does not exist',
    symptom: 'Pods are not created: FailedCreate with error looking up service account.',
    fix: 'Create the ServiceAccount, or correct serviceAccountName of the pod template.',
    confirm: ['kubectl get serviceaccounts -n {namespace}'],
  },
  {
    id: 'workloads.admission',
    says: /admission webhook|failed calling webhook|violates PodSecurity|ValidatingAdmissionPolicy/i,
    title: 'Admission rejects the pods',
    symptom:
      'Pods are not created: FailedCreate with the name of an admission webhook, a policy or a Pod Security level.',
    fix: 'Change the pod template to what the message asks for. If a webhook does not answer, repair its pods and its Service. Its configuration may be all that enforces a policy: change its failurePolicy, or exclude the namespace, only with those who own it.',
    confirm: ['kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations'],
  },
];

const NOT_CREATED = 'Pods of the workload cannot be created';

export const WORKLOADS: readonly Cause[] = [
  {
    id: 'workloads.suspended',
    layer: 'scheduling',
    specificity: 'exact',
    title: 'The workload is suspended',
    symptom: 'spec.suspend of the Job or CronJob is true.',
    summary: '{workload} creates no pods while spec.suspend is true.',
    fix: 'Set spec.suspend to false, or check what suspended it (a queue such as Kueue does so until there is room).',
    confirm: [SHOW],
    evenIfWell: true,
    recognise: (evidence) => {
      const workload = evidence.first('workload');
      if (workload === undefined || !workload.isSuspended || workload.isDone) return undefined;
      return { facts: factsOf(workload), seen: [seen(workload, 'spec.suspend is true')] };
    },
  },
  {
    id: 'workloads.paused',
    layer: 'scheduling',
    specificity: 'exact',
    title: 'The Deployment is paused',
    symptom: 'spec.paused of the Deployment is true.',
    summary: '{workload} is paused: a change of its pod template is not rolled out until it is resumed.',
    fix: 'Resume it: kubectl rollout resume deployment -n {namespace} {workloadName}',
    confirm: [SHOW, 'kubectl rollout status deployment -n {namespace} {workloadName}'],
    evenIfWell: true,
    recognise: (evidence) => {
      const workload = evidence.first('workload');
      if (workload?.paused === undefined) return undefined;
      const match = { facts: factsOf(workload), seen: [seen(workload, 'spec.paused is true')] };
      // New pods that are not Ready may be why it was paused.
      const isCause = workload.paused.holdsRollout && workload.ready >= workload.created;
      return isCause ? match : { ...match, weight: 'suspicious' };
    },
  },
  {
    id: 'workloads.schedule',
    layer: 'scheduling',
    specificity: 'exact',
    title: 'The schedule of the CronJob cannot be used',
    symptom: 'The CronJob has the event UnknownTimeZone, UnparseableSchedule or InvalidSchedule.',
    summary: '{workload} creates no Jobs: {problem}',
    fix: 'Correct spec.schedule or spec.timeZone of the CronJob.',
    confirm: [SHOW],
    evenIfWell: true,
    recognise: (evidence) => {
      const workload = evidence.first('workload');
      const event = ofCronJob(
        evidence,
        workload,
        'UnknownTimeZone',
        'UnparseableSchedule',
        'InvalidSchedule',
      );
      if (workload === undefined || event === undefined) return undefined;
      return { facts: { ...factsOf(workload), problem: event.message }, seen: [seenIn(event)] };
    },
  },
  {
    id: 'workloads.job-deadline',
    layer: 'readiness',
    specificity: 'exact',
    title: 'The Job ran longer than its deadline',
    symptom: 'The condition Failed of the Job is True with the reason DeadlineExceeded.',
    summary: '{workload} has failed: {problem}',
    fix: 'Raise spec.activeDeadlineSeconds, or find out what took so long: pods that were Pending, that were restarted, or that have too little CPU. Then create the Job again.',
    confirm: [SHOW, 'kubectl get job -n {namespace} {jobName} -o jsonpath={.spec.activeDeadlineSeconds}'],
    explains: ['containers.shut-down'],
    recognise: (evidence) => {
      const failed = failedJob(evidence);
      if (failed?.reason !== 'DeadlineExceeded') return undefined;
      // A pod that failed by itself was not stopped by the deadline.
      return hasFailedByItself(evidence) ? { ...failed.match, weight: 'suspicious' } : failed.match;
    },
  },
  {
    id: 'workloads.job-failed',
    layer: 'readiness',
    specificity: 'particular',
    title: 'The Job has failed',
    symptom: 'The condition Failed of the Job is True, and no failed pod is left.',
    summary: '{workload} has failed: {problem}',
    fix: 'Read the logs of its pods where they are kept, correct the pod template, and create the Job again.',
    confirm: [SHOW],
    explainedBy: ['workloads.job-deadline'],
    recognise: (evidence) =>
      evidence.first('pod') === undefined
        ? (failedJob(evidence)?.match ?? failedAndDeleted(evidence))
        : undefined,
  },
  ...REFUSALS.map(
    ({ id, says, title, symptom, fix, confirm }): Cause => ({
      id,
      layer: 'scheduling',
      specificity: 'exact',
      title,
      symptom,
      summary: '{workload}: {problem}',
      fix,
      confirm: [SHOW, ...confirm],
      // Of pods that do not exist, the one that does says nothing.
      evenIfWell: true,
      recognise: (evidence) =>
        notCreated(
          evidence,
          title,
          (message) => REFUSALS.find((each) => each.says.test(message))?.says === says,
        ),
    }),
  ),
  {
    id: 'workloads.not-created',
    layer: 'scheduling',
    specificity: 'particular',
    title: NOT_CREATED,
    symptom: 'Pods are not created: FailedCreate for another reason.',
    summary: '{workload}: {problem}',
    fix: 'Correct what the message names, usually a field of the pod template.',
    confirm: [SHOW],
    evenIfWell: true,
    recognise: (evidence) =>
      notCreated(evidence, NOT_CREATED, (message) => !REFUSALS.some(({ says }) => says.test(message))),
  },
];

// ---------------------------------------------------------------------------------------------------

function factsOf({ objectKind, name }: WorkloadEvidence) {
  const [namespace = '', workloadName = ''] = name.split('/');
  return {
    workload: `${objectKind} ${name}`,
    resource: objectKind.toLowerCase(),
    namespace,
    workloadName,
  };
}

/** Controllers try again after at most 1,000 seconds: what they said before is over, or cannot be seen any more. */
const RETRIED_MS = 20 * 60_000;

/** Fewer pods exist than are due, or a CronJob has not got its next Job, and the newest refusal is like this. */
function notCreated(
  evidence: EvidenceSet,
  title: string,
  is: (message: string) => boolean,
): Match | undefined {
  const workload = evidence.first('workload');
  if (workload === undefined) return undefined;
  const refused = ofCronJob(evidence, workload, 'FailedCreate');
  if (refused !== undefined) {
    if (!is(refused.message)) return undefined;
    const facts = { ...factsOf(workload), problem: refused.message };
    return { facts, seen: [seenIn(refused)], title: title.replace(/\bpods\b/i, 'Jobs') };
  }
  if (workload.isDone || (workload.isCounted && workload.created >= workload.due)) return undefined;
  const told = newestRefusal(evidence, workload);
  if (told === undefined || !is(told.message)) return undefined;
  const match = { facts: { ...factsOf(workload), problem: told.message }, seen: [told.seen] };
  return told.isCurrent ? match : { ...match, weight: 'suspicious' };
}

/** The newest event of a CronJob with such a reason, if it has not got a Job since. */
function ofCronJob(
  evidence: EvidenceSet,
  workload: WorkloadEvidence | undefined,
  ...reasons: readonly string[]
): EventFact | undefined {
  if (workload?.runs === undefined || workload.isSuspended) return undefined;
  const { job, lastScheduledMs = 0 } = workload.runs;
  const about = `${workload.objectKind}/${workload.name}`;
  const sinceMs = Math.max(lastScheduledMs, job?.createdAtMs ?? 0);
  return evidence
    .events(about, ...reasons)
    .findLast(({ object, lastMs }) => object === about && lastMs > sinceMs);
}

function seenIn({ reason, object, message, lastMs }: EventFact): Seen {
  return { where: `event ${reason} of ${object}`, what: message, atMs: lastMs };
}

/** A Job, or that of a CronJob, whose condition says that it has failed. */
function failedJob(evidence: EvidenceSet): { readonly reason: string; readonly match: Match } | undefined {
  const workload = evidence.first('workload');
  const failed = workload === undefined ? undefined : conditionOf(workload, 'Failed');
  if (workload === undefined || failed?.status !== 'True') return undefined;
  const reason = failed.reason ?? 'Failed';
  const problem = `${reason}: ${failed.message ?? ''}`;
  const [, jobName = ''] = (workload.runs?.job?.name ?? workload.name).split('/');
  const facts = { ...factsOf(workload), jobName, problem };
  return { reason, match: { facts, seen: [seen(workload, problem)] } };
}

/** The last Job of a CronJob, which only an event tells about. */
function failedAndDeleted(evidence: EvidenceSet): Match | undefined {
  const workload = evidence.first('workload');
  if (workload === undefined || !hasLostRun(workload)) return undefined;
  const event = ofCronJob(evidence, workload, 'SawCompletedJob');
  if (event === undefined || !/condition: Failed/.test(event.message)) return undefined;
  return {
    facts: { ...factsOf(workload), problem: `${event.message}, and the Job was deleted` },
    seen: [seenIn(event)],
    fix: 'Raise spec.failedJobsHistoryLimit, or the ttlSecondsAfterFinished of the Jobs, so that a Job that fails is kept with its pods; until then, read their logs where they are kept.',
  };
}

function hasFailedByItself(evidence: EvidenceSet): boolean {
  const pod = evidence.first('pod');
  const failing = pod === undefined ? [] : failingByThemselves(pod, evidence.atMs);
  return failing.some((each) => !STOPPED.has(lastEnd(each, evidence.atMs)?.exitCode ?? 0));
}

/** By SIGTERM, or by SIGKILL after the grace period. */
const STOPPED: ReadonlySet<number> = new Set([143, 137]);

interface ToldRefusal {
  readonly message: string;
  readonly seen: Seen;
  readonly isCurrent: boolean;
}

/** The condition is removed with the next pod that is created; an event is not. */
function newestRefusal(evidence: EvidenceSet, workload: WorkloadEvidence): ToldRefusal | undefined {
  const condition = conditionOf(workload, 'ReplicaFailure');
  const isFailing = condition?.status === 'True';
  const event = lastEvent(evidence, workload, 'FailedCreate');
  const created = lastEvent(evidence, workload, 'SuccessfulCreate');
  const isOver = !isFailing && (created?.lastMs ?? 0) > (event?.lastMs ?? 0);
  if (event !== undefined && !isOver) {
    const { message, lastMs } = event;
    // While it is not known how many pods exist, they may have been created since.
    const isRecent = workload.isCounted && evidence.ageMs(lastMs) <= RETRIED_MS;
    return { message, seen: seenIn(event), isCurrent: isFailing || isRecent };
  }
  if (!isFailing) return undefined;
  const message = condition.message ?? condition.reason ?? '';
  return { message, seen: seen(workload, `ReplicaFailure is True: ${message}`), isCurrent: true };
}

function lastEvent(evidence: EvidenceSet, { creators }: WorkloadEvidence, reason: string) {
  return creators
    .flatMap((about) => evidence.events(about, reason))
    .filter(({ object }) => creators.includes(object))
    .toSorted((one, other) => one.lastMs - other.lastMs)
    .at(-1);
}
