/**
 * Collects triggers into a batch, so that pods that arrive together are scheduled together. The batch closes when no
 * new trigger arrives for `idleMs`, at the latest after `maxMs`.
 */
import type { Clock, Timer } from '@chandler/kube';

export interface BatcherOptions {
  readonly clock: Clock;
  readonly idleMs: number;
  readonly maxMs: number;
  /** The batch is closed. */
  readonly onBatch: () => void;
}

export class Batcher {
  readonly #options: BatcherOptions;
  readonly #seen = new Set<string>();
  #timer: Timer | undefined;
  #openedMs = 0;

  constructor(options: BatcherOptions) {
    this.#options = options;
  }

  /** Adds to the batch. The same key twice does not extend it. */
  trigger(key: string): void {
    if (this.#seen.has(key)) return;
    const { clock, idleMs, maxMs } = this.#options;
    const now = clock.monotonic();
    if (this.#timer === undefined) this.#openedMs = now;
    this.#seen.add(key);
    this.#timer?.cancel();
    const closesInMs = Math.min(idleMs, this.#openedMs + maxMs - now);
    this.#timer = clock.after(Math.max(0, closesInMs), () => this.#close());
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#seen.clear();
  }

  #close(): void {
    this.#timer = undefined;
    this.#seen.clear();
    this.#options.onBatch();
  }
}
