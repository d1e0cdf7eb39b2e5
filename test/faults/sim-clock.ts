/**
 * Virtual time for whole runs: a heap of what is due, one step for each, and in between everything that can settle does.
 * Things due at the same moment happen in the order in which they were asked for.
 */
import type { Clock, Timer } from '@chandler/kube';
import { real } from './virtual-globals.ts';

interface Entry {
  readonly dueMs: number;
  readonly order: number;
  task: (() => void) | undefined;
}

export class SimClock implements Clock {
  /** Called when all that a step caused has happened. */
  afterStep: () => void = () => undefined;
  readonly #startMs: number;
  readonly #heap: Entry[] = [];
  #elapsedMs = 0;
  #order = 0;
  #cancelled = 0;
  #steps = 0;

  constructor(startMs: number) {
    this.#startMs = startMs;
  }

  now(): number {
    return this.#startMs + this.#elapsedMs;
  }

  monotonic(): number {
    return this.#elapsedMs;
  }

  get steps(): number {
    return this.#steps;
  }

  get pendingTimers(): number {
    return this.#heap.length - this.#cancelled;
  }

  after(delayMs: number, task: () => void): Timer {
    // Whole milliseconds: a rest of less would be no time at all, and whoever waits for it would wait for ever.
    const dueMs = this.#elapsedMs + Math.max(0, Math.ceil(delayMs));
    const entry: Entry = { dueMs, order: this.#order++, task };
    push(this.#heap, entry);
    return {
      cancel: () => {
        if (entry.task === undefined) return;
        entry.task = undefined;
        this.#cancelled += 1;
      },
    };
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

  /** Runs what falls due until then, or until it is told to stop. */
  advance(byMs: number, stop: () => boolean = () => false): Promise<void> {
    const untilMs = this.#elapsedMs + byMs;
    let stepped = false;
    return inTurns(() => {
      if (stepped) this.afterStep();
      stepped = false;
      if (stop()) return true;
      const next = this.#takeDue(untilMs);
      if (next === undefined) {
        this.#elapsedMs = untilMs;
        return true;
      }
      this.#elapsedMs = Math.max(this.#elapsedMs, next.dueMs);
      const { task } = next;
      next.task = undefined;
      this.#steps += 1;
      stepped = true;
      task?.();
      return false;
    });
  }

  /** Moves time on until the promise is settled. */
  async during<T>(promise: Promise<T>): Promise<T> {
    let settled = false;
    const done = promise.finally(() => {
      settled = true;
    });
    done.catch(() => undefined);
    for (let round = 0; !settled && round < 200; round++)
      await this.advance(round === 0 ? 0 : 5_000, () => settled);
    if (!settled) throw new Error('nothing came of it in a long virtual time');
    return done;
  }

  #takeDue(untilMs: number): Entry | undefined {
    for (;;) {
      const [first] = this.#heap;
      if (first === undefined || first.dueMs > untilMs) return undefined;
      pop(this.#heap);
      if (first.task !== undefined) return first;
      this.#cancelled -= 1;
    }
  }
}

// ---------------------------------------------------------------------------------------------------

/** So many turns are asked for at once: between two of them every promise settles, without a round of the event loop. */
const TURNS = 64;

/** Takes turns until one says that it was the last. Everything that can settle does so before each. */
function inTurns(turn: () => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    let left = 0;
    let over = false;
    const more = () => {
      left = TURNS;
      for (let count = 0; count < TURNS; count++) real.setImmediate(one);
    };
    const one = () => {
      left -= 1;
      if (over) return;
      try {
        over = turn();
        if (over) resolve();
        else if (left === 0) more();
      } catch (error) {
        over = true;
        reject(error);
      }
    };
    more();
  });
}

function isBefore(one: Entry, other: Entry): boolean {
  return one.dueMs < other.dueMs || (one.dueMs === other.dueMs && one.order < other.order);
}

function push(heap: Entry[], entry: Entry): void {
  heap.push(entry);
  let at = heap.length - 1;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (!isBefore(entry, heap[parent]!)) break;
    heap[at] = heap[parent]!;
    at = parent;
  }
  heap[at] = entry;
}

function pop(heap: Entry[]): void {
  const last = heap.pop()!;
  if (heap.length === 0) return;
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1;
    if (!isBefore(heap[child]!, last)) break;
    heap[at] = heap[child]!;
    at = child;
  }
  heap[at] = last;
}
