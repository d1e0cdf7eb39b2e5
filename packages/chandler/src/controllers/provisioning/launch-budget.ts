/** How many claims may be created in a minute. */
import type { Clock } from '@chandler/kube';

const MINUTE_MS = 60_000;

/** When claims were created in the last minute, by whomever: one budget for the whole process. */
export class LaunchBudget {
  readonly #clock: Clock;
  #takenMs: number[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * How many of the wanted may be created now; they count from here on.
   * @param stored claims of the last minute that are there: whoever led before us has left no other trace.
   */
  take(wanted: number, perMinute: number, stored = 0): number {
    if (perMinute <= 0) return wanted;
    const now = this.#clock.monotonic();
    this.#takenMs = this.#takenMs.filter((atMs) => now - atMs < MINUTE_MS);
    const taken = Math.max(this.#takenMs.length, stored);
    const granted = Math.min(wanted, Math.max(0, perMinute - taken));
    for (let each = 0; each < granted; each++) this.#takenMs.push(now);
    return granted;
  }

  refund(count: number): void {
    this.#takenMs.length = Math.max(0, this.#takenMs.length - count);
  }
}
