/** The status a kubelet would report for a pod in a situation. Pure. */
import {
  type Container,
  type ContainerState,
  type ContainerStatus,
  formatTime,
  type Pod,
  type PodStatus,
  type StatusCondition,
  type Stored,
  withConditions,
} from '@chandler/kube';
import { exitCodeOf } from './pod-stages.ts';
import type { Situation } from './stages.table.ts';

export interface Whereabouts {
  readonly nowMs: number;
  readonly hostIP: string;
  /** Asked only when the pod has got so far as to need one. */
  readonly podIP: () => string;
}

export function statusIn(situation: Situation, pod: Stored<Pod>, where: Whereabouts): PodStatus {
  const now = formatTime(where.nowMs);
  const row = REPORTS[situation];
  const exitCode = exitCodeOf(pod);
  const phase = row.phase === 'Finished' ? (exitCode === 0 ? 'Succeeded' : 'Failed') : row.phase;
  const running = row.started || situation === 'Finished' || situation === 'CrashLoopBackOff';
  return {
    phase,
    startTime: pod.status?.startTime ?? now,
    hostIP: where.hostIP,
    hostIPs: [{ ip: where.hostIP }],
    ...(running ? addresses(where.podIP()) : {}),
    conditions: withConditions(pod.status?.conditions, conditionsFor(situation, pod), now),
    containerStatuses: pod.spec.containers.map((container) =>
      containerStatus(container, situation, pod, where),
    ),
    ...((pod.spec.initContainers ?? []).length === 0
      ? {}
      : {
          initContainerStatuses: pod.spec.initContainers!.map((container) =>
            initStatus(container, situation, pod, now),
          ),
        }),
  };
}

// ---------------------------------------------------------------------------------------------------

function addresses(podIP: string): object {
  return { podIP, podIPs: [{ ip: podIP }] };
}

interface Report {
  readonly phase: 'Pending' | 'Running' | 'Finished';
  readonly started: boolean;
  readonly ready: boolean;
  /** Why containers wait. */
  readonly waiting?: { readonly reason: string; readonly message: (image: string) => string | undefined };
}

const REPORTS: Readonly<Record<Situation, Report>> = {
  Scheduled: { phase: 'Pending', started: false, ready: false },
  Creating: {
    phase: 'Pending',
    started: false,
    ready: false,
    waiting: { reason: 'ContainerCreating', message: () => undefined },
  },
  ImagePullBackOff: {
    phase: 'Pending',
    started: false,
    ready: false,
    waiting: { reason: 'ImagePullBackOff', message: (image) => `Back-off pulling image "${image}"` },
  },
  CrashLoopBackOff: {
    phase: 'Running',
    started: false,
    ready: false,
    waiting: { reason: 'CrashLoopBackOff', message: () => 'back-off restarting failed container' },
  },
  Running: { phase: 'Running', started: true, ready: false },
  Ready: { phase: 'Running', started: true, ready: true },
  Finished: { phase: 'Finished', started: false, ready: false },
};

function conditionsFor(situation: Situation, pod: Stored<Pod>): StatusCondition[] {
  const { ready, phase, waiting } = REPORTS[situation];
  const names = pod.spec.containers.map((container) => container.name).join(' ');
  const notReady =
    phase === 'Finished'
      ? { status: 'False', reason: 'PodCompleted' }
      : {
          status: 'False',
          reason: 'ContainersNotReady',
          message: `containers with unready status: [${names}]`,
        };
  const containersReady = ready ? { status: 'True' } : notReady;
  const gates = (pod.spec['readinessGates'] as { conditionType: string }[] | undefined) ?? [];
  const missing = gates.filter(
    ({ conditionType }) =>
      !pod.status?.conditions?.some(({ type, status }) => type === conditionType && status === 'True'),
  );
  const podReady =
    ready && missing.length > 0
      ? {
          status: 'False',
          reason: 'ReadinessGatesNotReady',
          message: `the status of pod readiness gate "${missing[0]!.conditionType}" is not "True", but False`,
        }
      : containersReady;
  const initialized = waiting?.reason !== 'ContainerCreating' || (pod.spec.initContainers ?? []).length === 0;
  return [
    { type: 'PodReadyToStartContainers', status: situation === 'Creating' ? 'False' : 'True' },
    initialized
      ? { type: 'Initialized', status: 'True', ...(phase === 'Finished' ? { reason: 'PodCompleted' } : {}) }
      : { type: 'Initialized', status: 'False', reason: 'ContainersNotInitialized' },
    { type: 'Ready', ...podReady },
    { type: 'ContainersReady', ...containersReady },
    { type: 'PodScheduled', status: 'True' },
  ];
}

function containerStatus(
  container: Container,
  situation: Situation,
  pod: Stored<Pod>,
  where: Whereabouts,
): ContainerStatus {
  const { started, ready } = REPORTS[situation];
  const before = pod.status?.containerStatuses?.find((status) => status.name === container.name);
  const crashed = situation === 'CrashLoopBackOff';
  const image = container.image ?? '';
  return {
    name: container.name,
    image,
    imageID: started || crashed || situation === 'Finished' ? `playground://${image}` : '',
    ...(started ? { containerID: `playground://${pod.metadata.uid}/${container.name}` } : {}),
    ready,
    started,
    restartCount: (before?.restartCount ?? 0) + (crashed ? 1 : 0),
    state: stateIn(situation, pod, image, before, where),
    lastState: crashed ? terminated(before, 1, where.nowMs) : (before?.lastState ?? {}),
  };
}

function stateIn(
  situation: Situation,
  pod: Stored<Pod>,
  image: string,
  before: ContainerStatus | undefined,
  { nowMs }: Whereabouts,
): ContainerState {
  const { waiting } = REPORTS[situation];
  if (waiting) {
    const message = waiting.message(image);
    return { waiting: { reason: waiting.reason, ...(message === undefined ? {} : { message }) } };
  }
  if (situation === 'Finished') return terminated(before, exitCodeOf(pod), nowMs);
  return before?.state?.running ? before.state : { running: { startedAt: formatTime(nowMs) } };
}

function terminated(before: ContainerStatus | undefined, exitCode: number, nowMs: number): ContainerState {
  const running = before?.state?.running as { startedAt?: string } | undefined;
  const finishedAt = formatTime(nowMs);
  const reason = exitCode === 0 ? 'Completed' : 'Error';
  return { terminated: { exitCode, reason, startedAt: running?.startedAt ?? finishedAt, finishedAt } };
}

/** Init containers are over in no time; sidecars run on. */
function initStatus(
  container: Container,
  situation: Situation,
  pod: Stored<Pod>,
  now: string,
): ContainerStatus {
  const { waiting, phase } = REPORTS[situation];
  const image = container.image ?? '';
  const before = pod.status?.initContainerStatuses?.find((status) => status.name === container.name);
  const base = {
    name: container.name,
    image,
    imageID: `playground://${image}`,
    restartCount: 0,
    lastState: {},
  };
  if (waiting && waiting.reason !== 'CrashLoopBackOff') {
    return { ...base, ready: false, started: false, state: { waiting: { reason: 'PodInitializing' } } };
  }
  if (container.restartPolicy === 'Always' && phase === 'Running') {
    const state = before?.state?.running ? before.state : { running: { startedAt: now } };
    return { ...base, ready: true, started: true, state };
  }
  const over = { terminated: { exitCode: 0, reason: 'Completed', startedAt: now, finishedAt: now } };
  return { ...base, ready: true, started: false, state: before?.state?.['terminated'] ? before.state : over };
}
