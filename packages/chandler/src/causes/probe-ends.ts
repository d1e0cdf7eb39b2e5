/**
 * Whether a container ended because the kubelet stopped it for a probe. How it ended decides, with the times of what the
 * kubelet reported: a single failure stops nothing, and a program may also end without an error by intent.
 */
import {
  type ContainerEnd,
  type ContainerEvidence,
  isLost,
  type StoppingProbe,
} from './container-evidence.ts';
import type { EventFact } from './evidence.ts';

/** What the kubelet reports of a container. */
export interface ProbeReports {
  /** Failures of the probe. */
  readonly failures: readonly EventFact[];
  /** The newest time that it stopped the container for this probe. */
  readonly killing: EventFact | undefined;
  /** The newest time that it started the container. */
  readonly started: EventFact | undefined;
}

/** By then the first events have used up what a kubelet sends, and the pauses are minutes long. */
export const LOOP_RESTARTS = 5;

/** Of the events that count. */
export const PROBE_REASONS: readonly string[] = ['Unhealthy', 'Killing', 'Started'];

/** Of the events about a container, those that count. */
export function probeReports(
  events: readonly EventFact[],
  { name }: ContainerEvidence,
  probe: StoppingProbe,
): ProbeReports {
  const killed = `Container ${name} failed ${probe} probe`;
  const newest = (reason: string, says: (message: string) => boolean = () => true) =>
    events.findLast((each) => each.reason === reason && says(each.message));
  return {
    failures: events.filter(
      ({ reason, message }) => reason === 'Unhealthy' && FAILED_PROBE[probe].test(message),
    ),
    killing: newest('Killing', (message) => message.startsWith(killed)),
    started: newest('Started'),
  };
}

/** A probe that cannot be executed does not pass; the kubelet restarts no container for a liveness probe of which that is so. */
export const FAILED_PROBE: Readonly<Record<StoppingProbe, RegExp>> = {
  liveness: /^Liveness probe failed/,
  startup: /^Startup probe (?:failed|errored(?: and resulted in unknown state)?)/,
};

/**
 * The kubelet says that it stopped this run of the container. Or the container ended as one does that is stopped: with the
 * signal, or without an error, after the time that the probe needs for that, and what the kubelet reported agrees. It sends
 * 25 events about a pod, and then one in five minutes, of whatever comes next: that it stopped a container is soon not among
 * them.
 */
export function isStoppedByProbe(
  container: ContainerEvidence,
  probe: StoppingProbe,
  end: ContainerEnd | undefined,
  reports: ProbeReports,
): boolean {
  const { killing, failures } = reports;
  const runSinceMs = (end === undefined ? container.runningSinceMs : end.startedAtMs) ?? 0;
  if (killing !== undefined && killing.lastMs >= runSinceMs) return true;
  if (end === undefined || end.reason === 'OOMKilled' || isLost(end)) return false;
  if (ranMsOf(end) < (container.stops?.[probe]?.earliestMs ?? 0) - SECOND_MS) return false;
  if (KILLED_CODES.has(end.exitCode))
    return (
      killing !== undefined ||
      failures.some(({ lastMs }) => container.restarts >= LOOP_RESTARTS || lastMs >= runSinceMs)
    );
  return end.exitCode === 0 && isEndedByProbe(container, probe, end, reports);
}

// ---------------------------------------------------------------------------------------------------

/** SIGKILL and SIGTERM. */
const KILLED_CODES: ReadonlySet<number> = new Set([137, 143]);
/** Times have seconds. */
const SECOND_MS = 1000;
/** Three failures ten seconds apart, and the grace period, if nothing is known of them. */
const LAST_MS = 60_000;
/** A container may be some seconds late, and what it reports as well. */
const SLACK_MS = 15_000;
/** Of runs that are longer, the kubelet reports everything. */
const SENT_MS = 30 * 60_000;

/** A program that ends without an error may be meant to: a probe fails until a moment before the end if it stops it. */
function isEndedByProbe(
  container: ContainerEvidence,
  probe: StoppingProbe,
  end: ContainerEnd,
  { failures, killing, started }: ProbeReports,
): boolean {
  const { startedAtMs = 0, endedAtMs = Number.POSITIVE_INFINITY } = end;
  const ranMs = ranMsOf(end);
  const lastMs = (container.stops?.[probe]?.lastMs ?? LAST_MS) + SLACK_MS;
  const isLate = (offsetMs: number) => offsetMs >= ranMs - lastMs;
  const ofRun = failures.filter((each) => each.lastMs >= startedAtMs && each.lastMs <= endedAtMs);
  const count = failures.reduce((sum, each) => sum + each.count, 0);
  const isCounted = container.restarts < LOOP_RESTARTS;
  const isEnough = !isCounted || count >= (container.stops?.[probe]?.failures ?? 1);
  if (isEnough && ofRun.some((each) => isLate(each.lastMs - startedAtMs))) return true;
  // Only an earlier run can tell: what the kubelet reported of this one must be missing.
  const isReported = started !== undefined && started.lastMs >= endedAtMs;
  if (ranMs > SENT_MS || isReported || ofRun.length > 0) return false;
  if (killing !== undefined) return true;
  if (isCounted) return false;
  const { runningSinceMs = Number.POSITIVE_INFINITY } = container;
  // A probe may also fail while a program starts.
  return failures.some((each) => each.lastMs < startedAtMs || isLate(each.lastMs - runningSinceMs));
}

/** If the kubelet does not say how long it ran, as long as any. */
function ranMsOf({ startedAtMs, endedAtMs }: ContainerEnd): number {
  return startedAtMs === undefined || endedAtMs === undefined
    ? Number.POSITIVE_INFINITY
    : endedAtMs - startedAtMs;
}
