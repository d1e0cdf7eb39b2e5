/**
 * Before layer 6: pods that are never created. The controller of the workload says why in an event, and the ReplicaSet in
 * its condition ReplicaFailure; the API server or an admission plugin is quoted there.
 */
import {
  type Cause,
  conditionOf,
  type EvidenceSet,
  type Match,
  type Seen,
  seen,
  type WorkloadEvidence,
} from '../../causes/index.ts';

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
    fix: 'Change the pod template to what the message asks for. If a webhook does not answer, repair its pods and its Service, or delete its configuration.',
    confirm: ['kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations'],
  },
];

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
    id: 'workloads.job-failed',
    layer: 'readiness',
    specificity: 'particular',
    title: 'The Job has failed',
    symptom: 'The condition Failed of the Job is True, and no failed pod is left.',
    summary: '{workload} has failed: {problem}',
    fix: 'Read the logs of its pods where they are kept, correct the pod template, and create the Job again.',
    confirm: [SHOW],
    recognise: (evidence) => {
      const workload = evidence.first('workload');
      const failed = workload === undefined ? undefined : conditionOf(workload, 'Failed');
      if (workload === undefined || failed?.status !== 'True' || evidence.first('pod') !== undefined)
        return undefined;
      const problem = `${failed.reason ?? 'Failed'}: ${failed.message ?? ''}`;
      return { facts: { ...factsOf(workload), problem }, seen: [seen(workload, problem)] };
    },
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
        notCreated(evidence, (message) => REFUSALS.find((each) => each.says.test(message))?.says === says),
    }),
  ),
  {
    id: 'workloads.not-created',
    layer: 'scheduling',
    specificity: 'particular',
    title: 'Pods of the workload cannot be created',
    symptom: 'Pods are not created: FailedCreate for another reason.',
    summary: '{workload}: {problem}',
    fix: 'Correct what the message names, usually a field of the pod template.',
    confirm: [SHOW],
    evenIfWell: true,
    recognise: (evidence) =>
      notCreated(evidence, (message) => !REFUSALS.some(({ says }) => says.test(message))),
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

/** Fewer pods exist than are due, and the newest refusal is like this. */
function notCreated(evidence: EvidenceSet, is: (message: string) => boolean): Match | undefined {
  const workload = evidence.first('workload');
  if (workload === undefined || workload.isDone || workload.created >= workload.due) return undefined;
  const told = newestRefusal(evidence, workload);
  if (told === undefined || !is(told.message)) return undefined;
  const match = { facts: { ...factsOf(workload), problem: told.message }, seen: [told.seen] };
  return told.isCurrent ? match : { ...match, weight: 'suspicious' };
}

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
    const { message, object, lastMs } = event;
    const seenThere = { where: `event FailedCreate of ${object}`, what: message, atMs: lastMs };
    return { message, seen: seenThere, isCurrent: isFailing || evidence.ageMs(lastMs) <= RETRIED_MS };
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
