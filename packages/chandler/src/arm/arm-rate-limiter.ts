/**
 * How fast we call Azure. Each class of calls has a token bucket on the World's clock; an answer 429 closes the
 * class, for the subscription and resource provider whose limit it is, for as long as Azure said. A call that would have to wait long is refused here and costs nothing: the
 * caller requeues, instead of thousands of calls waiting in memory.
 */
import type { Clock } from '@chandler/kube';
import type { Sourced } from '../settings/index.ts';
import { ArmError, HELD_BACK } from './arm-error.ts';
import { type CallTarget, EVERYTHING } from './throttling.ts';

/** `serialLog`: the address of a serial log. A write for ARM, but Compute has a limit of its own for it. */
export type CallClass = RatedClass | 'serialLog';

/** With a rate of its own. */
type RatedClass = 'read' | 'write' | 'delete' | 'query';

export interface CallRate {
  /** Calls per second. Above 0. */
  readonly perSecond: number;
  /** Calls that may be sent at once. At least 1. */
  readonly burst: number;
}

export type CallRates = Readonly<Record<RatedClass, CallRate>>;

/** What ARM grants a principal in a subscription and region (reads, writes, deletes), and Resource Graph a user. */
export const DEFAULT_RATES: CallRates = {
  read: { perSecond: 25, burst: 250 },
  write: { perSecond: 10, burst: 200 },
  delete: { perSecond: 10, burst: 200 },
  query: { perSecond: 3, burst: 15 },
};

/** The options that say it, by the camelCase of their flags. */
export interface RateOptions {
  readonly armReadQps: Sourced<number>;
  readonly armReadBurst: Sourced<number>;
  readonly armWriteQps: Sourced<number>;
  readonly armWriteBurst: Sourced<number>;
  readonly armDeleteQps: Sourced<number>;
  readonly armDeleteBurst: Sourced<number>;
  readonly armQueryQps: Sourced<number>;
  readonly armQueryBurst: Sourced<number>;
}

export function callRates(options: RateOptions): CallRates {
  const rate = (perSecond: Sourced<number>, burst: Sourced<number>): CallRate => ({
    perSecond: perSecond.value,
    burst: burst.value,
  });
  return {
    read: rate(options.armReadQps, options.armReadBurst),
    write: rate(options.armWriteQps, options.armWriteBurst),
    delete: rate(options.armDeleteQps, options.armDeleteBurst),
    query: rate(options.armQueryQps, options.armQueryBurst),
  };
}

/** A `Retry-After` beyond this is taken for a mistake. */
export const MAX_CLOSE_MS = 10 * 60_000;

/** How long a call may wait for its turn by default; also the default of `--arm-longest-wait`. */
export const DEFAULT_LONGEST_WAIT_MS = 5_000;

export interface ArmRateLimiterOptions {
  readonly rates?: Partial<CallRates> | undefined;
  /** How long a call may wait for its turn; beyond that it is refused with `HeldBack`. Default: `DEFAULT_LONGEST_WAIT_MS`. */
  readonly longestWaitMs?: number | undefined;
}

export class ArmRateLimiter {
  readonly #clock: Clock;
  readonly #longestWaitMs: number;
  readonly #lanes: Readonly<Record<RatedClass, Lane>>;
  /** Takes the tokens of writes; only how long it is closed is its own. */
  readonly #serialLogs: Lane;

  constructor(clock: Clock, options: ArmRateLimiterOptions = {}) {
    this.#clock = clock;
    this.#longestWaitMs = options.longestWaitMs ?? DEFAULT_LONGEST_WAIT_MS;
    const lane = (name: RatedClass) => newLane(options.rates?.[name] ?? DEFAULT_RATES[name], clock);
    this.#lanes = { read: lane('read'), write: lane('write'), delete: lane('delete'), query: lane('query') };
    this.#serialLogs = lane('write');
  }

