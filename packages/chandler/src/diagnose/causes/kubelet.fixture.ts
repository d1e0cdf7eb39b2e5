/**
 * What a kubelet would have sent about a pod whose container is restarted again and again, at a moment between two runs or
 * within one. It sends 25 events about a pod and then one in five minutes, of whatever comes next; it counts those that it
 * does not send; it combines those that differ only in their words; and the API server keeps each for an hour.
 */
import {
  type ContainerEvidence,
  type EventFact,
  type EvidenceOf,
  failsRepeatedly,
} from '../../causes/index.ts';
import { aContainer, aPod, condition, events, NOW_MS } from '../../causes/testing.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;

/** One run of the container. Times are after its start. */
export interface Run {
  readonly ranMs: number;
  readonly exitCode: number;
  /** `OOMKilled`, `Unknown`. */
  readonly reason?: string;
  /** When each probe failed. */
  readonly liveness?: readonly number[];
  readonly readiness?: readonly number[];
  readonly startup?: readonly number[];
  /** When the kubelet stopped it for its liveness probe, or for its startup probe if it has one. */
  readonly killedMs?: number;
}

export interface Program {
  readonly run: (index: number) => Run;
  /** The words of a failed probe, which may have a port in them. */
  readonly words?: (count: number) => string;
  readonly probes?: ContainerEvidence['probes'];
  readonly stops?: ContainerEvidence['stops'];
}

export interface Moment {
  /** Of the run before it, from 0 on. */
  readonly index: number;
  readonly events: EvidenceOf<'events'>;
  readonly pod: EvidenceOf<'pod'>;
  /** That the kubelet stopped a run of the last hour is on record. */
  readonly isKillingKnown: boolean;
}

/** The middle of the pause after each run, or of the run after it: the pod is Ready then, or has not started yet. */
export function moments(
  program: Program,
  count: number,
  where: 'back-off' | 'run' | 'start',
): readonly Moment[] {
  const kubelet = new Kubelet();
  const found: Moment[] = [];
  let atMs = 0;
  let pauseMs = 0;
  let failures = 0;
  let before: Last | undefined;
  const words = program.words ?? (() => 'HTTP probe failed with statuscode: 500');
  for (let index = 0; found.length < count; index++) {
    const run = program.run(index);
    const next = program.run(index + 1);
    const startedMs = atMs;
    const endedMs = startedMs + run.ranMs;
    for (const reason of ['Pulled', 'Created', 'Started']) kubelet.emit(startedMs, reason, `${reason} web`);
    const failed = failuresOf(run);
    const emitFailures = (all: typeof failed) => {
      for (const [probe, ms] of all)
        kubelet.emit(startedMs + ms, 'Unhealthy', `${probe} probe failed: ${words(failures++)}`);
    };
    const halfMs = run.ranMs / 2;
    emitFailures(failed.filter(([, ms]) => ms <= halfMs));
    if (where === 'start' && before !== undefined)
      found.push(kubelet.seen(startedMs + halfMs, index - 1, before, startedMs, program, false));
    emitFailures(failed.filter(([, ms]) => ms > halfMs));
    before = ended(run, startedMs);
    if (run.killedMs !== undefined)
      kubelet.emit(
        startedMs + run.killedMs,
        'Killing',
        `Container web failed ${run.startup === undefined ? 'liveness' : 'startup'} probe, will be restarted`,
      );
    pauseMs = pauseAfter(pauseMs, run.ranMs, index);
    const middleMs = endedMs + pauseMs / 2;
    let isAsked = where !== 'back-off' || pauseMs === 0;
    for (let ms = endedMs + SECOND_MS; ms < endedMs + pauseMs; ms += 12 * SECOND_MS) {
      if (!isAsked && ms > middleMs) {
        found.push(kubelet.seen(middleMs, index, before, undefined, program));
        isAsked = true;
      }
      kubelet.emit(ms, 'BackOff', 'Back-off restarting failed container web in pod web-1_shop(0b1c)');
    }
    if (!isAsked) found.push(kubelet.seen(middleMs, index, before, undefined, program));
    atMs = endedMs + Math.max(pauseMs, SECOND_MS);
    if (where === 'run') found.push(kubelet.seen(atMs + next.ranMs / 2, index, before, atMs, program));
  }
  return found;
}

// ---------------------------------------------------------------------------------------------------

function failuresOf({ startup = [], readiness = [], liveness = [] }: Run) {
  return [
    ...startup.map((ms) => ['Startup', ms] as const),
    ...readiness.map((ms) => ['Readiness', ms] as const),
    ...liveness.map((ms) => ['Liveness', ms] as const),
  ].sort(([, one], [, other]) => one - other);
}

type Last = NonNullable<ContainerEvidence['lastTerminated']>;

