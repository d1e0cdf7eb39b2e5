/** The state of a pod for causes: waiting for a node, not healthy on its node, or healthy. */
import type { ContainerEnd } from './container-evidence.ts';
import type { ContainerEvidence, PodEvidence, PreemptedPod } from './evidence.ts';
import { conditionOf, type EvidenceSet, isTrue } from './evidence-set.ts';

/**
 * The pod in question is Ready, or has done its work. False where no pod is in question, and where it is Ready only until it
 * fails the next time.
 */
export function podIsWell(evidence: EvidenceSet): boolean {
  const pod = evidence.first('pod');
  if (pod === undefined || pod.deletingSinceMs !== undefined) return false;
  return (
    pod.phase === 'Succeeded' ||
    (pod.phase === 'Running' &&
      isTrue(pod, 'Ready') &&
      !pod.containers.some(({ failsRepeatedly }) => failsRepeatedly))
  );
}

/** The pod in question, while it has no node. */
export function waitingPod(evidence: EvidenceSet): PodEvidence | undefined {
  const pod = evidence.first('pod');
  if (pod === undefined || pod.nodeName !== undefined || pod.deletingSinceMs !== undefined) return undefined;
  return pod.phase === 'Pending' ? pod : undefined;
}

/** The pod in question, while it is on a node and not well there. */
export function failingPod(evidence: EvidenceSet): PodEvidence | undefined {
  const pod = evidence.first('pod');
  if (pod?.nodeName === undefined || pod.deletingSinceMs !== undefined || podIsWell(evidence))
    return undefined;
  return pod;
}

/**
 * Nothing looks at the pod yet: it has a gate, or its own scheduler has not marked it. Once it has, the pod is provisioned
 * for as any other.
 */
export function isHeld(pod: PodEvidence): boolean {
  if (pod.schedulingGates.length > 0) return true;
  return !['default-scheduler', ''].includes(pod.schedulerName) && !isMarked(pod);
}

/** A scheduler that runs has marked a pod after this time. */
const MARKED_MS = 15_000;

/** Its own scheduler may only not have come to it yet: nothing can be said about it. */
export function isTooYoung(pod: PodEvidence, atMs: number): boolean {
  return isHeld(pod) && pod.schedulingGates.length === 0 && atMs - pod.createdAtMs <= MARKED_MS;
}

/** A pod is gone a short time after its grace period. */
const TERMINATED_MS = 10 * 60_000;

/** Pods that are preempted for this one, and should have terminated. */
export function overduePreempted({ preempted = [] }: PodEvidence, atMs: number): readonly PreemptedPod[] {
  return preempted.filter(({ sinceMs }) => atMs - sinceMs > TERMINATED_MS);
}

/** Since when a pod that is not Ready is not: it may have been Ready for long before. */
export function unreadySinceMs(pod: PodEvidence): number {
  const sinceMs = Date.parse(conditionOf(pod, 'Ready')?.lastTransitionTime ?? '');
  return Math.max(sinceMs || 0, pod.createdAtMs);
}

/** Most programs have started by then. */
export const STARTED_MS = 2 * 60_000;

/** All containers have been ready for a short time: what else the pod waits for may take as long. */
export function isJustReady(pod: PodEvidence, atMs: number): boolean {
  return atMs - changedMs(pod, 'ContainersReady') <= STARTED_MS;
}

/** When it was assigned to its node; 0: that is not known. */
export function scheduledMs(pod: PodEvidence): number {
  return changedMs(pod, 'PodScheduled');
}

/** When that condition of it changed last; 0: that is not known. */
export function changedMs(pod: PodEvidence, type: string): number {
  return Date.parse(conditionOf(pod, type)?.lastTransitionTime ?? '') || 0;
}

/** After this time the kubelet restarts a container without delay again. */
const BACK_OFF_RESET_MS = 10 * 60_000;

/** It has been running for so long that how it ended before does not explain its present state. */
export function runsSteadily(
  { running, runningSinceMs }: Pick<ContainerEvidence, 'running' | 'runningSinceMs'>,
  atMs: number,
): boolean {
  return running && runningSinceMs !== undefined && atMs - runningSinceMs >= BACK_OFF_RESET_MS;
}

