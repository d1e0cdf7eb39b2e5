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
  /** All that it has sent about the pod. */
  readonly sent: readonly EventFact[];
  /** Of these, those about other containers. */
  readonly aboutOthers: readonly EventFact[];
}

/** By then the first events have used up what a kubelet sends, and the pauses are minutes long. */
export const LOOP_RESTARTS = 5;

/** Of the events about a pod, those that count for a container of it. */
export function probeReports(
  sent: readonly EventFact[],
  { name }: ContainerEvidence,
  probe: StoppingProbe,
): ProbeReports {
  const events = sent.filter(({ container = name }) => container === name);
  // The kubelet calls a sidecar an init container.
  const killed = ['Container', 'Init container'].map((each) => `${each} ${name} failed ${probe} probe`);
  return {
    failures: events.filter(
      ({ reason, message }) => reason === 'Unhealthy' && FAILED_PROBE[probe].test(message),
    ),
    killing: events.findLast(
      ({ reason, message }) => reason === 'Killing' && killed.some((words) => message.startsWith(words)),
    ),
    sent,
    aboutOthers: sent.filter(({ container = name }) => container !== name),
  };
}

/** A probe that cannot be run ("errored") does not count: the kubelet stops no container for it, whatever the probe is. */
const FAILED_PROBE: Readonly<Record<StoppingProbe, RegExp>> = {
  liveness: /^Liveness probe failed/,
  startup: /^Startup probe failed/,
};

/**
 * The kubelet says that it stopped this run of the container. Or the container ended as one does that is stopped, with the
 * signal or without an error, and what is reported of the probe fits that.
 *
 * A kubelet sends 25 events about a pod, and then one in five minutes, of whatever comes next: that it stopped a container is
 * soon not among them. It goes on counting those that it does not send, so that the count of an event is right.
 */
