/** Layer 7: containers run and are not ready, because of probes or of services that they need. */
import {
  badContainers,
  type Cause,
  type ContainerEvidence,
  type EventFact,
  type EvidenceSet,
  failingPod,
  isJustReady,
  isStarting,
  isStoppedByProbe,
  lastEnd,
  type Match,
  type PodEvidence,
  type ProbeReports,
  probeReports,
  STARTED_MS,
  seen,
} from '../../causes/index.ts';
import { minuteText } from '../duration-text.ts';
import {
  containerFacts,
  crashesBeside,
  ENDS_BY_SIGNAL,
  failingBeside,
  hasCrashed,
  logOfEnd,
  SHOW_LAST_LOG,
  SHOW_LOG,
  SHOW_POD,
} from './container-row.ts';
import { serviceUnreachable } from './service-unreachable.ts';
import { type StartError, startErrorOf } from './start-errors.ts';

export const PROBES: readonly Cause[] = [
  {
    id: 'L7.3',
    layer: 'readiness',
    specificity: 'particular',
    title: 'The readiness probe fails',
    symptom: 'The container runs but is not Ready. Events say: Readiness probe failed, or errored.',
    summary: 'Container {container} of {pod} runs, but its readiness probe fails: {problem}',
    fix: 'Check the path, the port and the timeouts of the probe, and read the log of the container.',
    confirm: [SHOW_POD, SHOW_LOG],
    recognise: (evidence) =>
      probe(
        evidence,
        'Readiness',
        ({ started, waiting, terminated }) => started && waiting === undefined && terminated === undefined,
        ({ container }) => !hasCrashed(container, evidence.atMs),
      ),
  },
  {
    id: 'L7.4',
    layer: 'readiness',
    specificity: 'exact',
    title: 'The liveness probe fails',
    symptom:
      'The event Killing says that the kubelet stopped the container for it; that of an earlier run counts if the container ended with code 137 or 143, or with code 0 once the kubelet sends few events about the pod. Or events say: Liveness probe failed, as often as it takes to stop it, and the container ended a moment later with code 0, 137 or 143; after five restarts, with 137 or 143 at any time, and with code 0 if each run is as short as that.',
    summary:
      'Container {container} of {pod} was restarted {restarts} times because its liveness probe fails: {problem}',
    fix: 'Give the container more time (initialDelaySeconds, a startupProbe), or correct the probe. Then find out why it does not answer.',
    confirm: [SHOW_LAST_LOG, SHOW_POD],
    explains: ENDS_BY_SIGNAL,
    recognise: (evidence) =>
      timesTold(
        probe(
          evidence,
          'Liveness',
          (container) => container.restarts > 0 || lastEnd(container, evidence.atMs) !== undefined,
          (failure) => isStoppedFor(evidence, failure),
        ),
      ),
  },
  {
    id: 'probes.startup',
    layer: 'readiness',
    specificity: 'exact',
    title: 'The startup probe fails',
    symptom:
      'Events say: Startup probe failed, or errored, and the container runs and has not started. Or the event Killing says that the kubelet stopped it for this, or the probe failed as often as it takes, and the container ended a moment later with code 0, 137 or 143; or at any time if the container has not started, and its last run took as long as the probe gives it.',
    summary: 'Container {container} of {pod} does not start in time: {problem}',
    fix: 'Raise failureThreshold or periodSeconds of the startup probe, or find out why the start takes so long.',
    confirm: [SHOW_LAST_LOG, SHOW_POD],
    explains: ENDS_BY_SIGNAL,
    recognise: (evidence) =>
      probe(
        evidence,
        'Startup',
        ({ started }) => !started,
        (failure) =>
          (failure.container.running && !hasCrashed(failure.container, evidence.atMs)) ||
          isStoppedFor(evidence, failure),
      ),
  },
  {
    id: 'L7.5',
    layer: 'readiness',
    specificity: 'exact',
    title: 'The pod cannot reach a Service that it needs',
    symptom:
      'The log of the container ends with failed connections to a Service. Or it reports them earlier, and the container runs, is not Ready, and the Service has no ready endpoints. A Service for telemetry is only named beside another cause.',
    summary: 'Container {container} of {pod} cannot reach {service}: {problem}',
    fix: '{advice}',
    confirm: [
      'kubectl get endpointslices -n {serviceNamespace} -l kubernetes.io/service-name={serviceName}',
      SHOW_LOG,
    ],
    recognise: serviceUnreachable,
  },
  {
    id: 'pods.readiness-gate',
    layer: 'readiness',
    specificity: 'exact',
    title: 'A readiness gate is not True',
    symptom: 'All containers are ready, but the pod is not Ready. It has spec.readinessGates.',
    summary: '{pod} is waiting for the condition {problem}, which another controller sets.',
    fix: 'Check the controller that sets the condition. It often belongs to a load balancer or a service mesh.',
    confirm: [SHOW_POD],
    recognise: (evidence) => {
      const pod = failingPod(evidence);
      if (pod === undefined || pod.containers.some(({ init, ready }) => !init && !ready)) return undefined;
      const closed = pod.readinessGates.filter(
        (gate) => !pod.conditions.some(({ type, status }) => type === gate && status === 'True'),
      );
      if (closed.length === 0) return undefined;
      const [namespace = '', podName = ''] = pod.name.split('/');
      return {
        ...(isJustReady(pod, evidence.atMs) ? { weight: 'suspicious' } : {}),
        facts: { pod: pod.name, namespace, podName, problem: closed.join(', ') },
        seen: [seen(pod, `readiness gates: ${closed.join(', ')}`)],
      };
    },
  },
  {
    id: 'pods.evicted',
    layer: 'readiness',
    specificity: 'exact',
    title: 'The pod was evicted',
    symptom: 'The pod has failed with the reason Evicted.',
    summary: '{pod} was evicted from {node}: {problem}',
    fix: 'Set the requests of pods (memory, ephemeral storage) to what they use, so that nodes are not overcommitted.',
    confirm: [SHOW_POD, 'kubectl describe node {node}'],
    recognise: (evidence) => {
      const pod = evidence.first('pod');
      if (pod === undefined || pod.phase !== 'Failed' || pod.reason !== 'Evicted') return undefined;
      const [namespace = '', podName = ''] = pod.name.split('/');
      const problem = pod.message ?? '';
      return {
        facts: { pod: pod.name, namespace, podName, node: pod.nodeName ?? '', problem },
        seen: [seen(pod, `Evicted: ${problem}`)],
        ...(OWN_LIMIT.test(problem) ? { fix: /\bEmptyDir\b/i.test(problem) ? OWN_VOLUME : OWN_STORAGE } : {}),
      };
    },
  },
];

