/**
 * A queue of keys, each at most once, ordered by priority and then by arrival. A key that is added while it is
 * processed is returned again afterwards, so no change is lost and no key is processed twice at once.
 */
import { Heap } from '../observability/heap.ts';
import type { Clock, Metrics, Timer } from '../world.ts';
import { type ItemLimiter, itemBackoff } from './rate-limiter.ts';
import { type QueueMetrics, queueMetrics } from './work-queue-metrics.ts';

/** For the first list and resyncs: real changes come first. As controller-runtime. */
export const LOW_PRIORITY = -100;

export interface AddOptions {
  /** Higher is first. Default 0. Adding again can only raise it. */
  readonly priority?: number;
  /** Not before this long. Adding again can only bring it forward. Default 0. */
  readonly afterMs?: number;
}

export interface WorkQueueOptions {
  readonly name: string;
  readonly world: { readonly clock: Clock; readonly metrics: Metrics };
  /** Delays of items that failed. Default 5 ms … 1000 s, doubling. */
  readonly limiter?: ItemLimiter;
}

export interface Taken {
  readonly key: string;
  readonly priority: number;
}

export class WorkQueue {
  readonly #clock: Clock;
  readonly #limiter: ItemLimiter;
  readonly #metrics: QueueMetrics;
  /** One entry per key that waits; entries in the heaps that are not in here are stale and skipped. */
  readonly #waiting = new Map<string, Entry>();
  readonly #ready = new Heap<Entry>(isBefore);
  readonly #later = new Heap<Entry>((left, right) => left.readyMs < right.readyMs);
  readonly #working = new Map<string, number>();
  readonly #takers: ((taken: Taken | undefined) => void)[] = [];
  #drained: (() => void)[] = [];
  #timer: { timer: Timer; dueMs: number } | undefined;
  #order = 0;
  #shutDown = false;

