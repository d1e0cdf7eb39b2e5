/**
 * Whether a container ended because the kubelet stopped it for a probe. How it ended decides, with the times of what the
 * kubelet reported: a single failure stops nothing, and a program may also end without an error by intent.
 */
import {
  type ContainerEnd,
  type ContainerEvidence,
  isLost,
  type ProbeStop,
  type StoppingProbe,
} from './container-evidence.ts';
import type { EventFact } from './evidence.ts';

/** What the kubelet reports of a container. */
export interface ProbeReports {
  /** Failures of the probe. */
  readonly failures: readonly EventFact[];
  /** The newest time that it stopped the container for this probe. */
  readonly killing: EventFact | undefined;
}

/** By then the first events have used up what a kubelet sends, and the pauses are minutes long. */
export const LOOP_RESTARTS = 5;

/** Of the events that count. */
export const PROBE_REASONS: readonly string[] = ['Unhealthy', 'Killing'];

/** Of the events about a container, those that count. */
export function probeReports(
  events: readonly EventFact[],
  { name }: ContainerEvidence,
  probe: StoppingProbe,
): ProbeReports {
  const killed = `Container ${name} failed ${probe} probe`;
  return {
    failures: events.filter(
      ({ reason, message }) => reason === 'Unhealthy' && FAILED_PROBE[probe].test(message),
    ),
    killing: events.findLast(({ reason, message }) => reason === 'Killing' && message.startsWith(killed)),
  };
}

/** A probe that cannot be run ("errored") does not count: the kubelet stops no container for it, whatever the probe is. */
const FAILED_PROBE: Readonly<Record<StoppingProbe, RegExp>> = {
  liveness: /^Liveness probe failed/,
  startup: /^Startup probe failed/,
};

/**
 * The kubelet says that it stopped this run of the container. Or the probe failed as often as it takes, until a moment before
 * the container ended as one does that is stopped: with the signal, or without an error.
 *
 * A kubelet sends 25 events about a pod, and then one in five minutes, of whatever comes next: that it stopped a container is
 * soon not among them. It goes on counting those that it does not send, so that the count of an event is right. A signal shows
 * that this run, too, was stopped; of a program that ends without an error, an earlier run shows nothing.
 */
export function isStoppedByProbe(
  container: ContainerEvidence,
  probe: StoppingProbe,
  end: ContainerEnd | undefined,
  { killing, failures }: ProbeReports,
): boolean {
  if (killing !== undefined && killing.lastMs > runSinceMs(container, end)) return true;
  if (end === undefined || end.reason === 'OOMKilled' || isLost(end)) return false;
  const stop = container.stops?.[probe] ?? UNKNOWN_STOP;
  const isKilled = KILLED_CODES.has(end.exitCode);
  if (!(isKilled || end.exitCode === 0) || ranMsOf(end) < stop.earliestMs - SECOND_MS) return false;
  if (isKilled && killing !== undefined) return true;
  const count = failures.reduce((sum, each) => sum + each.count, 0);
  // The newest of those that it counts may be before the last one.
  const uncounted = container.restarts < LOOP_RESTARTS ? 0 : stop.failures - 1;
  const isEveryRun = count >= stop.failures * endedRuns(container) - uncounted;
  if (isKilled && isEveryRun && container.restarts >= LOOP_RESTARTS) return true;
  const isEnough = isKilled ? count >= stop.failures : isEveryRun;
  return isEnough && failures.some(({ lastMs }) => isLate(lastMs, end, stop));
}

// ---------------------------------------------------------------------------------------------------

/** SIGKILL and SIGTERM. */
const KILLED_CODES: ReadonlySet<number> = new Set([137, 143]);
/** Times have seconds. */
const SECOND_MS = 1000;
/** A container may be some seconds late, and what it reports as well. */
const SLACK_MS = 15_000;
/** A program that ends without an error is hardly stopped minutes before. */
const MAX_GRACE_MS = 30_000;
/** Nothing is known of the probe. */
const UNKNOWN_STOP: ProbeStop = { failures: 1, earliestMs: 0, failingMs: 30_000, graceMs: MAX_GRACE_MS };

/** After it, what the kubelet reports is about the run in question. How a lost container ended is not known. */
function runSinceMs({ runningSinceMs }: ContainerEvidence, end: ContainerEnd | undefined): number {
  if (end === undefined) return runningSinceMs ?? 0;
  return isLost(end) ? (runningSinceMs ?? Number.POSITIVE_INFINITY) : (end.startedAtMs ?? 0);
}

/** In this run, when the probe can have failed as often as it takes, and not long before the end. */
function isLate(failedMs: number, end: ContainerEnd, { earliestMs, failingMs, graceMs }: ProbeStop): boolean {
  const { exitCode, startedAtMs = 0, endedAtMs = Number.POSITIVE_INFINITY } = end;
  const stoppedMs = failingMs + (exitCode === 0 ? Math.min(graceMs, MAX_GRACE_MS) : graceMs) + SLACK_MS;
  const isOfRun = failedMs >= startedAtMs + earliestMs - SECOND_MS && failedMs <= endedAtMs;
  return isOfRun && (end.endedAtMs === undefined || failedMs >= endedAtMs - stoppedMs);
}

function endedRuns({ restarts, running }: ContainerEvidence): number {
  return Math.max(1, running ? restarts : restarts + 1);
}

/** If the kubelet does not say how long it ran, as long as any. */
function ranMsOf({ startedAtMs, endedAtMs }: ContainerEnd): number {
  return startedAtMs === undefined || endedAtMs === undefined
    ? Number.POSITIVE_INFINITY
    : endedAtMs - startedAtMs;
}