// ---------------------------------------------------------------------------------------------------

/** Of the pod, on a node that had room: `exceeds the total limit of containers 1Gi`, `exceeded its local ephemeral storage limit`. */
const OWN_LIMIT = /\bexceed(?:s|ed) (?:the|its)\b[^\n]{0,256}\blimit\b/i;
const OWN_VOLUME =
  'Raise sizeLimit of the emptyDir that the message names, or write less into it. It was the limit of the volume that was exceeded, not the disk of the node: a new pod is evicted again.';
const OWN_STORAGE =
  'Raise limits.ephemeral-storage of the containers, or write less: logs, files that are in no volume, and emptyDir volumes count. It was the limit of the pod that was exceeded, not the disk of the node: a new pod is evicted again.';

type ProbeKind = 'Readiness' | 'Liveness' | 'Startup';

interface ProbeFailure {
  readonly kind: ProbeKind;
  readonly pod: PodEvidence;
  readonly container: ContainerEvidence;
  /** The newest failure that was reported. */
  readonly unhealthy: EventFact | undefined;
  /** The kubelet could not run the probe of a container that runs. */
  readonly isErrored: boolean;
  /** Of a probe for which the kubelet stops containers. */
  readonly reports: ProbeReports | undefined;
}

/**
 * Old complaints about a container that is well by now do not count: only bad containers are looked at. The kubelet reports
 * every single failure, also of a program that is about to crash: whether it explains the state is asked separately.
 */