  /** Resolves when the call may be sent. Throws `HeldBack` with the time to wait, or the reason of the signal. */
  async pass(name: CallClass, signal?: AbortSignal, target: CallTarget = EVERYTHING): Promise<void> {
    const lane = this.#lanes[name === 'serialLog' ? 'write' : name];
    const nowMs = this.#clock.monotonic();
    refill(lane, nowMs);
    const missing = 1 - lane.tokens;
    const turnMs = missing <= 1e-9 ? 0 : Math.ceil((missing / lane.rate.perSecond) * 1000);
    const waitMs = Math.max(turnMs, this.#closedUntilMs(name, lane, target) - nowMs);
    if (waitMs > this.#longestWaitMs) {
      const cause = waitMs > turnMs ? keyOf(target) : TURN;
      throw heldBack(name, comeBackMs(this.#laneOf(name), nowMs, waitMs, cause));
    }
    lane.tokens -= 1;
    // The class may be closed again while a call waits; a call that has waited already is then refused.
    for (
      let restMs = waitMs;
      restMs > 0;
      restMs = this.#closedUntilMs(name, lane, target) - this.#clock.monotonic()
    ) {
      if (restMs > this.#longestWaitMs) throw this.#turnedAway(name, lane, restMs, target);
      await this.#clock.sleep(restMs, signal).catch((reason: unknown) => {
        this.#giveBack(lane);
        throw reason;
      });
    }
  }

  /** Azure throttled the class, for this target: no such call is sent until then. */
  close(name: CallClass, forMs: number, target: CallTarget = EVERYTHING): void {
    const nowMs = this.#clock.monotonic();
    const untilMs = nowMs + Math.min(Math.max(forMs, 0), MAX_CLOSE_MS);
    const { closed, lastBackMs } = this.#laneOf(name);
    for (const times of [closed, lastBackMs])
      for (const [key, endMs] of times) if (endMs <= nowMs) times.delete(key);
    const key = keyOf(target);
    closed.set(key, Math.max(closed.get(key) ?? untilMs, untilMs));
  }

  #laneOf(name: CallClass): Lane {
    return name === 'serialLog' ? this.#serialLogs : this.#lanes[name];
  }

  #closedUntilMs(name: CallClass, bucket: Lane, target: CallTarget): number {
    const keys = [EVERYTHING, { ...target, provider: '' }, target].map(keyOf);
    const lanes = [bucket, this.#laneOf(name)];
    return Math.max(...lanes.flatMap(({ closed }) => keys.map((key) => closed.get(key) ?? -Infinity)));
  }

  /** Refuses a call that was waiting, and returns its token. */
  #turnedAway(name: CallClass, lane: Lane, restMs: number, target: CallTarget): ArmError {
    this.#giveBack(lane);
    const nowMs = this.#clock.monotonic();
    return heldBack(name, comeBackMs(this.#laneOf(name), nowMs, restMs, keyOf(target)));
  }

  #giveBack(lane: Lane): void {
    refill(lane, this.#clock.monotonic());
    lane.tokens = Math.min(lane.rate.burst, lane.tokens + 1);
  }
}

export function callClass(method: string, url: string): CallClass {
  if (method === 'GET' || method === 'HEAD') return 'read';
  if (method === 'DELETE') return 'delete';
  if (method === 'POST' && url.includes('/Microsoft.ResourceGraph/')) return 'query';
  return method === 'POST' && SERIAL_LOG.test(url) ? 'serialLog' : 'write';
}

// ---------------------------------------------------------------------------------------------------

const SERIAL_LOG = /\/retrieveBootDiagnosticsData(\?|$)/i;

interface Lane {
  readonly rate: CallRate;
  /** Below zero: so many calls are waiting for their turn. */
  tokens: number;
  atMs: number;
  /** By target: until when (monotonic). */
  readonly closed: Map<string, number>;
  /** By what it was refused for, its target or `TURN`: the retry time that the last refused call was given. */
  readonly lastBackMs: Map<string, number>;
}

/** The rate of the class, and no limit of Azure. */
const TURN = 'turn';

/** No call is delayed much longer than the queue needs. */
const MAX_SPREAD_MS = 60_000;

/** Refused calls are retried one after the other: of all at once, most would be refused again. */
function comeBackMs(lane: Lane, nowMs: number, waitMs: number, cause: string): number {
  const nextMs = (lane.lastBackMs.get(cause) ?? Number.NEGATIVE_INFINITY) + 1000 / lane.rate.perSecond;
  const backMs = Math.min(Math.max(nextMs, nowMs + waitMs), nowMs + waitMs + MAX_SPREAD_MS);
  lane.lastBackMs.set(cause, backMs);
  return Math.ceil(backMs - nowMs);
}

function heldBack(name: CallClass, retryAfterMs: number): ArmError {
  const message = `too many ${name} requests to Azure: the request was not sent, retry in ${Math.ceil(retryAfterMs / 1000)} s`;
  return new ArmError({ code: HELD_BACK, message, retryAfterMs });
}

function newLane(rate: CallRate, clock: Clock): Lane {
  if (!(rate.perSecond > 0) || !(rate.burst >= 1)) {
    throw new Error(`a call rate needs perSecond > 0 and burst >= 1, got ${JSON.stringify(rate)}`);
  }
  const tokens = rate.burst;
  return { rate, tokens, atMs: clock.monotonic(), closed: new Map(), lastBackMs: new Map() };
}

function keyOf({ subscription, provider }: CallTarget): string {
  return `${subscription}/${provider}`;
}

function refill(lane: Lane, nowMs: number): void {
  const grown = lane.tokens + ((nowMs - lane.atMs) / 1000) * lane.rate.perSecond;
  lane.tokens = Math.min(lane.rate.burst, grown);
  lane.atMs = nowMs;
}
