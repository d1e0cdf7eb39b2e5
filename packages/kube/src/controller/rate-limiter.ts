/**
 * Rate limits: a token bucket for all items, and an exponential delay for each item that failed.
 * Both only answer "in how many milliseconds"; waiting is left to the caller and its clock.
 */
import type { Clock } from '../world.ts';

export interface TokenBucketOptions {
  /** Tokens per second. Above 0. */
  readonly perSecond: number;
  /** Maximum number of tokens. At least 1. */
  readonly burst: number;
}

export class TokenBucket {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #perMs: number;
  readonly #burst: number;
  #tokens: number;
  #atMs: number;

  constructor(clock: Pick<Clock, 'monotonic'>, options: TokenBucketOptions) {
    if (!(options.perSecond > 0) || !(options.burst >= 1)) {
      throw new Error(`a token bucket needs perSecond > 0 and burst >= 1, got ${JSON.stringify(options)}`);
    }
    this.#clock = clock;
    this.#perMs = options.perSecond / 1000;
    this.#burst = options.burst;
    this.#tokens = options.burst;
    this.#atMs = clock.monotonic();
  }

  /** Takes a token, now or in advance, and returns how long to wait before using it. */
  reserveMs(): number {
    this.#refill();
    this.#tokens -= 1;
    return this.#tokens >= 0 ? 0 : -this.#tokens / this.#perMs;
  }

  /** Returns a token that was reserved and will not be used. */
  giveBack(): void {
    this.#refill();
    this.#tokens = Math.min(this.#burst, this.#tokens + 1);
  }

  /** Takes a token only if one is available. */
  tryTake(): boolean {
    this.#refill();
    // Sums of fractions of a token may be slightly below one.
    if (this.#tokens < 1 - 1e-9) return false;
    this.#tokens -= 1;
    return true;
  }

  #refill(): void {
    const nowMs = this.#clock.monotonic();
    this.#tokens = Math.min(this.#burst, this.#tokens + (nowMs - this.#atMs) * this.#perMs);
    this.#atMs = nowMs;
  }
}

/** Says when an item that failed may be tried again. */
export interface ItemLimiter {
  nextMs(key: string): number;
  forget(key: string): void;
  failures(key: string): number;
}

/** base, 2·base, 4·base … up to max, for each item on its own. Default 5 ms … 1000 s, as client-go. */
export function itemBackoff(options: { baseMs?: number; maxMs?: number } = {}): ItemLimiter {
  const { baseMs = 5, maxMs = 1_000_000 } = options;
  const failures = new Map<string, number>();
  return {
    nextMs(key) {
      const before = failures.get(key) ?? 0;
      failures.set(key, before + 1);
      // 2^64 is above any limit; a larger exponent would only overflow.
      return Math.min(maxMs, baseMs * 2 ** Math.min(before, 64));
    },
    forget: (key) => void failures.delete(key),
    failures: (key) => failures.get(key) ?? 0,
  };
}

/** The longer of the item's own delay and the delay of a bucket that all items share. */
export function backoffWithBucket(
  clock: Pick<Clock, 'monotonic'>,
  options: { baseMs: number; maxMs: number; perSecond: number; burst: number },
): ItemLimiter {
  const item = itemBackoff(options);
  const bucket = new TokenBucket(clock, options);
  return {
    nextMs: (key) => Math.max(item.nextMs(key), bucket.reserveMs()),
    forget: item.forget,
    failures: item.failures,
  };
}

/** What most of Karpenter's controllers use: 100 ms … 1 min for an item, 10 a second with a burst of 100 in all. */
export function reasonableLimiter(clock: Pick<Clock, 'monotonic'>): ItemLimiter {
  return backoffWithBucket(clock, { baseMs: 100, maxMs: 60_000, perSecond: 10, burst: 100 });
}
