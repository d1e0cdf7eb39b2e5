/**
 * A read that is repeated at an interval: one in flight however many ask, and sooner again after a failure. The loop is the
 * caller's, which learns when the next read is due. What a failure means is the caller's, too: it gets the error.
 */
import type { Clock } from '@chandler/kube';

export interface DueReadOptions {
  readonly clock: Clock;
  readonly everyMs: number;
  /** The interval after a failure. */
  readonly retryMs: number;
  /** May return another interval to the next read than `everyMs`. */
  // biome-ignore lint/suspicious/noConfusingVoidType: most reads have nothing to say about the next one
  readonly read: (signal: AbortSignal) => Promise<number | void>;
}

export class DueRead {
  readonly #options: DueReadOptions;
  #dueAtMs = Number.NEGATIVE_INFINITY;
  #inFlight: { readonly signal: AbortSignal; readonly done: Promise<boolean> } | undefined;

  constructor(options: DueReadOptions) {
    this.#options = options;
  }

  /** On the monotonic clock. */
  get dueAtMs(): number {
    return this.#dueAtMs;
  }

  /**
   * Whether it was read now. Who comes while a read is in flight waits for it; if that one is given up by its caller, the next
   * one reads itself.
   * @throws what the read throws; the next one is due after `retryMs`.
   */
  async refreshIfDue(signal: AbortSignal): Promise<boolean> {
    for (;;) {
      signal.throwIfAborted();
      const inFlight = this.#inFlight;
      if (inFlight === undefined) break;
      try {
        return await inFlight.done;
      } catch (error) {
        if (!inFlight.signal.aborted) throw error;
      }
    }
    if (this.#options.clock.monotonic() < this.#dueAtMs) return false;
    const done = this.#read(signal).finally(() => {
      this.#inFlight = undefined;
    });
    this.#inFlight = { signal, done };
    return done;
  }

  /** The same, due or not. */
  refresh(signal: AbortSignal): Promise<boolean> {
    this.#dueAtMs = Number.NEGATIVE_INFINITY;
    return this.refreshIfDue(signal);
  }

  async #read(signal: AbortSignal): Promise<boolean> {
    const { clock, everyMs, retryMs, read } = this.#options;
    try {
      const nextMs = await read(signal);
      this.#dueAtMs = clock.monotonic() + (nextMs ?? everyMs);
      return true;
    } catch (error) {
      if (!signal.aborted) this.#dueAtMs = clock.monotonic() + retryMs;
      throw error;
    }
  }
}
