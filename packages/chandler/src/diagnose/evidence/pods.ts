/**
 * Reads the pod in question: its containers, their logs, its volume claims, and the services that its logs name. Used for
 * layers 6 and 7.
 */
import { ENDPOINT_SLICES, isOwnedByDaemonSet, type ObjectKey, SERVICES } from '@chandler/kube';
import {
  badContainers,
  type ContainerEnd,
  type ContainerEvidence,
  failsRepeatedly,
  isFound,
  listFailure,
  listOr,
  type PodEvidence,
  type ReadObject,
  recentEnd,
  runsSteadily,
  withoutContainerSecrets,
} from '../../causes/index.ts';

import { isNoConnection } from '../connection-words.ts';
import type { GatherContext } from './gather-context.ts';
import { preemptedNode, preemptedPods } from './nomination.ts';
import {
  type ContainerSpec,
  type ContainerState,
  type ContainerStatus,
  conditionsOf,
  fullName,
  type PodShape,
  type ProbeSpec,
  timeMs,
} from './shapes.ts';
import { unboundVolumeClaims } from './unbound-volumes.ts';

/** The pod and its volume claims. */
export async function readPod(context: GatherContext, pod: PodShape): Promise<PodEvidence> {
  const unboundVolumes = pod.spec.nodeName ? [] : await unboundVolumeClaims(context, pod);
  const nominatedNodeName = await preemptedNode(context, pod);
  const preempted =
    nominatedNodeName === undefined ? undefined : await preemptedPods(context, nominatedNodeName);
  const evidence = {
    ...podEvidence(context, pod, unboundVolumes),
    nominatedNodeName,
    ...(preempted === undefined ? {} : { preempted }),
  };
  context.recorder.add(evidence);
  return evidence;
}

/** Logs of unhealthy containers, and the services that these logs name. */
export async function readWords(context: GatherContext, pod: PodShape, evidence: PodEvidence): Promise<void> {
  const bad = badContainers(evidence).slice(0, MAX_LOGS);
  const key = { namespace: pod.metadata.namespace ?? '', name: pod.metadata.name };
  const texts = await Promise.all(bad.map((container) => logsOf(context, key, container)));
  const messages = bad.flatMap((container) => {
    const before = runsSteadily(container, context.recorder.atMs) ? undefined : container.lastTerminated;
    return [container.terminated, before].map((end) => end?.message ?? '');
  });
  await readServices(context, key.namespace, [...texts.flat(), ...messages].join('\n'));
}

export function podEvidence(
  { recorder }: Pick<GatherContext, 'recorder'>,
  pod: PodShape,
  unboundVolumes: PodEvidence['unboundVolumes'] = [],
): PodEvidence {
  const { metadata, spec, status = {} } = pod;
  const conditions = conditionsOf(pod);
  return {
    kind: 'pod',
    reading: recorder.reading(`Pod ${fullName(pod)}`),
    name: fullName(pod),
    createdAtMs: timeMs(metadata.creationTimestamp) ?? recorder.atMs,
    deletingSinceMs: timeMs(metadata.deletionTimestamp),
    phase: status.phase ?? 'Pending',
    reason: status.reason,
    message: status.message,
    nodeName: spec.nodeName === '' ? undefined : spec.nodeName,
    nominatedNodeName: status.nominatedNodeName === '' ? undefined : status.nominatedNodeName,
    schedulerName: spec.schedulerName ?? 'default-scheduler',
    schedulingGates: (spec.schedulingGates ?? []).map(({ name }) => name),
    readinessGates: (spec.readinessGates ?? []).map(({ conditionType }) => conditionType),
    conditions,
    containers: [
      ...containers(spec, spec.initContainers ?? [], status.initContainerStatuses ?? [], true),
      ...containers(spec, spec.containers ?? [], status.containerStatuses ?? [], false),
    ].map((each) => ({ ...each, failsRepeatedly: failsRepeatedly(each, conditions, recorder.atMs) })),
    isOfDaemonSet: isOwnedByDaemonSet(pod),
    hostNetwork: spec.hostNetwork ?? false,
    hasMemoryLimit: [spec, ...(spec.containers ?? [])].some(
      ({ resources }) => resources?.limits?.['memory'] !== undefined,
    ),
    unboundVolumes,
  };
}

/** Its container fails again and again. */
export function isReadyForNow(context: Pick<GatherContext, 'recorder'>, pod: PodShape): boolean {
  return restarted(context, pod).some((each) => each.failsRepeatedly);
}

/** Its container was restarted again and again, the last time within a day. */
export function wasRestartedLately(context: Pick<GatherContext, 'recorder'>, pod: PodShape): boolean {
  return restarted(context, pod).some((each) => recentEnd(each, context.recorder.atMs) !== undefined);
}

// ---------------------------------------------------------------------------------------------------

