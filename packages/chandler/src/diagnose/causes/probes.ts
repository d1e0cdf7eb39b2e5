/** Layer 7: containers run and are not ready, because of probes or of services that they need. */
import {
  badContainers,
  type Cause,
  type ContainerEvidence,
  type EventFact,
  type EvidenceSet,
  failingPod,
  lastFound,
  type Match,
  type PodEvidence,
  type ServiceEvidence,
  seen,
} from '../../causes/index.ts';
import {
  containerFacts,
  hasCrashed,
  isLost,
  lastEnd,
  SHOW_LAST_LOG,
  SHOW_LOG,
  SHOW_POD,
} from './container-row.ts';

/** Rows about how a container ends that the kubelet stops: its program may also end without an error. */
const ENDS_BY_SIGNAL: readonly string[] = ['containers.ends-at-once', 'containers.shut-down'];

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
      'The event Killing says that the kubelet stopped the container for it. Or events say: Liveness probe failed, and the container ended with code 137 or 143.',
    summary:
      'Container {container} of {pod} was restarted {restarts} times because its liveness probe fails: {problem}',
    fix: 'Give the container more time (initialDelaySeconds, a startupProbe), or correct the probe. Then find out why it does not answer.',
    confirm: [SHOW_LAST_LOG, SHOW_POD],
    explains: ENDS_BY_SIGNAL,
    recognise: (evidence) =>
      probe(
        evidence,
        'Liveness',
        (container) => container.restarts > 0 || lastEnd(container, evidence.atMs) !== undefined,
        (failure) => isStoppedFor(evidence, failure),
      ),
  },
  {
    id: 'probes.startup',
    layer: 'readiness',
    specificity: 'exact',
    title: 'The startup probe fails',
    symptom:
      'Events say: Startup probe failed, or errored, and the container runs and has not started. Or the event Killing says that the kubelet stopped it for this.',
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
      'The log of the container ends with failed connections to a Service. Or it reports them earlier, and the container runs, is not Ready, and the Service has no ready endpoints.',
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
      };
    },
  },
];

// ---------------------------------------------------------------------------------------------------

type ProbeKind = 'Readiness' | 'Liveness' | 'Startup';

interface ProbeFailure {
  readonly kind: ProbeKind;
  readonly pod: PodEvidence;
  readonly container: ContainerEvidence;
  /** The newest failure that was reported. */
  readonly unhealthy: EventFact | undefined;
  /** The newest time that the kubelet stopped the container for this probe. */
  readonly killing: EventFact | undefined;
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
  const words = PROBE_WORDS[kind];
  const failures = badContainers(pod)
    .filter((container) => !container.init && fits(container) && container.probes.includes(PROBE_NAME[kind]))
    .map((container): ProbeFailure => {
      const unhealthy = eventsOf(evidence, pod, container, 'Unhealthy').findLast(({ message }) =>
        words.test(message),
      );
      const killing = killingOf(evidence, pod, container, kind);
      return { kind, pod, container, unhealthy, killing };
    });
  const explained = failures.find((each) => (each.unhealthy ?? each.killing) !== undefined && explains(each));
  const failure = explained ?? failures.find(({ unhealthy }) => unhealthy !== undefined);
  const event = failure?.unhealthy ?? failure?.killing;
  if (failure === undefined || event === undefined) return undefined;
  const { container } = failure;
  const problem = event.message.replace(words, '').replace(/^[:\s]+/, '') || 'no details';
  const match = { facts: { ...containerFacts(pod, container), problem }, seen: [eventSeen(event)] };
  if (explained !== undefined) return match;
  if (kind === 'Readiness') return { ...match, weight: 'suspicious' };
  return {
    ...match,
    weight: 'suspicious',
    summary: `The ${PROBE_NAME[kind]} probe of container {container} of {pod} failed, but nothing shows that the container was stopped for it: {problem}`,
    fix: 'First find out why the container ends, if it does: probes fail as long as the program does not answer.',
  };
}

function killingOf(
  evidence: EvidenceSet,
  pod: PodEvidence,
  container: ContainerEvidence,
  kind: ProbeKind,
): EventFact | undefined {
  const words = `Container ${container.name} failed ${PROBE_NAME[kind]} probe`;
  return eventsOf(evidence, pod, container, 'Killing').findLast(({ message }) => message.startsWith(words));
}

/** Those that name the container, and those that name none. */
function eventsOf(
  evidence: EvidenceSet,
  pod: PodEvidence,
  { name }: ContainerEvidence,
  reason: string,
): readonly EventFact[] {
  return evidence.events(`Pod/${pod.name}`, reason).filter(({ container = name }) => container === name);
}

