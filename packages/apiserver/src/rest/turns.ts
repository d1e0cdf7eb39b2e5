/**
 * Gives way to the event loop. Requests in this process are promises that are already resolved, so that thousands of them
 * could follow each other within one turn of the event loop, and the sockets of other clients would wait for all of them.
 * When a turn has lasted long enough, further callers wait, and a few of them continue in each of the next turns.
 */
import type { Clock } from '@chandler/kube';

export class Turns {
  readonly #clock: Clock;
  readonly #waiting: (() => void)[] = [];
  #turnMs: number;
  #scheduled = false;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#turnMs = clock.monotonic();
  }

  /** Undefined while the current turn is short; else resolves in a later one, in the order of the calls. */
  pass(): Promise<void> | undefined {
    const isShort = this.#clock.monotonic() - this.#turnMs < MAX_TURN_MS;
    if (isShort && this.#waiting.length === 0) return undefined;
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#clock.after(0, () => {
      this.#scheduled = false;
      this.#turnMs = this.#clock.monotonic();
      for (const resolve of this.#waiting.splice(0, MAX_RELEASED)) resolve();
      if (this.#waiting.length > 0) this.#schedule();
    });
  }
}

// ---------------------------------------------------------------------------------------------------

const MAX_TURN_MS = 20;
/** Each runs until its next request, also when the turn is over by then. */
const MAX_RELEASED = 16;