function probe(
  evidence: EvidenceSet,
  kind: ProbeKind,
  fits: (container: ContainerEvidence) => boolean,
  explains: (failure: ProbeFailure) => boolean,
): Match | undefined {
  const pod = failingPod(evidence);
  if (pod === undefined) return undefined;
  const failures = badContainers(pod)
    .filter((container) => !container.init && fits(container) && container.probes.includes(PROBE_NAME[kind]))
    .map((container) => failureOf(kind, pod, container, evidence.events(`Pod/${pod.name}`)));
  const allExplained = failures.filter((each) => eventOf(each) !== undefined && explains(each));
  const [explained] = allExplained;
  const failure = explained ?? failures.find((each) => mayExplain(each, evidence.atMs));
  const event = failure === undefined ? undefined : eventOf(failure);
  if (failure === undefined || event === undefined) return undefined;
  const { container, reports, isErrored } = failure;
  const problem = event.message.replace(SAID, '').replace(/^[:\s]+/, '') || 'no details';
  const facts = { ...containerFacts(pod, container), problem };
  const match = {
    facts,
    seen: [eventSeen(event)],
    containers: allExplained.map((each) => each.container.name),
    ...comesLast(failure, evidence.atMs),
    ...(kind === 'Readiness' ? {} : logOfEnd({ facts })),
    ...(isErrored ? NOT_RUN[kind] : {}),
  };
  if (explained !== undefined) {
    // A kubelet that has stopped the container says that it is no usual start.
    const isUsual = reports?.killing === undefined && isStarting(evidence, pod, container);
    if (!isUsual || (isErrored && NEVER_RUNS.has(startErrorOf(problem)))) return match;
    return isErrored ? { ...match, weight: 'suspicious' } : starting(match, failure, evidence.atMs);
  }
  if (kind === 'Readiness' || isErrored) return { ...match, weight: 'suspicious' };
  return reports?.killing === undefined
    ? {
        ...match,
        weight: 'suspicious',
        summary: `The ${PROBE_NAME[kind]} probe of container {container} of {pod} failed, but nothing shows that the container was stopped for it: {problem}`,
        fix: 'First find out why the container ends, if it does: probes fail as long as the program does not answer.',
      }
    : {
        ...match,
        weight: 'suspicious',
        summary: `The ${PROBE_NAME[kind]} probe of container {container} of {pod} stopped an earlier run of it, but nothing shows that it stopped the last one: {problem}`,
        fix: 'Check the probe, and the log of the last run: it shows whether the program ended by itself.',
      };
}

/** A program does not answer its probe for want of another one of the pod: that one is to be repaired first. */
function comesLast({ kind, pod, container }: ProbeFailure, atMs: number): Pick<Match, 'comesLast'> {
  // That a probe stops the other one is more exact than that this one is not ready, and comes first anyway.
  const fails =
    kind === 'Readiness'
      ? failingBeside(pod, container, atMs).length > 0
      : crashesBeside(pod, [container.name], atMs);
  return fails ? { comesLast: true } : {};
}

/** A container that is not started again (restartPolicy Never), or not yet, was stopped all the same. */
function timesTold(match: Match | undefined): Match | undefined {
  const times = TIMES[match?.facts['restarts'] ?? ''];
  if (match === undefined || times === undefined) return match;
  const summary = `Container {container} of {pod} ${times} because its liveness probe fails: {problem}`;
  return { summary, ...match };
}

const TIMES: Readonly<Record<string, string>> = { '0': 'was stopped', '1': 'was restarted once' };

/** Of the newest event about the probe. */
function failureOf(
  kind: ProbeKind,
  pod: PodEvidence,
  container: ContainerEvidence,
  events: readonly EventFact[],
): ProbeFailure {
  const name = PROBE_NAME[kind];
  const reports = name === 'readiness' ? undefined : probeReports(events, container, name);
  const newest = (says: RegExp) =>
    events.findLast(
      ({ reason, message, container: about = container.name }) =>
        reason === 'Unhealthy' && about === container.name && says.test(message),
    );
  const failed = newest(new RegExp(`^${kind} probe failed`));
  const errored = newest(new RegExp(`^${kind} probe errored`));
  const { running, runningSinceMs = 0 } = container;
  const sinceMs = Math.max(failed?.lastMs ?? 0, reports?.killing?.lastMs ?? 0, runningSinceMs);
  // One that cannot be run is of a container that runs: it is also said of one that is about to end.
  const isErrored = kind !== 'Liveness' && running && errored !== undefined && errored.lastMs >= sinceMs;
  return { kind, pod, container, unhealthy: isErrored ? errored : failed, isErrored, reports };
}

