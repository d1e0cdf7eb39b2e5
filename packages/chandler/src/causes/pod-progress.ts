/**
 * How far the start of a pod on its node has got, and since when: what is usual depends on the present step, not on the age
 * of the pod. A pod may have been pending for an hour before it had a node.
 */
import { isLost } from './container-evidence.ts';
import type { ContainerEvidence, EventFact, PodEvidence } from './evidence.ts';
import type { EvidenceSet } from './evidence-set.ts';
import {
  badContainers,
  changedMs,
  failingByThemselves,
  isPrepared,
  runsSteadily,
  STARTED_MS,
  scheduledMs,
  unreadySinceMs,
} from './pod-state.ts';

/** The pull of an image that is going on. */
export interface ImagePull {
  readonly container: ContainerEvidence;
  readonly image: string;
  readonly event: EventFact;
}

/** Of images with tens of gigabytes; kubelets may pull one image after another. */
export const PULL_EXPECTED_MS = 20 * 60_000;

/**
 * When the present step of its start began: it was assigned to its node, a volume was attached or its files
 * get their group, an image was pulled, the
 * container before was started or has completed. Of a pod that was Ready, when it stopped being so. Containers that are
 * restarted again and again begin nothing.
 */
export function stepSinceMs(evidence: EvidenceSet, pod: PodEvidence): number {
  const assignedMs = Math.max(pod.createdAtMs, scheduledMs(pod));
  if (isOnceReady(pod, evidence.atMs))
    return Math.max(
      assignedMs,
      unreadySinceMs(pod),
      ...badContainers(pod).map(({ runningSinceMs = 0 }) => runningSinceMs),
    );
  if (pod.phase !== 'Pending' || failingByThemselves(pod, evidence.atMs).length > 0) return assignedMs;
  const events = eventsOf(evidence, pod, ...STEPS).map(({ lastMs }) => lastMs);
  const ofContainers = pod.containers.map(({ runningSinceMs, terminated }) =>
    terminated?.exitCode === 0 ? (terminated.endedAtMs ?? 0) : (runningSinceMs ?? 0),
  );
  return Math.max(assignedMs, unreadySinceMs(pod), ...events, ...ofContainers);
}

/** The newest thing that the kubelet reports of the pod is that it pulls an image, for which a container waits. */
export function currentPull(evidence: EvidenceSet, pod: PodEvidence): ImagePull | undefined {
  const events = eventsOf(evidence, pod, ...STEPS, ...FAILURES);
  const event = events.findLast(({ reason }) => reason === 'Pulling');
  if (event === undefined || events.some((each) => isAfter(each, event))) return undefined;
  const image = imageIn(event);
  const container = badContainers(pod).find(
    (each) => isUncreated(each) && (event.container ?? each.name) === each.name && isOf(event, each),
  );
  return container === undefined ? undefined : { container, image: image ?? container.image, event };
}

/** The kubelet has not created it, and does not say that it cannot. */
export function isUncreated(container: ContainerEvidence): boolean {
  const { running, started, restarts, terminated } = container;
  return !running && !started && restarts === 0 && terminated === undefined && isPrepared(container);
}

/**
 * The container runs within the time that it is given, nothing of the pod has crashed, and the pod has not been Ready since
 * the container runs: that its probes do not pass yet is usual.
 */
export function isStarting(evidence: EvidenceSet, pod: PodEvidence, container: ContainerEvidence): boolean {
  const { running, runningSinceMs, started, startupMs = 0 } = container;
  if (!running || runningSinceMs === undefined) return false;
  const untilMs = started
    ? probedSinceMs(evidence, pod, container) + STARTED_MS
    : runningSinceMs + Math.max(STARTED_MS, startupMs + STOPPED_MS);
  if (evidence.atMs > untilMs) return false;
  const isUnharmed = pod.containers.every(
    ({ init, terminated, lastTerminated }) =>
      init || [terminated, lastTerminated].every((end) => end === undefined || isLost(end)),
  );
  return isUnharmed && changedMs(pod, 'Ready') <= runningSinceMs;
}

/** Its readiness is probed since then or later: its startup probe has to pass before, and its delay to be over. */
export function probedSinceMs(evidence: EvidenceSet, pod: PodEvidence, container: ContainerEvidence): number {
  const { name, runningSinceMs = 0, readinessDelayMs = 0 } = container;
  const failed = eventsOf(evidence, pod, 'Unhealthy').findLast(
    ({ message, container: about = name }) => about === name && message.startsWith('Startup probe '),
  );
  return Math.max(runningSinceMs + readinessDelayMs, failed?.lastMs ?? 0);
}

// ---------------------------------------------------------------------------------------------------

/** By then the kubelet has stopped a container whose startup probe has not passed, and the event is there. */
const STOPPED_MS = 30_000;

const STEPS: readonly string[] = [
  'SuccessfulAttachVolume',
  'VolumePermissionChangeInProgress',
  'Pulling',
  'Pulled',
  'Created',
  'Started',
];
const FAILURES: readonly string[] = [
  'FailedAttachVolume',
  'FailedMount',
  'FailedMapVolume',
  'FailedPrepareDynamicResources',
  'FailedCreatePodContainer',
  'NetworkNotReady',
  'FailedCreatePodSandBox',
  'SandboxChanged',
  'Failed',
  'BackOff',
];

function eventsOf(
  evidence: EvidenceSet,
  { name }: PodEvidence,
  ...reasons: readonly string[]
): readonly EventFact[] {
  return evidence.events(`Pod/${name}`, ...reasons).filter(({ object }) => object === `Pod/${name}`);
}

/** In the same second the container before may have been started: then only events about this pull count. */
function isAfter(event: EventFact, pull: EventFact): boolean {
  if (event.reason === 'Pulling' || event.lastMs !== pull.lastMs) return event.lastMs > pull.lastMs;
  const { container = pull.container } = event;
  return container === pull.container && event.message.includes(imageIn(pull) ?? '');
}

function isOf(pull: EventFact, { image }: ContainerEvidence): boolean {
  return pull.container !== undefined || imageIn(pull) === image;
}

function imageIn({ message }: EventFact): string | undefined {
  return /\bimage "([^"]+)"/.exec(message)?.[1];
}

/**
 * It runs, and may have been Ready until a moment ago. A container that is restarted again and again is Ready in between;
 * after a reboot of its node it is started anew.
 */
function isOnceReady({ phase, containers }: PodEvidence, atMs: number): boolean {
  const isKept = (each: ContainerEvidence) => each.restarts === 0 || runsSteadily(each, atMs);
  return phase === 'Running' && containers.every((each) => each.init || isKept(each) || isRebooted(each));
}

function isRebooted({ running, lastTerminated }: ContainerEvidence): boolean {
  return running && lastTerminated !== undefined && isLost(lastTerminated);
}