export function isStoppedByProbe(
  container: ContainerEvidence,
  probe: StoppingProbe,
  end: ContainerEnd | undefined,
  reports: ProbeReports,
): boolean {
  const { killing, failures } = reports;
  if (killing !== undefined && killing.lastMs > runSinceMs(container, end)) return true;
  if (end === undefined || end.reason === 'OOMKilled' || isLost(end)) return false;
  const stop = container.stops?.[probe] ?? UNKNOWN_STOP;
  const isKilled = KILLED_CODES.has(end.exitCode);
  if (!(isKilled || end.exitCode === 0) || ranMsOf(end) < stop.earliestMs - SECOND_MS) return false;
  if (probe === 'startup' && isOfMany(stop, reports) && isStoppedAtStart(container, end, stop, reports))
    return true;
  const isLast = failures.some(({ lastMs }) => isLate(lastMs, end, stop));
  const isEnough = failsTooOften(container, end, stop, reports);
  if (isKilled) {
    // A signal shows that this run, too, was stopped.
    const isOften = failures.reduce((sum, { count }) => sum + count, 0) >= stop.failures;
    return killing !== undefined || (isLast && isOften) || (isEnough && container.restarts >= LOOP_RESTARTS);
  }
  if (isLast && isEnough) return true;
  // A pod that is Ready is well unless something shows that it is not.
  if (container.ready) return false;
  return killing === undefined
    ? isEnough && ranMsOf(end) <= stop.earliestMs + stoppedMs(stop, 0)
    : !isFullyReported(end, stop, reports);
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
/** A kubelet starts a container again after this time. */
const MAX_PAUSE_MS = 5 * 60_000;
/** What it sends about a pod: so many events, and then one in this time. */
const EVENTS_AT_ONCE = 25;
const EVENT_EACH_MS = 5 * 60_000;
/** Nothing is known of the probe. */
const UNKNOWN_STOP: ProbeStop = { failures: 1, earliestMs: 0, failingMs: 30_000, graceMs: MAX_GRACE_MS };

/** After it, what the kubelet reports is about the run in question. How a lost container ended is not known. */
function runSinceMs({ runningSinceMs }: ContainerEvidence, end: ContainerEnd | undefined): number {
  if (end === undefined) return runningSinceMs ?? 0;
  return isLost(end) ? (runningSinceMs ?? Number.POSITIVE_INFINITY) : (end.startedAtMs ?? 0);
}

/** In this run, when the probe can have failed as often as it takes, and not long before the end. */
function isLate(failedMs: number, end: ContainerEnd, stop: ProbeStop): boolean {
  const { exitCode, startedAtMs = 0, endedAtMs = Number.POSITIVE_INFINITY } = end;
  const isOfRun = failedMs >= startedAtMs + stop.earliestMs - SECOND_MS && failedMs <= endedAtMs;
  return isOfRun && (end.endedAtMs === undefined || failedMs >= endedAtMs - stoppedMs(stop, exitCode));
}

/** From the first failure that counts to the end of the container. */
function stoppedMs({ failingMs, graceMs }: ProbeStop, exitCode: number): number {
  return failingMs + (exitCode === 0 ? Math.min(graceMs, MAX_GRACE_MS) : graceMs) + SLACK_MS;
}

/** More often than a probe can fail in each run without stopping it, until it was reported last. */
function failsTooOften(
  container: ContainerEvidence,
  end: ContainerEnd,
  stop: ProbeStop,
  { failures }: ProbeReports,
  unreported = 0,
): boolean {
  if (failures.length === 0) return false;
  // Failures of its other probes may be among those that are combined.
  const isSole = container.probes.length === 1;
  const count = failures.reduce((sum, each) => sum + (each.isCombined && !isSole ? 1 : each.count), 0);
  const lastMs = failures.at(-1)?.lastMs ?? 0;
  // Pauses are of five minutes at most: so many runs have ended since.
  const sinceMs = Math.max(0, (end.endedAtMs ?? 0) - lastMs);
  const later = Math.min(container.restarts, Math.floor(sinceMs / (MAX_PAUSE_MS + ranMsOf(end))));
  return count + unreported > (stop.failures - 1) * (endedRuns(container) - later);
}

/**
 * One run, or two, can use up what a kubelet sends at once, with what it sends about other containers of the pod: those may
 * fail while it runs. Of a probe of fewer failures several runs are on record, and those that it did not stop would be blamed
 * on it.
 */
function isOfMany({ failures: most }: ProbeStop, { failures, sent, aboutOthers }: ProbeReports): boolean {
  const own = sent.filter(
    (each) => !failures.includes(each) && !aboutOthers.includes(each) && each.reason !== 'BackOff',
  );
  const others = aboutOthers.reduce((sum, { count }) => sum + count, own.length);
  return most >= EVENTS_AT_ONCE / 2 || most + others >= EVENTS_AT_ONCE;
}

/**
 * It has not started, and its last run took as long as its startup probe gives it. The first run may use up what a kubelet
 * sends at once: then the newest failure that was reported is minutes old, and its count lacks those since.
 */
function isStoppedAtStart(
  container: ContainerEvidence,
  end: ContainerEnd,
  stop: ProbeStop,
  reports: ProbeReports,
): boolean {
  const { ready, started, startupMs = 0 } = container;
  const endsMs = stoppedMs({ ...stop, failingMs: 0 }, end.exitCode);
  if (ready || started || ranMsOf(end) > startupMs + endsMs || isFullyReported(end, stop, reports))
    return false;
  return failsTooOften(container, end, stop, reports, failuresSince(container, end, stop, reports));
}

/** That were not reported of the last run; less than none if some of the present run were. */
function failuresSince(
  { startupMs = 0, runningSinceMs = Number.POSITIVE_INFINITY }: ContainerEvidence,
  { endedAtMs = 0 }: ContainerEnd,
  { failures: most, earliestMs, failingMs }: ProbeStop,
  { failures }: ProbeReports,
): number {
  const newestMs = failures.at(-1)?.lastMs ?? 0;
  // What fails at once does so in every period, and what takes until its timeout not as often.
  const delayMs = startupMs - failingMs;
  const periodMs = most > 1 ? (earliestMs - delayMs) / (most - 1) : failingMs;
  return newestMs > endedAtMs
    ? Math.min(0, (runningSinceMs + delayMs - newestMs) / periodMs)
    : Math.min(most, (endedAtMs - newestMs) / periodMs);
}

/**
 * That this run was stopped would be on record: the kubelet has not sent as many events yet as it sends at once, or had sent
 * none for so long before the end that it may send one.
 */
function isFullyReported(end: ContainerEnd, stop: ProbeStop, { sent }: ProbeReports): boolean {
  if (sent.reduce((sum, { count }) => sum + count, 0) < EVENTS_AT_ONCE) return true;
  const { startedAtMs, endedAtMs } = end;
  if (startedAtMs === undefined || endedAtMs === undefined) return false;
  const sinceMs = endedAtMs - stoppedMs(stop, end.exitCode) - EVENT_EACH_MS;
  return startedAtMs < sinceMs && !sent.some(({ lastMs }) => lastMs >= sinceMs && lastMs <= endedAtMs);
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
