/** How many calls one purpose may make: a token bucket that never makes anybody wait, it only says how many may go. */
import type { Clock } from '@chandler/kube';

export class Allowance {
  readonly #clock: Clock;
  readonly #perSecond: () => number;
  readonly #burst: number;
  #tokens: number;
  #atMs: number;

  /** @param perSecond asked at every use. */
  constructor(clock: Clock, perSecond: () => number, burst: number) {
    this.#clock = clock;
    this.#perSecond = perSecond;
    this.#burst = Math.max(1, burst);
    this.#tokens = this.#burst;
    this.#atMs = clock.monotonic();
  }

  take(): boolean {
    const nowMs = this.#clock.monotonic();
    const grown = this.#tokens + ((nowMs - this.#atMs) / 1000) * this.#perSecond();
    this.#tokens = Math.min(this.#burst, grown);
    this.#atMs = nowMs;
    // Fractions that add up to one are one.
    if (this.#tokens < 1 - 1e-9) return false;
    this.#tokens -= 1;
    return true;
  }
}
