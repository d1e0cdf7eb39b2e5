/** Tokens that come back at a rate, up to a maximum. */
import type { CallRate } from './rates.table.ts';

export class TokenPool {
  readonly rate: CallRate;
  #tokens: number;
  #atMs: number;

  constructor(rate: CallRate, nowMs: number) {
    if (!(rate.perSecond > 0) || !(rate.burst >= 1)) {
      throw new Error(`a call rate needs perSecond > 0 and burst >= 1, got ${JSON.stringify(rate)}`);
    }
    this.rate = rate;
    this.#tokens = rate.burst;
    this.#atMs = nowMs;
  }

  copy(): TokenPool {
    const copy = new TokenPool(this.rate, this.#atMs);
    copy.#tokens = this.#tokens;
    return copy;
  }

  /** In how many milliseconds there are so many; 0: now. What is more than the pool ever holds counts as all of it. */
  waitMs(amount: number, nowMs: number): number {
    const missing = amount - this.#refilled(nowMs);
    // Sums of fractions of a token may be slightly below the whole.
    return missing <= 1e-9 ? 0 : Math.ceil((missing / this.rate.perSecond) * 1000);
  }

  take(amount: number, nowMs: number): void {
    this.#tokens = this.#refilled(nowMs) - this.capped(amount);
  }

  capped(amount: number): number {
    return Math.min(amount, this.rate.burst);
  }

  empty(nowMs: number): void {
    this.#tokens = Math.min(0, this.#refilled(nowMs));
  }

  #refilled(nowMs: number): number {
    this.#tokens = Math.min(
      this.rate.burst,
      this.#tokens + ((nowMs - this.#atMs) / 1000) * this.rate.perSecond,
    );
    this.#atMs = nowMs;
    return this.#tokens;
  }
}
