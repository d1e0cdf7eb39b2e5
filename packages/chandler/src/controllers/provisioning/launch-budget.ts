/** Counts the NodeClaims that were created in the last minute; `launch-guard.ts` compares the count with the limit. */
import type { Clock } from '@chandler/kube';

const MINUTE_MS = 60_000;

/** Creation times of the last minute: one budget for the whole process. */
export class LaunchBudget {
  readonly #clock: Clock;
  #takenMs: number[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * How many of the wanted claims may be created now; these count at once.
   * @param stored existing claims of the last minute: the only record of an earlier leader.
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
