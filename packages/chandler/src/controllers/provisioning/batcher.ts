/**
 * Collects what happens in a short while, so that pods that come together are planned together. The window closes
 * when nothing new came for `idleMs`, and at the latest after `maxMs`.
 */
import type { Clock, Timer } from '@chandler/kube';

export interface BatcherOptions {
  readonly clock: Clock;
  readonly idleMs: number;
  readonly maxMs: number;
  /** The window has closed. */
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

  /** Something to plan for. The same thing twice in one window does not hold it open. */
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
