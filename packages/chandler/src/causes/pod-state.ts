/** The state of a pod for causes: waiting for a node, not healthy on its node, or healthy. */
import { type ContainerEnd, isLost } from './container-evidence.ts';
import type { ContainerEvidence, PodEvidence, PreemptedPod } from './evidence.ts';
import { conditionOf, type EvidenceSet, isTrue } from './evidence-set.ts';
import { isStoppedByProbe, probeReports } from './probe-ends.ts';

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
      !pod.containers.some((each) => each.failsRepeatedly && isKnownToFail(evidence, pod, each)))
  );
}

/** A program that ends without an error may be meant to, unless the kubelet stopped it for a probe. */
function isKnownToFail(evidence: EvidenceSet, pod: PodEvidence, container: ContainerEvidence): boolean {
  const end = lastEnd(container, evidence.atMs);
  const object = `Pod/${pod.name}`;
  const isUnread = evidence.unread.some(
    ({ kind, what }) => kind === 'events' && what === `Events of ${object}`,
  );
  if (end?.exitCode !== 0 || isUnread) return true;
  const events = evidence.events(object);
  const liveness = probeReports(events, container, 'liveness');
  // A startup probe fails while a program starts, and then passes.
  const startup = { ...probeReports(events, container, 'startup'), failures: [] };
  return (
    isStoppedByProbe(container, 'liveness', end, liveness) ||
    isStoppedByProbe(container, 'startup', end, startup)
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
  container: Pick<ContainerEvidence, 'running' | 'runningSinceMs'> & Partial<Restarted>,
  atMs: number,
): boolean {
  const { running, runningSinceMs, failsRepeatedly: fails } = container;
  const steadyMs = Math.max(BACK_OFF_RESET_MS, fails === true ? (relapseMs(container) ?? 0) : 0);
  return running && runningSinceMs !== undefined && atMs - runningSinceMs >= steadyMs;
}

/** Containers of that pod that keep it from being well, those that run first first. */
export function badContainers(pod: PodEvidence): readonly ContainerEvidence[] {
  const bad = pod.containers.filter(
    (container) =>
      container.failsRepeatedly ||
      (!container.ready && !hasCompleted(container) && !isStoppedSidecar(pod, container)),
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
  container: Pick<ContainerEvidence, 'running' | 'runningSinceMs' | 'terminated' | 'lastTerminated'> &
    Partial<Restarted>,
  atMs: number,
): ContainerEnd | undefined {
  const { terminated, lastTerminated } = container;
  return terminated ?? (runsSteadily(container, atMs) ? undefined : lastTerminated);
}

/** How a container that runs ended within the last day, if it was restarted again and again. */
export function recentEnd(
  { running, restarts, lastTerminated }: ContainerEvidence,
  atMs: number,
): ContainerEnd | undefined {
  const isRecent = atMs - (lastTerminated?.endedAtMs ?? 0) <= DAY_MS;
  return running && restarts >= REPEATED_RESTARTS && isRecent ? lastTerminated : undefined;
}

const DAY_MS = 24 * 3600_000;

/**
 * Its pod is Ready, and it has failed again and again: it has not yet run for so long that it will not do so again. What
 * keeps a pod from being Ready now is something else, unless a container was restarted in the last minutes.
 */
export function failsRepeatedly(
  container: Omit<ContainerEvidence, 'failsRepeatedly'>,
  conditions: PodEvidence['conditions'],
  atMs: number,
): boolean {
  const { init, ready, running, runningSinceMs = atMs } = container;
  if (init || !ready || !running || !isTrue({ conditions }, 'Ready')) return false;
  const untilMs = relapseMs(container);
  return untilMs !== undefined && atMs - runningSinceMs < untilMs;
}

type Restarted = Pick<ContainerEvidence, 'restarts' | 'lastTerminated' | 'probes' | 'failsRepeatedly'>;

/**
 * How long a container runs until it is said to be well again; undefined: it was not restarted again and again, or not
 * for a failure of its own. Restarts are counted over the whole life of a pod, so the last run decides: what ran for many
 * hours before fails seldom, and what was started a few times until what it needs was there ended soon, by itself.
 */
function relapseMs({
  restarts = 0,
  lastTerminated: end,
  probes = [],
}: Partial<Restarted>): number | undefined {
  if (restarts < REPEATED_RESTARTS || end === undefined || isLost(end)) return undefined;
  const { startedAtMs, endedAtMs, reason, exitCode } = end;
  if (startedAtMs === undefined || endedAtMs === undefined) return undefined;
  const ranMs = endedAtMs - startedAtMs;
  if (ranMs > SELDOM_MS) return undefined;
  const isStopped =
    reason === 'OOMKilled' ||
    (STOPPED_CODES.has(exitCode) && (probes.includes('liveness') || probes.includes('startup')));
  if (!isStopped && (exitCode === 0 || ranMs < RAN_MS)) return undefined;
  // A program that crashes by itself after hours, as when it lost an election, may go on for as long.
  const maxMs = isStopped || ranMs <= MAX_RELAPSE_MS ? MAX_RELAPSE_MS : BACK_OFF_RESET_MS;
  return Math.min(Math.max(isStopped ? BACK_OFF_RESET_MS : STARTED_MS, 2 * ranMs), maxMs);
}

const REPEATED_RESTARTS = 3;
/** Programs that lack something end before. */
const RAN_MS = 30_000;
const SELDOM_MS = 6 * 3600_000;
/** Events about the last run are kept for as long. */
const MAX_RELAPSE_MS = 3600_000;
/** A program that handles SIGTERM ends without an error, or with the signal; one that does not is killed. */
const STOPPED_CODES: ReadonlySet<number> = new Set([0, 143, 137]);

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

/** If the container was lost, or has no time of its end, the node failed and not the container. */
function isFailure(end: ContainerEnd | undefined): boolean {
  return end !== undefined && end.exitCode !== 0 && end.endedAtMs !== undefined && !isLost(end);
}

/** It has done its work. One that is always restarted may be between two runs. */
function hasCompleted({ init, terminated, restarts, restartPolicy }: ContainerEvidence): boolean {
  return terminated?.exitCode === 0 && (init || restarts === 0 || restartPolicy !== 'Always');
}

/** The kubelet stops the sidecars of a pod whose other containers have ended and are not restarted. */
function isStoppedSidecar({ phase, containers }: PodEvidence, container: ContainerEvidence): boolean {
  const { init, restartPolicy, terminated } = container;
  const isSidecar =
    !init &&
    restartPolicy === 'Always' &&
    containers.some((each) => !each.init && each.restartPolicy !== 'Always');
  if (!isSidecar || terminated === undefined || terminated.reason === 'OOMKilled') return false;
  return (phase === 'Failed' || phase === 'Succeeded') && STOPPED_CODES.has(terminated.exitCode);
}

/** By a scheduler: the API server itself marks pods with gates, and the mark outlives the gates. */
function isMarked({ conditions }: PodEvidence): boolean {
  return conditions.some(({ type, reason }) => type === 'PodScheduled' && reason !== 'SchedulingGated');
}
