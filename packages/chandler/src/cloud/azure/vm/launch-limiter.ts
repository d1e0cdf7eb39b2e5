/**
 * Limits the launches in flight, so that a burst of NodeClaims does not use up the rate limits of ARM. Beyond the limit a NodeClaim waits in a queue, in the order of its first request, and
 * makes no calls. A NodeClaim whose VM is created no longer counts, however long its remaining steps take.
 */
import type { Clock } from '@chandler/kube';
import { DEFAULT_RATES } from '../../../arm/index.ts';
import { InFlight } from './in-flight.ts';

export const MAX_AT_ONCE = 200;

/** A waiting NodeClaim that is no longer requested leaves the queue after this time. */
const FORGOTTEN_MS = 15 * 60_000;

/** The first entries of the queue may start out of order, because the very first may be waiting for its requeue. */
const HEAD = 20;

const MIN_REQUEUE_MS = 1_000;
const MAX_REQUEUE_MS = 30_000;
/** NIC, VM and one extension. */
const WRITES_PER_LAUNCH = 3;
/** The share of the write rate limit that one launch uses. */
const EACH_MS = (WRITES_PER_LAUNCH * 1000) / DEFAULT_RATES.write.perSecond;

export class LaunchLimiter {
  readonly #clock: Clock;
  readonly #max: number;
  readonly #inside: InFlight;
  readonly #past: InFlight;
  /** In the order of the first request. */
  readonly #waiting = new Map<string, number>();

  constructor(clock: Clock, max: number = MAX_AT_ONCE) {
    this.#clock = clock;
    this.#max = max;
    this.#inside = new InFlight(clock);
    this.#past = new InFlight(clock);
  }

  get inside(): number {
    return this.#inside.size;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** All that are polled: those that no longer need a slot too. */
  get lookedAt(): number {
    return this.#inside.size + this.#past.size;
  }

  /** Undefined: continue. Otherwise when to requeue. */
  enter(claimUid: string): number | undefined {
    if (this.#past.has(claimUid)) {
      this.#past.asked(claimUid);
      return undefined;
    }
    if (this.#inside.has(claimUid)) return this.#admit(claimUid);
    const nowMs = this.#clock.monotonic();
    const free = this.#max - this.#inside.size;
    if (free > 0 && this.#waiting.size === 0) return this.#admit(claimUid);
    this.#waiting.set(claimUid, nowMs);
    const place = this.#placeOf(claimUid, nowMs);
    if (free > 0 && place < free + HEAD) return this.#admit(claimUid);
    return Math.min(MAX_REQUEUE_MS, Math.max(MIN_REQUEUE_MS, (place - Math.max(0, free)) * EACH_MS));
  }

  /** It needs no slot any more, and is not over. */
  pass(claimUid: string): void {
    this.leave(claimUid);
    this.#past.asked(claimUid);
  }

  leave(claimUid: string): void {
    this.#inside.over(claimUid);
    this.#past.over(claimUid);
    this.#waiting.delete(claimUid);
  }

  #admit(claimUid: string): undefined {
    this.#waiting.delete(claimUid);
    this.#inside.asked(claimUid);
  }

  #placeOf(claimUid: string, nowMs: number): number {
    let place = 0;
    for (const [uid, askedMs] of this.#waiting) {
      if (uid === claimUid) return place;
      if (nowMs - askedMs > FORGOTTEN_MS) this.#waiting.delete(uid);
      else place += 1;
    }
    return place;
  }
}