/** Its event is worth a look: a program that ends without an error may have been stopped as it was before. */
function mayExplain({ container, unhealthy, reports }: ProbeFailure, atMs: number): boolean {
  const isEnded = lastEnd(container, atMs)?.exitCode === 0;
  return unhealthy !== undefined || (isEnded && reports?.killing !== undefined);
}

/** Of a program that is within its time. */
function starting(match: Match, { kind, container }: ProbeFailure, atMs: number): Match {
  const { runningSinceMs = atMs, startupMs = 0 } = container;
  const untilMs = runningSinceMs + startupMs;
  const title = `The ${PROBE_NAME[kind]} probe has not passed yet`;
  const waits = { ...match, weight: 'suspicious', title, fix: NOT_YET } as const;
  if (kind === 'Startup' && startupMs > MAX_STARTUP_MS)
    return {
      ...waits,
      summary:
        'Container {container} of {pod} has time to start without end, and its startup probe has not passed yet: {problem}',
      fix: 'Read the log of the container: it says what it is doing. The kubelet does not restart it, because the startup probe does not give up for years (failureThreshold, periodSeconds).',
    };
  if (kind === 'Startup' && untilMs > atMs)
    return {
      ...waits,
      facts: { ...match.facts, until: minuteText(untilMs) },
      summary:
        'Container {container} of {pod} has time to start until {until}, and its startup probe has not passed yet: {problem}',
      fix: 'Wait: the startup probe gives it this time (failureThreshold, periodSeconds), and then the kubelet restarts it. The log of the container says what it is doing.',
    };
  const since = atMs - runningSinceMs <= STARTED_MS ? 'has just started' : 'has been probed for a short time';
  return {
    ...waits,
    summary: `Container {container} of {pod} ${since}, and its ${PROBE_NAME[kind]} probe has not passed yet: {problem}`,
  };
}

/** Nobody waits that long: a threshold that large means that the probe should never give up. */
const MAX_STARTUP_MS = 365 * 24 * 3600_000;

const NOT_YET =
  'Wait: most programs need some time to start. If it stays so, read the log of the container and check the probe.';

/** Errors that stay. */
const NEVER_RUNS: ReadonlySet<StartError | undefined> = new Set(['command', 'permission', 'architecture']);
const CORRECT_PROBE =
  'Correct the probe. The message says why it cannot be run: often the image does not have its command, or the container no port of its name. It neither passes nor fails then:';
const NOT_RUN: Readonly<Record<ProbeKind, Partial<Match>>> = {
  Readiness: {
    title: 'The readiness probe cannot be run',
    summary: 'The kubelet cannot run the readiness probe of container {container} of {pod}: {problem}',
    fix: `${CORRECT_PROBE} the container does not become Ready.`,
  },
  Liveness: {},
  Startup: {
    title: 'The startup probe cannot be run',
    summary: 'The kubelet cannot run the startup probe of container {container} of {pod}: {problem}',
    fix: `${CORRECT_PROBE} the kubelet does not restart the container for it, and waits without end.`,
  },
};

function eventOf({ unhealthy, reports }: ProbeFailure): EventFact | undefined {
  return unhealthy ?? reports?.killing;
}

function isStoppedFor({ atMs }: EvidenceSet, { kind, container, reports }: ProbeFailure): boolean {
  const name = PROBE_NAME[kind];
  if (name === 'readiness' || reports === undefined) return false;
  return isStoppedByProbe(container, name, lastEnd(container, atMs), reports);
}

const SAID = /^\w+ probe (?:failed|errored(?: and resulted in \w+ state)?)/;
const PROBE_NAME = { Readiness: 'readiness', Liveness: 'liveness', Startup: 'startup' } as const;

function eventSeen({ object, reason, message, count, lastMs }: EventFact) {
  return {
    where: object,
    what: `${reason}: ${message}${count > 1 ? ` (${count} times)` : ''}`,
    atMs: lastMs,
  };
}