/**
 * The kubelet says that it stopped the container for this probe, or the container was killed while the probe failed. A
 * kubelet sends 25 events about a pod, and then one in five minutes: that it stopped an earlier run is enough where the
 * last one ended as a container does that is stopped. Events are kept for an hour: of a container that was killed again
 * and again a failure in any run is enough.
 */
function isStoppedFor(evidence: EvidenceSet, { container, unhealthy, killing }: ProbeFailure): boolean {
  const end = lastEnd(container, evidence.atMs);
  const runSinceMs = (end === undefined ? container.runningSinceMs : end.startedAtMs) ?? 0;
  const isOfRun = (event: EventFact | undefined) => event !== undefined && event.lastMs >= runSinceMs;
  if (isOfRun(killing)) return true;
  if (end === undefined || end.reason === 'OOMKilled' || isLost(end)) return false;
  const isKilled = KILLED_CODES.has(end.exitCode);
  if (killing !== undefined && (isKilled || end.exitCode === 0)) return true;
  const isLoop = container.restarts >= LOOP_RESTARTS && unhealthy !== undefined;
  return isKilled && (isLoop || isOfRun(unhealthy));
}

/** By then the first events have used up what a kubelet sends, and the pauses are minutes long. */
const LOOP_RESTARTS = 5;

/** SIGKILL and SIGTERM. */
const KILLED_CODES: ReadonlySet<number> = new Set([137, 143]);

/** A probe that cannot be executed does not pass; the kubelet restarts no container for it. */
const PROBE_WORDS = {
  Readiness: /^Readiness probe (?:failed|errored(?: and resulted in unknown state)?)/,
  Liveness: /^Liveness probe failed/,
  Startup: /^Startup probe (?:failed|errored(?: and resulted in unknown state)?)/,
} as const;
const PROBE_NAME = { Readiness: 'readiness', Liveness: 'liveness', Startup: 'startup' } as const;

function eventSeen({ object, reason, message, count, lastMs }: EventFact) {
  return {
    where: object,
    what: `${reason}: ${message}${count > 1 ? ` (${count} times)` : ''}`,
    atMs: lastMs,
  };
}

const NO_CONNECTION =
  /connection (?:to \S+ )?refused|ECONNREFUSED|i\/o timeout|ETIMEDOUT|connection timed out|no route to host|EHOSTUNREACH|no such host|ENOTFOUND|EAI_AGAIN|could not (?:connect|resolve|translate host name)|unreachable/i;