function ended({ ranMs, exitCode, reason }: Run, startedAtMs: number): Last {
  const isLost = reason === 'Unknown';
  return {
    reason: reason ?? (exitCode === 0 ? 'Completed' : 'Error'),
    exitCode,
    signal: undefined,
    message: '',
    ...(isLost ? {} : { startedAtMs, endedAtMs: startedAtMs + ranMs }),
  };
}

/** The first restart is at once, as is one after ten minutes. */
function pauseAfter(beforeMs: number, ranMs: number, index: number): number {
  if (index === 0 || ranMs > 10 * MINUTE_MS) return 0;
  return beforeMs === 0 ? 10 * SECOND_MS : Math.min(2 * beforeMs, 5 * MINUTE_MS);
}

interface Sent extends EventFact {
  readonly sentMs: number;
}

/** As the recorder of client-go. */
class Kubelet {
  readonly #counts = new Map<string, number>();
  readonly #sent = new Map<string, Sent>();
  readonly #similar = new Map<string, { lastMs: number; words: Set<string> }>();
  #tokens = 25;
  #filledMs = 0;

  emit(atMs: number, reason: string, message: string): void {
    const isCombined = this.#isCombined(atMs, reason, message);
    const key = isCombined ? reason : `${reason} ${message}`;
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    this.#tokens = Math.min(25, this.#tokens + (atMs - this.#filledMs) / (5 * MINUTE_MS));
    this.#filledMs = atMs;
    if (this.#tokens < 1) return;
    this.#tokens--;
    const type = ['Unhealthy', 'BackOff'].includes(reason) ? 'Warning' : 'Normal';
    this.#sent.set(key, {
      object: 'Pod/shop/web-1',
      container: 'web',
      type,
      reason,
      message,
      count,
      ...(isCombined ? { isCombined: true } : {}),
      lastMs: Math.floor(atMs / SECOND_MS) * SECOND_MS,
      sentMs: atMs,
    });
  }

  seen(
    atMs: number,
    index: number,
    last: Last,
    runningSinceMs: number | undefined,
    { probes = ['liveness'], stops = STOPS }: Program,
    ready = runningSinceMs !== undefined,
  ): Moment {
    const shift = (ms: number) => NOW_MS + Math.floor((ms - atMs) / SECOND_MS) * SECOND_MS;
    const kept = [...this.#sent.values()].filter(
      ({ sentMs }) => sentMs <= atMs && atMs - sentMs < 60 * MINUTE_MS,
    );
    const { startedAtMs, endedAtMs } = last;
    const lastTerminated = {
      ...last,
      ...(startedAtMs === undefined ? {} : { startedAtMs: shift(startedAtMs) }),
      ...(endedAtMs === undefined ? {} : { endedAtMs: shift(endedAtMs) }),
    };
    const conditions = [condition('Ready', ready ? 'True' : 'False')];
    const { startup } = stops;
    const container = aContainer({
      probes,
      lastTerminated,
      stops,
      ...(startup === undefined
        ? {}
        : { startupMs: startup.earliestMs + startup.failingMs / startup.failures }),
      ready,
      started: ready,
      ...(runningSinceMs === undefined
        ? {
            restarts: index,
            waiting: { reason: 'CrashLoopBackOff', message: 'back-off' },
          }
        : { restarts: index + 1, running: true, runningSinceMs: shift(runningSinceMs) }),
    });
    const fails = failsRepeatedly(container, conditions, NOW_MS);
    return {
      index,
      events: events(...kept.map(({ sentMs: _, ...fact }) => ({ ...fact, lastMs: shift(fact.lastMs) }))),
      pod: aPod({
        conditions,
        createdAtMs: shift(0),
        containers: [{ ...container, failsRepeatedly: fails }],
      }),
      isKillingKnown: kept.some(({ reason }) => reason === 'Killing'),
    };
  }

  /** Those of one reason that differ, beyond ten of them without ten minutes between two. */
  #isCombined(atMs: number, reason: string, message: string): boolean {
    const before = this.#similar.get(reason);
    const similar =
      before === undefined || atMs - before.lastMs > 10 * MINUTE_MS
        ? { lastMs: atMs, words: new Set<string>() }
        : before;
    similar.lastMs = atMs;
    this.#similar.set(reason, similar);
    similar.words.add(message);
    if (similar.words.size < 10) return false;
    // One is forgotten for each that is combined.
    for (const one of similar.words) {
      similar.words.delete(one);
      break;
    }
    return true;
  }
}

/** Of a probe with the usual threshold and period, after ten seconds. */
const STOPS: NonNullable<ContainerEvidence['stops']> = {
  liveness: { failures: 3, earliestMs: 30 * SECOND_MS, failingMs: 30 * SECOND_MS, graceMs: 30 * SECOND_MS },
};
