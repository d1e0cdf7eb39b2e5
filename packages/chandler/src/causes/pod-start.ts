/** What keeps the containers of a pod from being started: events about volumes and the sandbox, and pulls of images. */
import { withoutSecrets } from '@chandler/kube';
import type { Match } from './cause.ts';
import type { VolumeHolderEvidence } from './container-evidence.ts';
import type { ContainerEvidence, EventFact, PodEvidence } from './evidence.ts';
import type { EvidenceSet } from './evidence-set.ts';
import { failingPod, isPrepared, scheduledMs, waitsForImage } from './pod-state.ts';

/** What the kubelet creates for a pod before anything else: its directories and its cgroup. */
export const NOT_PREPARED_REASONS: readonly string[] = ['Failed', 'FailedCreatePodContainer'];
export const NOT_PREPARED = /^error making pod data directories|^unable to ensure pod container exists/;

/** The newest failure between node and container, unless the pod has got further since. */
export function startFailure(
  evidence: EvidenceSet,
  reasons: readonly string[],
  says?: RegExp,
): Match | undefined {
  const pod = failingPod(evidence);
  if (pod === undefined) return undefined;
  const about = `Pod/${pod.name}`;
  const event = evidence.events(about, ...reasons).findLast(({ message }) => says?.test(message) ?? true);
  if (event === undefined || pod.containers.some((each) => isCreated(each, event.lastMs))) return undefined;
  const later = evidence.events(about, ...FURTHER).filter(({ lastMs }) => lastMs >= event.lastMs);
  if (later.some((each) => isOver(event, each))) return undefined;
  return {
    ...(isUsual(evidence, pod, event) ? { weight: 'suspicious' } : {}),
    facts: { ...podNames(pod), node: pod.nodeName ?? '', problem: event.message },
    seen: [{ where: event.object, what: `${event.reason}: ${event.message}`, atMs: event.lastMs }],
  };
}

/** Why its image cannot be pulled. In back-off the container only says that it waits; the event before has the reason. */
export function pullProblem(container: ContainerEvidence, evidence: EvidenceSet): string | undefined {
  const { waiting, image } = container;
  if (waiting === undefined || !waitsForImage(container)) return undefined;
  if (waiting.message !== '' && !/^Back-off pulling image "[^"]*"$/.test(waiting.message))
    return waiting.message;
  const event = evidence
    .events('Pod/', 'Failed')
    .findLast(({ message }) => /Failed to pull image/.test(message) && isNamedIn(message, image));
  return event?.message ?? (waiting.message === '' ? waiting.reason : waiting.message);
}

export function podNames({ name }: PodEvidence): {
  readonly pod: string;
  readonly namespace: string;
  readonly podName: string;
} {
  const [namespace = '', podName = ''] = name.split('/');
  return { pod: name, namespace, podName };
}

// ---------------------------------------------------------------------------------------------------

/** In messages, a part of the name that looks like a secret is redacted. */
function isNamedIn(message: string, image: string): boolean {
  return message.includes(image) || message.includes(withoutSecrets(image));
}

/**
 * What the kubelet needs of other pods on the node, which may start at the same time, or of addresses that are requested in
 * batches: these failures end by themselves.
 */
const STARTS_BESIDE =
  /not found in the list of registered (?:CSI drivers|DRA plugins)|DRA driver \S+ is not registered|dial tcp (?:127\.0\.0\.1|\[::1\]|localhost):\d+: connect: connection refused|dial unix \S+: connect: (?:no such file or directory|connection refused)|cni (?:plugin|config) (?:not initialized|uninitialized)|network plugin is not ready|failed to sync (?:secret|configmap) cache|waiting on \S+ CNS|currently available on the node, allocation will be retried|parent snapshot \S{1,256} does not exist|missing parent "[^"]{0,256}" bucket/i;
const POD_STARTS_MS = 60_000;
const NODE_STARTS_MS = 2 * 60_000;

/** Said once, as soon as the pod is assigned: the volume is attached when it has been detached from the node before. */
const MOVES = /^Multi-Attach error/;
const MOVED_MS = 2 * 60_000;
/** After its grace period, a pod is gone in moments. */
const TERMINATED_MS = 60_000;

/** In the time that this takes, unless a pod that uses the volume stays. */
function isMoving(evidence: EvidenceSet, pod: PodEvidence): boolean {
  const isLeaving = ({ isGone, deletingSinceMs }: VolumeHolderEvidence) =>
    isGone || (deletingSinceMs !== undefined && evidence.ageMs(deletingSinceMs) <= TERMINATED_MS);
  return evidence.ageMs(scheduledMs(pod)) < MOVED_MS && evidence.all('volumeHolder').every(isLeaving);
}

/** Of a pod that was assigned a short time ago, or to a new node. */
function isUsual(evidence: EvidenceSet, pod: PodEvidence, { message }: EventFact): boolean {
  if (MOVES.test(message)) return isMoving(evidence, pod);
  if (!STARTS_BESIDE.test(message)) return false;
  if (evidence.ageMs(scheduledMs(pod)) <= POD_STARTS_MS) return true;
  const node = evidence.all('node').find(({ name }) => name === pod.nodeName);
  return node !== undefined && evidence.ageMs(node.createdAtMs) <= NODE_STARTS_MS;
}

/**
 * The kubelet got as far as this container, so that the pod has its volumes and its network. A container that ended before
 * the failure does not show it: after a reboot of the node, the kubelet mounts volumes and creates the sandbox anew.
 */
function isCreated(container: ContainerEvidence, failedAtMs: number): boolean {
  const { running, started, restarts, terminated, lastTerminated } = container;
  if (running || started || !isPrepared(container)) return true;
  const end = terminated ?? lastTerminated;
  return end === undefined ? restarts > 0 : (end.endedAtMs ?? 0) >= failedAtMs;
}

/** The kubelet attaches and mounts volumes, then creates the sandbox, then pulls images and starts containers. */
const STARTS: readonly string[] = ['Pulling', 'Pulled', 'Created', 'Started'];
const FURTHER: readonly string[] = [...STARTS, 'FailedCreatePodSandBox', 'SuccessfulAttachVolume'];
const BEFORE_SANDBOX: readonly string[] = [
  ...NOT_PREPARED_REASONS,
  'NetworkNotReady',
  'FailedAttachVolume',
  'FailedMount',
  'FailedMapVolume',
  'VolumeResizeFailed',
  'FileSystemResizeFailed',
  'VolumePermissionChangeInProgress',
  'FailedPrepareDynamicResources',
];

function isOver(failure: EventFact, later: EventFact): boolean {
  if (STARTS.includes(later.reason)) return true;
  if (later.reason === 'FailedCreatePodSandBox') return BEFORE_SANDBOX.includes(failure.reason);
  const volume = VOLUME_NAMED.exec(later.message)?.[1];
  return (
    failure.reason === 'FailedAttachVolume' &&
    volume !== undefined &&
    VOLUME_NAMED.exec(failure.message)?.[1] === volume
  );
}

const VOLUME_NAMED = /\bvolume "([^"]+)"/;