/** Most pods were never restarted. */
function restarted(context: Pick<GatherContext, 'recorder'>, pod: PodShape): readonly ContainerEvidence[] {
  const { containerStatuses = [], initContainerStatuses = [] } = pod.status ?? {};
  const isRestarted = [...containerStatuses, ...initContainerStatuses].some(
    ({ restartCount = 0 }) => restartCount > 0,
  );
  return isRestarted ? podEvidence(context, withoutMessages(pod)).containers : [];
}

/** Counts and times are enough: to redact the messages of all pods of a large cluster takes most of a minute. */
function withoutMessages(pod: PodShape): PodShape {
  const endIn = (state: ContainerState | undefined) =>
    state?.terminated === undefined ? {} : { terminated: { ...state.terminated, message: '' } };
  const bare = (statuses: readonly ContainerStatus[]) =>
    statuses.map(({ state, lastState, ...status }) => ({
      ...status,
      state: state?.running === undefined ? {} : { running: state.running },
      lastState: endIn(lastState),
    }));
  const { containerStatuses = [], initContainerStatuses = [] } = pod.status ?? {};
  const statuses = {
    containerStatuses: bare(containerStatuses),
    initContainerStatuses: bare(initContainerStatuses),
  };
  return { ...pod, status: { ...pod.status, ...statuses } };
}

const MAX_LOGS = 3;
const MAX_SERVICES = 2000;
/** Each is a request. */
const MAX_NAMED = 30;

function containers(
  pod: PodShape['spec'],
  specs: readonly ContainerSpec[],
  statuses: readonly ContainerStatus[],
  init: boolean,
): readonly Omit<ContainerEvidence, 'failsRepeatedly'>[] {
  return specs.map((spec) => {
    const status = statuses.find(({ name }) => name === spec.name);
    // A dump that somebody edited may have null.
    const state = status?.state ?? {};
    const lastState = status?.lastState ?? {};
    return {
      name: spec.name,
      image: status?.image || spec.image || '',
      // A sidecar keeps running, like a container.
      init: init && spec.restartPolicy !== 'Always',
      ready: status?.ready ?? false,
      running: state.running !== undefined,
      runningSinceMs: timeMs(state.running?.startedAt),
      started: status?.started ?? state.running !== undefined,
      restarts: status?.restartCount ?? 0,
      waiting:
        state.waiting === undefined
          ? undefined
          : // It may quote the command of the container.
            {
              reason: state.waiting.reason ?? '',
              message: withoutContainerSecrets(state.waiting.message ?? ''),
            },
      terminated: endOf(state),
      lastTerminated: endOf(lastState),
      probes: PROBES.filter(([field]) => Boolean(spec[field])).map(([, name]) => name),
      ...stopsOf(pod, spec),
      startupMs: startupMs(spec),
      readinessDelayMs: (spec.readinessProbe?.initialDelaySeconds ?? 0) * 1000,
      restartPolicy: spec.restartPolicy ?? pod.restartPolicy ?? 'Always',
    };
  });
}

const PROBES = [
  ['startupProbe', 'startup'],
  ['readinessProbe', 'readiness'],
  ['livenessProbe', 'liveness'],
] as const;

/** A probe that takes longer than its period delays the next one. */
function startupMs({ startupProbe }: ContainerSpec): number | undefined {
  if (!startupProbe) return undefined;
  const { delayMs, periodMs, failures } = timesOf(startupProbe);
  return delayMs + failures * periodMs;
}

/** With the defaults of Kubernetes. */
function timesOf(probe: ProbeSpec) {
  const { initialDelaySeconds = 0, periodSeconds = 10, timeoutSeconds = 1, failureThreshold = 3 } = probe;
  return {
    delayMs: initialDelaySeconds * 1000,
    periodMs: Math.max(periodSeconds, timeoutSeconds) * 1000,
    shortestMs: periodSeconds * 1000,
    failures: failureThreshold,
  };
}

function stopsOf(
  { terminationGracePeriodSeconds: ofPod = 30 }: PodShape['spec'],
  { startupProbe, livenessProbe }: ContainerSpec,
): Pick<ContainerEvidence, 'stops'> {
  const stop = (probe: ProbeSpec) => {
    const { delayMs, periodMs, shortestMs, failures } = timesOf(probe);
    const graceMs = (probe.terminationGracePeriodSeconds ?? ofPod) * 1000;
    return {
      failures,
      earliestMs: delayMs + (failures - 1) * shortestMs,
      failingMs: failures * periodMs,
      graceMs,
    };
  };
  if (!startupProbe && !livenessProbe) return {};
  return {
    stops: {
      ...(startupProbe ? { startup: stop(startupProbe) } : {}),
      ...(livenessProbe ? { liveness: stop(livenessProbe) } : {}),
    },
  };
}

function endOf({ terminated }: ContainerState): ContainerEnd | undefined {
  if (terminated === undefined) return undefined;
  const { reason = '', exitCode = 0, signal, message = '' } = terminated;
  const startedAtMs = timeMs(terminated.startedAt);
  const endedAtMs = timeMs(terminated.finishedAt);
  return {
    reason,
    exitCode,
    signal,
    // By terminationMessagePolicy it may be the end of the log.
    message: withoutContainerSecrets(message),
    ...(startedAtMs === undefined ? {} : { startedAtMs }),
    ...(endedAtMs === undefined ? {} : { endedAtMs }),
  };
}

