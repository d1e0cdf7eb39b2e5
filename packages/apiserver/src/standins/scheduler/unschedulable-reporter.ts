/**
 * Decides when the message of an unschedulable pod is reported: the first time at once, then with a growing interval of one
 * to ten seconds, as the backoff of kube-scheduler does. The message contains the number of nodes, so without this limit
 * every node that joins would cause a write to every pending pod.
 */
import type { Clock, Timer } from '@chandler/kube';

const MIN_INTERVAL_MS = 1_000;
const MAX_INTERVAL_MS = 10_000;
const FLUSH_INTERVAL_MS = 500;

interface ReportState {
  intervalMs: number;
  nextMs: number;
  /** The message to report when the interval has passed. */
  pending: string | undefined;
}

export class UnschedulableReporter {
  readonly #clock: Clock;
  readonly #write: (key: string, message: string) => void;
  readonly #states = new Map<string, ReportState>();
  readonly #pending = new Set<string>();
  #timer: Timer | undefined;

  /** @param write reports the message; it ignores a pod that is no longer pending. */
  constructor(clock: Clock, write: (key: string, message: string) => void) {
    this.#clock = clock;
    this.#write = write;
  }

  report(key: string, message: string): void {
    const now = this.#clock.monotonic();
    const state = this.#states.get(key);
    if (state !== undefined && now < state.nextMs) {
      state.pending = message;
      this.#pending.add(key);
      this.#timer ??= this.#clock.after(FLUSH_INTERVAL_MS, () => this.#flush());
      return;
    }
    const intervalMs = Math.min(
      MAX_INTERVAL_MS,
      state === undefined ? MIN_INTERVAL_MS : 2 * state.intervalMs,
    );
    this.#states.set(key, { intervalMs, nextMs: now + intervalMs, pending: undefined });
    this.#pending.delete(key);
    this.#write(key, message);
  }

  /** The pod already has the current message. */
  markReported(key: string): void {
    this.#pending.delete(key);
  }

  forget(key: string): void {
    this.#states.delete(key);
    this.#pending.delete(key);
  }

  stop(): void {
    this.#timer?.cancel();
    this.#pending.clear();
  }

  #flush(): void {
    this.#timer = undefined;
    const now = this.#clock.monotonic();
    for (const key of [...this.#pending]) {
      const state = this.#states.get(key);
      if (state?.pending === undefined) this.#pending.delete(key);
      else if (now >= state.nextMs) this.report(key, state.pending);
    }
    if (this.#pending.size > 0) this.#timer ??= this.#clock.after(FLUSH_INTERVAL_MS, () => this.#flush());
  }
}