/** In such a line: the hosts that were tried. Errors of some languages repeat the code without them. */
const HOSTS: readonly RegExp[] = [
  /([\w.-]+):\d{3,5}\b/g,
  /\[([0-9a-f:]+)\]:\d{2,5}\b/gi,
  /\blookup ([\w.-]+)/g,
  /\b(?:ENOTFOUND|EAI_AGAIN) ([\w.-]+)/g,
  /\bhttps?:\/\/([\w.-]+)/g,
  /\bhost(?:name)?[= ]["']?([\w.-]+)/g,
];
/** The server that a lookup asked. */
const NAME_SERVER = / on \S+:53\b/g;
/** A place in the source of the program. */
const SOURCE_FILE = /\.(?:go|[cm]?[jt]s|py|java|kt|rb|rs|cc|cpp|php|cs)$/;

/** A line about a failed connection that contains the name or address of a service of the cluster. */
function serviceUnreachable(evidence: EvidenceSet): Match | undefined {
  const pod = failingPod(evidence);
  if (pod === undefined) return undefined;
  const matches = badContainers(pod).flatMap((container) =>
    wordsOf(evidence, pod, container).flatMap((text) => serviceIn(evidence, pod, container, text)),
  );
  return matches.find(({ weight }) => weight !== 'suspicious') ?? matches[0];
}

function serviceIn(
  evidence: EvidenceSet,
  pod: PodEvidence,
  container: ContainerEvidence,
  text: string,
): readonly Match[] {
  const last = lastFound(text, (line) => addressIn(evidence, pod, line));
  if (last === undefined || last.found === 'elsewhere') return [];
  const { line, found: service } = last;
  const [serviceNamespace = '', serviceName = ''] = service.name.split('/');
  // One that runs may log the requests of its probes afterwards, and not that it still tries to connect.
  const stillNeeds = !hasCrashed(container, evidence.atMs) && service.readyEndpoints === 0;
  // A program that went on afterwards, or until its memory was used up, has another problem.
  const wentOn =
    lastEnd(container, evidence.atMs)?.reason === 'OOMKilled' || !(stillNeeds || isAtEnd(text, line));
  return [
    {
      facts: {
        ...containerFacts(pod, container),
        service: service.name,
        serviceNamespace,
        serviceName,
        advice: adviceOn(service),
        problem: line,
      },
      seen: [seen(pod, `${container.name}: ${line}`), ...endpointsSeen(service)],
      ...(wentOn ? { weight: 'suspicious' } : {}),
    },
  ];
}

/** Of a line about a failed connection: what could not be reached, if it says so. */
function addressIn(
  evidence: EvidenceSet,
  pod: PodEvidence,
  line: string,
): ServiceEvidence | 'elsewhere' | undefined {
  if (!NO_CONNECTION.test(line)) return undefined;
  const services = evidence.all('service');
  const hosts = hostsIn(line);
  if (hosts.length > 0)
    return services.find((each) => hosts.some((host) => isHostOf(each, host, pod))) ?? 'elsewhere';
  return services.find((each) => isNamed(each, line, pod));
}

function hostsIn(line: string): readonly string[] {
  const text = line.replace(NAME_SERVER, '');
  return HOSTS.flatMap((pattern) => [...text.matchAll(pattern)].map(([, host = '']) => host)).filter(
    (host) => !SOURCE_FILE.test(host),
  );
}

/** A program writes a few lines more before it ends, and the stack of the error, which is indented. */
const LINES_AT_END = 5;

function isAtEnd(text: string, line: string): boolean {
  const [, ...after] = text.slice(text.lastIndexOf(line)).split('\n');
  const stack = after.findIndex((each) => /^goroutine \d+ \[/.test(each));
  const counted = stack < 0 ? after : after.slice(0, stack);
  return counted.filter((each) => /^\S/.test(each) && /\w/.test(each)).length < LINES_AT_END;
}

function adviceOn({ name, readyEndpoints, externalName }: ServiceEvidence): string {
  if (externalName !== undefined)
    return `The Service stands for ${externalName}: check that name in DNS, and firewalls and private endpoints on the way to it.`;
  const otherwise = 'check network policies, DNS in the pod, and the port.';
  if (readyEndpoints === undefined)
    return `Check whether the Service has ready endpoints. If not, fix the pods of ${name}, or its selector; otherwise ${otherwise}`;
  return readyEndpoints === 0
    ? `The Service has no ready endpoints: fix the pods of ${name}, or its selector.`
    : `The Service has ready endpoints: ${otherwise}`;
}

function endpointsSeen(service: ServiceEvidence): Match['seen'] {
  const { readyEndpoints: count } = service;
  return count === undefined ? [] : [seen(service, `${count} ready endpoint${count === 1 ? '' : 's'}`)];
}

function wordsOf(evidence: EvidenceSet, pod: PodEvidence, container: ContainerEvidence): readonly string[] {
  const logs = evidence
    .all('containerLog')
    .filter((log) => log.pod === pod.name && log.container === container.name)
    .map(({ text }) => text);
  return [...logs, lastEnd(container, evidence.atMs)?.message ?? ''];
}

function isHostOf(service: ServiceEvidence, host: string, pod: PodEvidence): boolean {
  const full = `${service.name.split('/').reverse().join('.')}.svc`;
  return namesOf(service, pod).includes(host.replace(/\.$/, '')) || host.startsWith(`${full}.`);
}

/** In a line without an address. A program writes its own name in many of its lines. */
function isNamed(service: ServiceEvidence, line: string, pod: PodEvidence): boolean {
  const [namespace = '', name = ''] = service.name.split('/');
  if (pod.name.startsWith(`${namespace}/${name}-`)) return false;
  return namesOf(service, pod).some((host) => standsIn(line, host));
}

function namesOf({ name: key, clusterIPs }: ServiceEvidence, pod: PodEvidence): readonly string[] {
  const [namespace = '', name = ''] = key.split('/');
  const isNear = pod.name.startsWith(`${namespace}/`);
  const names = [
    `${name}.${namespace}`,
    `${name}.${namespace}.svc`,
    ...(isNear ? [name] : []),
    ...clusterIPs,
  ];
  return names.filter((each) => each !== '');
}

/** As a word of its own: `db` is not in `mydb.example.com`. */
function standsIn(line: string, host: string): boolean {
  for (let at = line.indexOf(host); at >= 0; at = line.indexOf(host, at + 1)) {
    const before = line[at - 1] ?? ' ';
    const after = line.slice(at + host.length);
    if (!/[\w.-]/.test(before) && /^(?:$|[^\w.-]|\.svc\b|\.(?:\s|$))/.test(after)) return true;
  }
  return false;
}