/** Containers of that pod that keep it from being well, those that run first first. */
export function badContainers(pod: PodEvidence): readonly ContainerEvidence[] {
  const bad = pod.containers.filter(
    (container) => container.failsRepeatedly || (!container.ready && !hasCompleted(container)),
  );
  return bad.sort((one, other) => Number(other.init) - Number(one.init));
}

/**
 * The kubelet has got as far as these containers, and they fail: they crash, or cannot be started. What keeps a node from
 * being used does not explain that.
 */
export function failingByThemselves(pod: PodEvidence, atMs: number): readonly ContainerEvidence[] {
  if (pod.reason !== undefined) return [];
  return badContainers(pod).filter((container) => {
    const { waiting } = container;
    return waiting === undefined ? isFailure(lastEnd(container, atMs)) : !isPrepared(container);
  });
}

/** The kubelet prepares volumes and the network of the pod, or init containers run: nothing is known of this container. */
export function isPrepared({
  waiting,
}: {
  readonly waiting?: { readonly reason?: string } | undefined;
}): boolean {
  return ['', 'ContainerCreating', 'PodInitializing'].includes(waiting?.reason ?? '');
}

/** It cannot be started for want of its image. */
export function waitsForImage({ waiting }: ContainerEvidence): boolean {
  return waiting !== undefined && PULL_REASONS.has(waiting.reason);
}

/** It was started and ended, or the runtime could not start it: what it needs was there. */
export function hasBeenStarted(container: ContainerEvidence): boolean {
  const { waiting } = container;
  return !waitsForImage(container) && (waiting === undefined || !WITHOUT_NODE.has(waiting.reason));
}

/** How it ended last, while it does not run or only just runs again. */
export function lastEnd(
  container: Pick<ContainerEvidence, 'running' | 'runningSinceMs' | 'terminated' | 'lastTerminated'>,
  atMs: number,
): ContainerEnd | undefined {
  const { terminated, lastTerminated } = container;
  return terminated ?? (runsSteadily(container, atMs) ? undefined : lastTerminated);
}

/**
 * What is started a few times until what it needs is there, and runs then, is well. What fails after it has run for a while
 * will do so again.
 */
export function failsRepeatedly(
  container: Omit<ContainerEvidence, 'failsRepeatedly'>,
  atMs: number,
): boolean {
  const { init, ready, running, restarts } = container;
  if (init || !ready || !running || restarts < REPEATED_RESTARTS) return false;
  const end = lastEnd(container, atMs);
  if (end === undefined || end.exitCode === 0 || isLost(end)) return false;
  const { startedAtMs, endedAtMs } = end;
  if (startedAtMs === undefined || endedAtMs === undefined) return false;
  return end.reason === 'OOMKilled' || endedAtMs - startedAtMs >= RAN_MS;
}

const REPEATED_RESTARTS = 3;
/** Programs that lack something end before. */
const RAN_MS = 30_000;

/** The node was rebooted, or its runtime has lost the container: how it ended is not known. */
export function isLost({ reason }: ContainerEnd): boolean {
  return LOST.has(reason);
}

// ---------------------------------------------------------------------------------------------------

const PULL_REASONS: ReadonlySet<string> = new Set([
  'ErrImagePull',
  'ImagePullBackOff',
  'ImageInspectError',
  'RegistryUnavailable',
  'SignatureValidationFailed',
]);
/** Objects and names that are wrong on every node. */
const WITHOUT_NODE: ReadonlySet<string> = new Set([
  'CreateContainerConfigError',
  'InvalidImageName',
  'ErrImageNeverPull',
]);
const LOST: ReadonlySet<string> = new Set(['Unknown', 'ContainerStatusUnknown']);

/** If the container was lost, or has no time of its end, the node failed and not the container. */
function isFailure(end: ContainerEnd | undefined): boolean {
  return end !== undefined && end.exitCode !== 0 && end.endedAtMs !== undefined && !isLost(end);
}

/** It has done its work. One that is always restarted may be between two runs. */
function hasCompleted({ init, terminated, restarts, restartPolicy }: ContainerEvidence): boolean {
  return terminated?.exitCode === 0 && (init || restarts === 0 || restartPolicy !== 'Always');
}

/** By a scheduler: the API server itself marks pods with gates, and the mark outlives the gates. */
function isMarked({ conditions }: PodEvidence): boolean {
  return conditions.some(({ type, reason }) => type === 'PodScheduled' && reason !== 'SchedulingGated');
}
