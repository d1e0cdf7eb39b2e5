/**
 * Workloads that could not be rolled, and until when they are left alone: otherwise their nodes would be replaced again and
 * again. Kept in memory: after a restart they are tried again.
 */
import type { Clock } from '@chandler/kube';
import { SURGE_PAUSE_MS } from '../../disruption/index.ts';

/** A workload that never moves in time is not restarted more often than this. */
const MAX_PAUSE_MS = 24 * 60 * 60_000;

interface Refusal {
  readonly why: string;
  readonly untilMs: number;
  /** Of the next one in a row. */
  readonly nextPauseMs: number;
}

export class SurgeRefusalList {
  readonly #clock: Pick<Clock, 'now'>;
  /** By UID of the workload. Those that have ended are kept for a day, for the length of the next. */
  readonly #refusals = new Map<string, Refusal>();

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  all(): ReadonlyMap<string, Refusal> {
    const nowMs = this.#clock.now();
    for (const [uid, { untilMs }] of this.#refusals)
      if (untilMs + MAX_PAUSE_MS <= nowMs) this.#refusals.delete(uid);
    return this.#refusals;
  }

  /** Nothing has happened to it, and whoever repairs the cause does not wait long. */
  notRestarted(uid: string, why: string): void {
    const { nextPauseMs = SURGE_PAUSE_MS } = this.#refusals.get(uid) ?? {};
    this.#refuse(uid, { why, untilMs: this.#clock.now() + SURGE_PAUSE_MS, nextPauseMs });
  }

  restartedInVain(uid: string, why: string): void {
    const { nextPauseMs: pauseMs = SURGE_PAUSE_MS } = this.all().get(uid) ?? {};
    const untilMs = this.#clock.now() + pauseMs;
    this.#refuse(uid, { why, untilMs, nextPauseMs: Math.min(2 * pauseMs, MAX_PAUSE_MS) });
  }

  /** All pods have moved. What another command with the same workload has found stays. */
  succeeded(uid: string): void {
    if (!this.#isInForce(uid)) this.#refusals.delete(uid);
  }

  /** Several commands may fail with the same workload: that counts once. */
  #refuse(uid: string, refusal: Refusal): void {
    if (!this.#isInForce(uid)) this.#refusals.set(uid, refusal);
  }

  #isInForce(uid: string): boolean {
    return (this.#refusals.get(uid)?.untilMs ?? 0) > this.#clock.now();
  }
}