/** Of a container that waits to be started again, or was restarted lately, what it wrote before. */
async function logsOf(
  context: GatherContext,
  pod: ObjectKey,
  container: ContainerEvidence,
): Promise<readonly string[]> {
  const { name, restarts, waiting, terminated, running, started } = container;
  // A container that never ran has no log, and reading it is an error.
  if (restarts === 0 && !running && !started && terminated === undefined) return [];
  const isBetweenRuns =
    waiting !== undefined || (terminated === undefined && !runsSteadily(container, context.recorder.atMs));
  const previous = restarts > 0 && isBetweenRuns;
  const looked = await context.reader.log(pod, name, previous);
  const what = `log of ${pod.namespace}/${pod.name} ${name}${previous ? ' (previous)' : ''}`;
  if (!isFound(looked)) {
    // Logs are deleted with the container; only a missing permission is reported.
    if (looked.why === 'forbidden') context.recorder.addUnread('containerLog', what, looked);
    return [];
  }
  context.recorder.add({
    kind: 'containerLog',
    reading: context.recorder.reading(what),
    pod: `${pod.namespace}/${pod.name}`,
    container: name,
    previous,
    text: looked.found,
  });
  return [looked.found];
}

/** Only those that are named: a cluster may have thousands. */
async function readServices(context: GatherContext, home: string, log: string): Promise<void> {
  // A log may name every Service of the cluster; those of failed connections matter.
  const words = log
    .split('\n')
    .filter((line) => isNoConnection(line))
    .join('\n');
  if (words === '') return;
  const spaces = new Set([home, ...namespacesIn(words)]);
  for (const namespace of [...spaces].slice(0, 5)) {
    const looked = await context.reader.list(SERVICES, { namespace, atMost: MAX_SERVICES });
    const failure = listFailure(looked);
    if (failure !== undefined) context.recorder.addUnread('service', `Services in ${namespace}`, failure);
    const services = listOr(looked);
    const named = services.filter((service) => isNamedIn(service, words));
    for (const service of named.slice(0, MAX_NAMED)) await readService(context, service);
  }
}

function namespacesIn(words: string): readonly string[] {
  return [...words.matchAll(/\b[a-z0-9][a-z0-9-]{0,62}\.([a-z0-9][a-z0-9-]{0,62})(?:\.svc\b|:\d)/g)].map(
    ([, namespace]) => namespace!,
  );
}

function isNamedIn(service: ReadObject, words: string): boolean {
  const { clusterIP = '', clusterIPs = [] } = (service['spec'] ?? {}) as {
    clusterIP?: string;
    clusterIPs?: readonly string[];
  };
  const addresses = [clusterIP, ...clusterIPs].filter((address) => address !== '' && address !== 'None');
  return [service.metadata.name, ...addresses].some((word) => word !== '' && words.includes(word));
}

async function readService(context: GatherContext, service: ReadObject): Promise<void> {
  const { namespace = '', name } = service.metadata;
  const spec = (service['spec'] ?? {}) as {
    clusterIP?: string;
    clusterIPs?: readonly string[];
    ports?: readonly { port?: number }[];
    selector?: object;
    type?: string;
    externalName?: string;
  };
  const isExternal = spec.type === 'ExternalName';
  const slices = await context.reader.list(ENDPOINT_SLICES, {
    namespace,
    labels: { 'kubernetes.io/service-name': name },
  });
  const failure = listFailure(slices);
  if (failure !== undefined)
    context.recorder.addUnread('service', `EndpointSlices of ${namespace}/${name}`, failure);
  context.recorder.add({
    kind: 'service',
    reading: context.recorder.reading(`Service ${namespace}/${name}`),
    name: `${namespace}/${name}`,
    clusterIPs: [...new Set([spec.clusterIP ?? '', ...(spec.clusterIPs ?? [])])].filter(
      (address) => address !== '' && address !== 'None',
    ),
    ports: (spec.ports ?? []).flatMap(({ port }) => (port === undefined ? [] : [port])),
    hasSelector: spec.selector !== undefined,
    readyEndpoints: isFound(slices) && !isExternal ? readyOf(slices) : undefined,
    ...(isExternal ? { externalName: spec.externalName ?? '' } : {}),
  });
}

/** That none is ready is known only of all of them. */
function readyOf({ found, partial }: { readonly found: readonly ReadObject[]; readonly partial?: true }) {
  const ready = found.reduce((sum, slice) => sum + readyIn(slice), 0);
  return partial === true && ready === 0 ? undefined : ready;
}

function readyIn(slice: ReadObject): number {
  const endpoints = (slice['endpoints'] ?? []) as readonly { conditions?: { ready?: boolean } }[];
  return endpoints.filter(({ conditions }) => conditions?.ready !== false).length;
}
