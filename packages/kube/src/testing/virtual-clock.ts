/**
 * Virtual time: it advances only when a test says so, runs due timers in order, and lets promises settle in between.
 * Timers that are due at the same moment run in the order in which they were set. A heap holds them, so that a run with
 * thousands of timers stays fast.
 */
import type { Clock, Timer } from '../world.ts';
import { TimerHeap } from './timer-heap.ts';

export interface VirtualClockOptions {
  /** Turns of the event loop between two steps. Default 3: enough for answers of a server in this process. */
  readonly turnsPerStep?: number;
  /**
   * Turns that are scheduled at once. Default 1. With more, promises still settle between two turns, but sockets and other
   * I/O have to wait: for runs without I/O.
   */
  readonly turnsAtOnce?: number;
  /** Whole milliseconds only: a shorter delay counts as one. Default false. */
  readonly wholeMs?: boolean;
  /** Default: the process's own. For runs that replace the globals. */
  readonly setImmediate?: (task: () => void) => unknown;
}

export class VirtualClock implements Clock {
  /** Called when everything that a step caused has happened. */
  afterStep: () => void = () => undefined;
  readonly #startMs: number;
  readonly #options: Required<VirtualClockOptions>;
  readonly #timers = new TimerHeap();
  #elapsedMs = 0;
  #steps = 0;

  constructor(startMs: number, options: VirtualClockOptions = {}) {
    this.#startMs = startMs;
    this.#options = { turnsPerStep: 3, turnsAtOnce: 1, wholeMs: false, setImmediate, ...options };
  }

  now(): number {
    return this.#startMs + this.#elapsedMs;
  }

  monotonic(): number {
    return this.#elapsedMs;
  }

  /** Timers that have run. */
  get steps(): number {
    return this.#steps;
  }

  get pendingTimers(): number {
    return this.#timers.size;
  }

  after(delayMs: number, task: () => void): Timer {
    const waitMs = Math.max(0, this.#options.wholeMs ? Math.ceil(delayMs) : delayMs);
    return this.#timers.add(this.#elapsedMs + waitMs, task);
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const onAbort = () => {
        timer.cancel();
        reject(signal?.reason);
      };
      const timer = this.after(delayMs, () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      });
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** Moves time on by this much, or until `stop` holds; promises settle before each step. */
  advance(byMs: number, stop: () => boolean = () => false): Promise<void> {
    const untilMs = this.#elapsedMs + byMs;
    let stepped = false;
    return this.#inTurns(() => {
      if (stepped) this.afterStep();
      stepped = false;
      if (stop()) return true;
      const next = this.#timers.takeDue(untilMs);
      if (next === undefined) {
        this.#elapsedMs = untilMs;
        return true;
      }
      this.#elapsedMs = Math.max(this.#elapsedMs, next.dueMs);
      this.#steps += 1;
      stepped = true;
      next.task();
      return false;
    });
  }

  /** Moves time on until the promise is settled. @throws when a long virtual time did not settle it. */
  async during<T>(promise: Promise<T>): Promise<T> {
    let settled = false;
    const done = promise.finally(() => {
      settled = true;
    });
    done.catch(() => undefined);
    for (let round = 0; !settled && round < 200; round++)
      await this.advance(round === 0 ? 0 : 5_000, () => settled);
    if (!settled) throw new Error('the promise did not settle in a long virtual time');
    return done;
  }

  /**
   * Advances time until the condition holds, which is checked once in every `everyMs`. All that is due at one moment runs
   * in one go: for benchmarks with thousands of timers.
   */
  async until(holds: () => boolean | Promise<boolean>, everyMs = 1000): Promise<void> {
    let askMs = this.#elapsedMs;
    for (;;) {
      await this.#inTurns(() => true);
      if (this.#elapsedMs >= askMs) {
        if (await holds()) return;
        askMs = this.#elapsedMs + everyMs;
      }
      this.#elapsedMs = Math.max(this.#elapsedMs, Math.min(askMs, this.#timers.nextDueMs ?? askMs));
      for (
        let next = this.#timers.takeDue(this.#elapsedMs);
        next !== undefined;
        next = this.#timers.takeDue(this.#elapsedMs)
      )
        next.task();
    }
  }

  /** Calls the turn repeatedly until it returns that it was the last; everything that can settle does so before each. */
  #inTurns(turn: () => boolean): Promise<void> {
    const { turnsPerStep, turnsAtOnce, setImmediate: nextTurn } = this.#options;
    return new Promise((resolve, reject) => {
      let asked = 0;
      let passed = 0;
      let over = false;
      const ask = () => {
        asked = turnsAtOnce;
        for (let count = 0; count < turnsAtOnce; count++) nextTurn(one);
      };
      const one = () => {
        asked -= 1;
        if (over) return;
        passed += 1;
        try {
          if (passed % turnsPerStep === 0) over = turn();
          if (over) resolve();
          else if (asked === 0) ask();
        } catch (error) {
          over = true;
          reject(error);
        }
      };
      ask();
    });
  }
}