  constructor(options: WorkQueueOptions) {
    this.#clock = options.world.clock;
    this.#limiter = options.limiter ?? itemBackoff();
    this.#metrics = queueMetrics(options.world.metrics, options.name, () => {
      const nowMs = this.#clock.monotonic();
      return Array.from(this.#working.values(), (startMs) => (nowMs - startMs) / 1000);
    });
  }

  /** Keys that wait, ready or not. */
  get length(): number {
    return this.#waiting.size;
  }

  /** Keys in progress. */
  get working(): number {
    return this.#working.size;
  }

  /** Entries in memory: keys that wait, and a bounded number of stale ones. */
  get held(): number {
    return this.#ready.size + this.#later.size;
  }

  add(key: string, options: AddOptions = {}): void {
    if (this.#shutDown) return;
    const { priority = 0, afterMs = 0 } = options;
    if (!(afterMs >= 0 && Number.isFinite(afterMs)))
      throw new RangeError(`${key}: a key cannot be requeued after ${afterMs} ms`);
    const nowMs = this.#clock.monotonic();
    const known = this.#waiting.get(key);
    if (!known) this.#metrics.added();
    if (afterMs > 0) this.#metrics.retried();
    const readyMs = Math.min(nowMs + afterMs, known?.readyMs ?? Number.POSITIVE_INFINITY);
    const raised = known === undefined || priority > known.priority;
    if (known && !raised && readyMs === known.readyMs) return;
    const entry: Entry = {
      key,
      readyMs,
      priority: raised ? priority : known.priority,
      order: raised ? this.#order++ : known.order,
      ready: false,
    };
    this.#waiting.set(key, entry);
    if (known?.ready) this.#metrics.depth(known.priority, -1);
    this.#place(entry, nowMs);
  }

  /** Adds the key after the backoff of its failures. */
  addRateLimited(key: string, options: Omit<AddOptions, 'afterMs'> = {}): void {
    this.add(key, { ...options, afterMs: this.#limiter.nextMs(key) });
  }

  /** Resets the backoff of the key. */
  forget(key: string): void {
    this.#limiter.forget(key);
  }

  failures(key: string): number {
    return this.#limiter.failures(key);
  }

  /** The next key, when there is one; undefined once the queue is shut down. `done` must follow. */
  take(): Promise<Taken | undefined> {
    const entry = this.#next();
    if (entry) return Promise.resolve(this.#give(entry));
    if (this.#shutDown) return Promise.resolve(undefined);
    return new Promise((resolve) => this.#takers.push(resolve));
  }

  done(key: string): void {
    const startMs = this.#working.get(key);
    if (startMs === undefined) return;
    this.#working.delete(key);
    this.#metrics.worked((this.#clock.monotonic() - startMs) / 1000);
    const again = this.#waiting.get(key);
    if (again) this.#place(again, this.#clock.monotonic());
    if (this.#working.size === 0) for (const resolve of this.#drained.splice(0)) resolve();
  }

  /** Accepts no more keys and drops pending ones. Resolves when all keys in progress are done. */
  shutDown(): Promise<void> {
    this.#shutDown = true;
    this.#metrics.ended();
    this.#timer?.timer.cancel();
    this.#timer = undefined;
    for (const entry of this.#waiting.values()) if (entry.ready) this.#metrics.depth(entry.priority, -1);
    this.#waiting.clear();
    for (const take of this.#takers.splice(0)) take(undefined);
    if (this.#working.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#drained.push(resolve));
  }

  #place(entry: Entry, nowMs: number): void {
    if (this.#working.has(entry.key)) return;
    if (isDue(entry, nowMs)) {
      entry.ready = true;
      this.#ready.push(entry);
      this.#metrics.depth(entry.priority, 1);
      this.#serve();
    } else {
      this.#later.push(entry);
      // A busy key that requeues itself after a month would otherwise accumulate entries for a month.
      if (this.#later.size > 2 * this.#waiting.size + STALE_ALLOWED)
        this.#later.keep((each) => this.#isLive(each));
      this.#arm();
    }
  }

  #serve(): void {
    while (this.#takers.length > 0) {
      const entry = this.#next();
      if (!entry) return;
      this.#takers.shift()?.(this.#give(entry));
    }
  }

  #next(): Entry | undefined {
    for (let entry = this.#ready.pop(); entry; entry = this.#ready.pop()) {
      if (this.#isLive(entry) && !this.#working.has(entry.key)) return entry;
    }
    return undefined;
  }

  #isLive(entry: Entry): boolean {
    return this.#waiting.get(entry.key) === entry;
  }

  #give(entry: Entry): Taken {
    const nowMs = this.#clock.monotonic();
    this.#waiting.delete(entry.key);
    this.#working.set(entry.key, nowMs);
    this.#metrics.depth(entry.priority, -1);
    this.#metrics.waited((nowMs - entry.readyMs) / 1000);
    return { key: entry.key, priority: entry.priority };
  }

  /** One timer, for the entry that is due next. */
  #arm(): void {
    const next = this.#later.peek();
    if (!next || (this.#timer && this.#timer.dueMs <= next.readyMs)) return;
    this.#timer?.timer.cancel();
    const nowMs = this.#clock.monotonic();
    const delayMs = Math.min(MAX_TIMER_MS, Math.max(0, next.readyMs - nowMs));
    this.#timer = { dueMs: nowMs + delayMs, timer: this.#clock.after(delayMs, () => this.#fallDue()) };
  }

  #fallDue(): void {
    this.#timer = undefined;
    const nowMs = this.#clock.monotonic();
    for (let next = this.#later.peek(); next && isDue(next, nowMs); next = this.#later.peek()) {
      this.#later.pop();
      if (this.#isLive(next)) this.#place(next, nowMs);
    }
    this.#arm();
  }
}

// ------------------------------------------------------------------------------------------------

interface Entry {
  readonly key: string;
  readonly priority: number;
  readonly readyMs: number;
  readonly order: number;
  /** In the ready heap, and counted in the depth. */
  ready: boolean;
}

/** A day. Timers of the platform cannot hold more than 24 and fire at once if asked to. */
const MAX_TIMER_MS = 86_400_000;

const STALE_ALLOWED = 64;

/** Timers of a real clock may fire a fraction of a millisecond early. */
function isDue(entry: Entry, nowMs: number): boolean {
  return entry.readyMs <= nowMs + 0.5;
}

function isBefore(left: Entry, right: Entry): boolean {
  return left.priority === right.priority ? left.order < right.order : left.priority > right.priority;
}
