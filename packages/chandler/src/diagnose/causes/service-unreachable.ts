/** A container that cannot reach a Service that it needs, by the lines that it logs. */
import {
  badContainers,
  type ContainerEvidence,
  type EvidenceSet,
  failingPod,
  failsOtherwise,
  isAtEnd,
  isFollowedBy,
  lastEnd,
  lastFound,
  logsOf,
  type Match,
  type PodEvidence,
  type ServiceEvidence,
  seen,
} from '../../causes/index.ts';
import { isNoConnection, mayBeSlow } from '../connection-words.ts';
import { containerFacts, crashesBeside, hasCrashed } from './container-row.ts';

/** A line about a failed connection that contains the name or address of a service of the cluster. */
export function serviceUnreachable(evidence: EvidenceSet): Match | undefined {
  const pod = failingPod(evidence);
  if (pod === undefined) return undefined;
  const matches = badContainers(pod).flatMap((container) =>
    wordsOf(evidence, pod, container).flatMap((text) => serviceIn(evidence, pod, container, text)),
  );
  const broken = matches.filter(({ weight }) => weight !== 'suspicious');
  const [match] = broken;
  const container = pod.containers.find(({ name }) => name === match?.facts['container']);
  if (match === undefined || container === undefined) return matches[0];
  const containers = broken.map(({ facts }) => facts['container'] ?? '');
  // It runs, and another one crashes for a reason of its own.
  const isBeside = !hasCrashed(container, evidence.atMs) && crashesBeside(pod, containers, evidence.atMs);
  return { ...match, containers, ...(isBeside ? { comesLast: true } : {}) };
}

// ---------------------------------------------------------------------------------------------------

/** An error about something else, with which a program ends: a connection that it does without may have failed before. */
const OTHER_ERROR =
  /^(?!.*(?:connect|dial |timeout|lookup )).*\b(?:panic|fatal|exception|error)\b.*(?:no such file|permission denied|not found|invalid|missing|is required|is not set|cannot (?:open|read|parse)|syntax|undefined|already in use)/i;

