/**
 * The calls of one bucket, in order. A call goes when there are tokens for it, and nothing goes while AWS throttles. One that is
 * aborted leaves, and those behind it move up.
 */
import type { Timer, World } from '@chandler/kube';
import { AwsError, HELD_BACK } from '../errors/index.ts';
import type { CallRate } from './rates.table.ts';
import { TokenPool } from './token-pool.ts';

export interface RateQueueOptions {
  readonly name: string;
  readonly requests: CallRate;
  readonly instances: CallRate | undefined;
  readonly longestWaitMs: number;
}

/** How long a bucket is closed after the first answer that throttles; twice as long after each further one. */
export const FIRST_CLOSE_MS = 1_000;
export const MAX_CLOSE_MS = 60_000;

export class RateQueue {
  readonly #options: RateQueueOptions;
  readonly #world: Pick<World, 'clock' | 'random'>;
  readonly #requests: TokenPool;
  readonly #instances: TokenPool | undefined;
  readonly #waiting: Waiter[] = [];
  #timer: Timer | undefined;
  #closedUntilMs = Number.NEGATIVE_INFINITY;
  /** Answers that throttled since the last one that did not. */
  #throttles = 0;
  /** The time to come back that the last refused call was given. */
  #lastBackMs = Number.NEGATIVE_INFINITY;

  constructor(options: RateQueueOptions, world: Pick<World, 'clock' | 'random'>) {
    this.#options = options;
    this.#world = world;
    const nowMs = world.clock.monotonic();
    this.#requests = new TokenPool(options.requests, nowMs);
    this.#instances = options.instances === undefined ? undefined : new TokenPool(options.instances, nowMs);
  }

  /** Resolves with the time at which the call may be sent, which is now. */
  pass(instances: number, signal: AbortSignal): Promise<number> {
    if (signal.aborted) return Promise.reject(signal.reason);
    const nowMs = this.#world.clock.monotonic();
    const asked = this.#instances?.capped(instances) ?? 0;
    const waitMs = this.#plan(nowMs).waitMs(asked);
    if (waitMs > this.#options.longestWaitMs) return Promise.reject(this.#heldBack(nowMs, waitMs));
    if (waitMs === 0 && this.#waiting.length === 0) {
      this.#take(asked, nowMs);
      return Promise.resolve(nowMs);
    }
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.#leave(waiter);
        reject(signal.reason);
        this.#schedule();
      };
      const waiter: Waiter = {
        instances: asked,
        latestMs: nowMs + this.#options.longestWaitMs,
        end: () => signal.removeEventListener('abort', onAbort),
        resolve,
        reject,
      };
      signal.addEventListener('abort', onAbort);
      this.#waiting.push(waiter);
      this.#schedule();
    });
  }

  answered(sentAtMs: number): void {
    if (sentAtMs >= this.#closedUntilMs) this.#throttles = 0;
  }

  throttled(sentAtMs: number, retryAfterMs: number | undefined): void {
    // The calls that were in flight together are throttled together, and count once.
    if (sentAtMs < this.#closedUntilMs) return;
    const nowMs = this.#world.clock.monotonic();
    const growing = Math.min(MAX_CLOSE_MS, FIRST_CLOSE_MS * 2 ** Math.min(this.#throttles, 16));
    const jittered = growing * (0.5 + this.#world.random.next() / 2);
    this.#throttles += 1;
    this.#closedUntilMs = nowMs + Math.ceil(Math.min(MAX_CLOSE_MS, Math.max(jittered, retryAfterMs ?? 0)));
    // Others use the account, too: the tokens that we counted are not there.
    this.#requests.empty(nowMs);
    this.#turnAway(nowMs);
    this.#schedule();
  }

  // -------------------------------------------------------------------------------------------------------------

  /** When calls go that are behind those that wait; exact, unless AWS throttles or somebody leaves. */
  #plan(nowMs: number, waiting: readonly Waiter[] = this.#waiting): Plan {
    const plan = new Plan(nowMs, this.#closedUntilMs, this.#requests.copy(), this.#instances?.copy());
    for (const { instances } of waiting) plan.take(instances);
    return plan;
  }

  #take(instances: number, nowMs: number): void {
    this.#requests.take(1, nowMs);
    this.#instances?.take(instances, nowMs);
  }

  #pump(): void {
    const nowMs = this.#world.clock.monotonic();
    for (;;) {
      const next = this.#waiting[0];
      if (next === undefined || this.#plan(nowMs, []).waitMs(next.instances) > 0) break;
      this.#waiting.shift();
      this.#take(next.instances, nowMs);
      next.end();
      next.resolve(nowMs);
    }
    this.#schedule();
  }

  #schedule(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    const next = this.#waiting[0];
    if (next === undefined) return;
    const waitMs = this.#plan(this.#world.clock.monotonic(), []).waitMs(next.instances);
    this.#timer = this.#world.clock.after(waitMs, () => this.#pump());
  }

  /** Refuses those that would have to wait too long now. */
  #turnAway(nowMs: number): void {
    const plan = this.#plan(nowMs, []);
    for (const waiter of [...this.#waiting]) {
      const waitMs = plan.waitMs(waiter.instances);
      if (nowMs + waitMs <= waiter.latestMs) {
        plan.take(waiter.instances);
        continue;
      }
      this.#leave(waiter);
      waiter.reject(this.#heldBack(nowMs, waitMs));
    }
  }

  #leave(waiter: Waiter): void {
    this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
    waiter.end();
  }

  /** Refused calls come back one after the other: of all at once, most would be refused again. */
  #heldBack(nowMs: number, waitMs: number): AwsError {
    const nextMs = this.#lastBackMs + 1000 / this.#options.requests.perSecond;
    const backMs = Math.min(Math.max(nextMs, nowMs + waitMs), nowMs + waitMs + MAX_SPREAD_MS);
    this.#lastBackMs = backMs;
    const retryAfterMs = Math.ceil(backMs - nowMs);
    const message = `too many requests (${this.#options.name}): the request was not sent, retry in ${Math.ceil(retryAfterMs / 1000)} s`;
    return new AwsError({ code: HELD_BACK, message, retryAfterMs });
  }
}

// ---------------------------------------------------------------------------------------------------------------

interface Waiter {
  readonly instances: number;
  readonly latestMs: number;
  /** Stops listening to the signal. */
  readonly end: () => void;
  readonly resolve: (sentAtMs: number) => void;
  readonly reject: (reason: unknown) => void;
}

/** The future of the pools, if those that wait go as soon as they can. */
class Plan {
  readonly #fromMs: number;
  readonly #requests: TokenPool;
  readonly #instances: TokenPool | undefined;
  #atMs: number;

  constructor(nowMs: number, openMs: number, requests: TokenPool, instances: TokenPool | undefined) {
    this.#fromMs = nowMs;
    this.#atMs = Math.max(nowMs, openMs);
    this.#requests = requests;
    this.#instances = instances;
  }

  /** Until the next call, with so many instances, may go. */
  waitMs(instances: number): number {
    return this.#nextMs(instances) - this.#fromMs;
  }

  take(instances: number): void {
    this.#atMs = this.#nextMs(instances);
    this.#requests.take(1, this.#atMs);
    this.#instances?.take(instances, this.#atMs);
  }

  #nextMs(instances: number): number {
    const requestMs = this.#requests.waitMs(1, this.#atMs);
    return this.#atMs + Math.max(requestMs, this.#instances?.waitMs(instances, this.#atMs) ?? 0);
  }
}

/** No call is delayed much longer than the queue needs. */
const MAX_SPREAD_MS = 60_000;