/** In such a line: the hosts that were tried. Errors of some languages repeat the code without them. */
const HOSTS: readonly RegExp[] = [
  /([\w.-]+):\d{3,5}\b/g,
  /\[([0-9a-f:]+)\]:\d{2,5}\b/gi,
  // Java writes the name beside the address that it stands for.
  /(?<![\w.-])([\w.-]{1,253})\/\d{1,3}(?:\.\d{1,3}){3}:\d{2,5}\b/g,
  /\blookup ([\w.-]+)/g,
  /\b(?:ENOTFOUND|EAI_AGAIN) ([\w.-]+)/g,
  /\bhttps?:\/\/([\w.-]+)/g,
  /\bhost(?: ?name)?(?:=["']?|:? ["'])([\w.-]+)/g,
  /\b(?:UnknownHostException|resolve(?: host)?|address): ["']?([\w.-]+)/g,
  /\bfind ([\w.-]+): (?:NXDOMAIN|SERVFAIL)/g,
  /\b(?:in upstream|server(?: on| at)?|bad address|resolve(?: server| address)?) ["']([\w.-]+)/g,
];
/** The server that a lookup asked. */
const NAME_SERVER = / on \S+:53\b/g;
/** A place in the source of the program. */
const SOURCE_FILE = /\.(?:go|[cm]?[jt]s|py|java|kt|rb|rs|cc|cpp|php|cs)$/;

function serviceIn(
  evidence: EvidenceSet,
  pod: PodEvidence,
  container: ContainerEvidence,
  text: string,
): readonly Match[] {
  const last = lastFound(text, (line) => addressIn(evidence, pod, line));
  if (last === undefined || last.found === 'elsewhere') return [];
  const { line, found: service } = last;
  const match = unreachable(evidence, pod, container, text, line, service);
  if (!mayDoWithout(line, service)) return [match];
  // A program that waits for one Service may be served slowly by another one, or not send its telemetry.
  const before = lastFound(text, (each) => {
    const found = addressIn(evidence, pod, each);
    return found === service || (isService(found) && mayDoWithout(each, found)) ? undefined : found;
  });
  if (before === undefined || !isService(before.found)) return [match];
  const other = unreachable(evidence, pod, container, text, before.line, before.found);
  return [other.weight === 'suspicious' ? match : other];
}

function isService(found: ReturnType<typeof addressIn>): found is ServiceEvidence {
  return found !== undefined && found !== 'elsewhere';
}

function mayDoWithout(line: string, service: ServiceEvidence): boolean {
  return isTelemetry(service) || wasSlow(line, service);
}

/** With endpoints it was most likely reached. */
function wasSlow(line: string, { readyEndpoints }: ServiceEvidence): boolean {
  return readyEndpoints !== 0 && mayBeSlow(line);
}

function unreachable(
  evidence: EvidenceSet,
  pod: PodEvidence,
  container: ContainerEvidence,
  text: string,
  line: string,
  service: ServiceEvidence,
): Match {
  const [serviceNamespace = '', serviceName = ''] = service.name.split('/');
  // One that runs may log the requests of its probes afterwards, and not that it still tries to connect.
  const stillNeeds = !hasCrashed(container, evidence.atMs) && service.readyEndpoints === 0;
  const isSlow = wasSlow(line, service);
  // A program that went on afterwards has another problem.
  const wentOn =
    mayDoWithout(line, service) ||
    failsOtherwise(container, evidence.atMs) ||
    !(stillNeeds || isAtEnd(text, line)) ||
    (hasCrashed(container, evidence.atMs) && isFollowedBy(text, line, OTHER_ERROR));
  return {
    facts: {
      ...containerFacts(pod, container),
      service: service.name,
      serviceNamespace,
      serviceName,
      ...(service.readyEndpoints === 0 && isRetried(text) && !isListening(evidence, pod, container)
        ? { onlyRetries: 'true' }
        : {}),
      advice: `${isSlow ? 'It may have answered too slowly. ' : ''}${adviceOn(service)}`,
      problem: line,
    },
    seen: [seen(pod, `${container.name}: ${line}`), ...endpointsSeen(service)],
    ...(wentOn ? { weight: 'suspicious' } : {}),
  };
}

/** A program that cannot do without the Service writes little else at the end of its log. */
function isRetried(text: string): boolean {
  const lines = text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-LAST_LINES);
  return lines.filter((line) => isNoConnection(line)).length * 2 >= lines.length;
}

const LAST_LINES = 10;

/**
 * Its probe shows that it does not wait for the Service. With 5xx or 404 a program may say that it does, or a proxy answers
 * for one that does.
 */
function isListening(evidence: EvidenceSet, pod: PodEvidence, container: ContainerEvidence): boolean {
  const failed = evidence
    .events(`Pod/${pod.name}`)
    .findLast(
      ({ reason, message, container: about = container.name }) =>
        reason === 'Unhealthy' && about === container.name && STOPPING_PROBE.test(message),
    );
  return failed !== undefined && REJECTS.test(failed.message);
}

const STOPPING_PROBE = /^(?:Liveness|Startup) probe failed/;
const REJECTS = /statuscode: 4(?!04)\d\d/;

/** Programs only send to it: none waits for it, and none ends without it. */
function isTelemetry({ name, ports }: ServiceEvidence): boolean {
  const [, own = ''] = name.split('/');
  return TELEMETRY_NAME.test(own) || ports.some((port) => TELEMETRY_PORTS.has(port));
}

/** OpenTelemetry, Zipkin, Jaeger, statsd and the traces of Datadog. */
const TELEMETRY_PORTS: ReadonlySet<number> = new Set([4317, 4318, 9411, 14_250, 14_268, 8125, 8126]);
/** Not `jaeger-cassandra`, a store that Jaeger cannot do without. */
const TELEMETRY_NAME =
  /(?<![a-z])(?:otel|opentelemetry|jaeger|zipkin|statsd)(?:-(?:agent|collector|exporter|gateway|headless|server))*$/;

/** Of a line about a failed connection: what could not be reached, if it says so. */
function addressIn(
  evidence: EvidenceSet,
  pod: PodEvidence,
  line: string,
): ServiceEvidence | 'elsewhere' | undefined {
  if (!isNoConnection(line)) return undefined;
  const services = evidence.all('service');
  const hosts = hostsIn(line);
  const ofHost = services.find((each) => hosts.some((host) => isHostOf(each, host, pod)));
  // A word alone before a number may also be a place in a program, or a time.
  if (ofHost === undefined && hosts.some((host) => /[.:]/.test(host))) return 'elsewhere';
  return ofHost ?? services.find((each) => isNamed(each, line, pod));
}

function hostsIn(line: string): readonly string[] {
  const text = line.replace(NAME_SERVER, '');
  return HOSTS.flatMap((pattern) => [...text.matchAll(pattern)].map(([, host = '']) => host)).filter(
    (host) => !SOURCE_FILE.test(host),
  );
}

function adviceOn({ name, readyEndpoints, externalName, hasSelector }: ServiceEvidence): string {
  if (externalName !== undefined)
    return `The Service stands for ${externalName}: check that name in DNS, and firewalls and private endpoints on the way to it.`;
  const otherwise = 'check network policies, DNS in the pod, and the port.';
  if (readyEndpoints === undefined)
    return `Check whether the Service has ready endpoints. If not, fix the pods of ${name}, or its selector; otherwise ${otherwise}`;
  if (readyEndpoints === 0 && !hasSelector)
    return `The Service has no ready endpoints, and no selector: correct the EndpointSlices of ${name}, or what writes them.`;
  return readyEndpoints === 0
    ? `The Service has no ready endpoints: fix the pods of ${name}, or its selector.`
    : `The Service has ready endpoints: ${otherwise}`;
}

function endpointsSeen(service: ServiceEvidence): Match['seen'] {
  const { readyEndpoints: count } = service;
  return count === undefined ? [] : [seen(service, `${count} ready endpoint${count === 1 ? '' : 's'}`)];
}

function wordsOf(evidence: EvidenceSet, pod: PodEvidence, container: ContainerEvidence): readonly string[] {
  const logs = logsOf(evidence, pod, container).map(({ text }) => text);
  return [...logs, lastEnd(container, evidence.atMs)?.message ?? ''];
}

function isHostOf(service: ServiceEvidence, host: string, pod: PodEvidence): boolean {
  const full = `${service.name.split('/').reverse().join('.')}.svc`;
  // Endpoints of other members, or of those that are not ready, say nothing of the one that was asked.
  const isNamedByMember = service.readyEndpoints === 0 && !isPeer(service, host, pod);
  const own = isNamedByMember ? host.replace(OF_STATEFUL_SET, '') : host;
  return namesOf(service, pod).includes(own.replace(/\.$/, '')) || own.startsWith(`${full}.`);
}

/** Before the name of its Service: that of a pod. */
const OF_STATEFUL_SET = /^([a-z\d-]{1,63})-\d{1,5}\.(?=[a-z])/;

/** A member of its own StatefulSet. It looks for those that do not exist before it is Ready itself. */
function isPeer(service: ServiceEvidence, host: string, pod: PodEvidence): boolean {
  const [namespace = ''] = service.name.split('/');
  const [, set] = OF_STATEFUL_SET.exec(host) ?? [];
  const [, own] = MEMBER.exec(pod.name) ?? [];
  return set !== undefined && own === `${namespace}/${set}`;
}

const MEMBER = /^(.+)-\d{1,5}$/;

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
