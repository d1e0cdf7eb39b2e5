/**
 * Virtual time for benchmarks with thousands of timers: a heap of what is due. Time moves on by itself whenever everything
 * that can settle has settled.
 */
import type { Clock, Timer } from '@chandler/kube';

interface Entry {
  readonly dueMs: number;
  readonly order: number;
  task: (() => void) | undefined;
}

export class HeapClock implements Clock {
  readonly #startMs: number;
  readonly #heap: Entry[] = [];
  #elapsedMs = 0;
  #order = 0;

  constructor(startMs: number) {
    this.#startMs = startMs;
  }

  now(): number {
    return this.#startMs + this.#elapsedMs;
  }

  monotonic(): number {
    return this.#elapsedMs;
  }

  after(delayMs: number, task: () => void): Timer {
    const entry: Entry = { dueMs: this.#elapsedMs + Math.max(0, delayMs), order: this.#order++, task };
    push(this.#heap, entry);
    return {
      cancel() {
        entry.task = undefined;
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

  /** Moves time on, step by step, until it holds; looked at once in every `everyMs` of virtual time. */
  async until(holds: () => boolean | Promise<boolean>, everyMs = 1000): Promise<void> {
    let lookMs = this.#elapsedMs;
    for (;;) {
      await settle();
      if (this.#elapsedMs >= lookMs) {
        if (await holds()) return;
        lookMs = this.#elapsedMs + everyMs;
      }
      this.#step(lookMs);
    }
  }

  /** Everything that is due at the next moment; nothing later than the limit. */
  #step(limitMs: number): void {
    const dueMs = Math.min(limitMs, this.#heap[0]?.dueMs ?? limitMs);
    this.#elapsedMs = Math.max(this.#elapsedMs, dueMs);
    while (this.#heap.length > 0 && this.#heap[0]!.dueMs <= this.#elapsedMs) pop(this.#heap).task?.();
  }
}

// ---------------------------------------------------------------------------------------------------

/** Promises, and answers of servers in this process, which come a few turns later. */
async function settle(): Promise<void> {
  for (let round = 0; round < 3; round++) await new Promise<void>((resolve) => setImmediate(resolve));
}

function isBefore(one: Entry, other: Entry): boolean {
  return one.dueMs < other.dueMs || (one.dueMs === other.dueMs && one.order < other.order);
}

function push(heap: Entry[], entry: Entry): void {
  let at = heap.push(entry) - 1;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (!isBefore(entry, heap[parent]!)) break;
    heap[at] = heap[parent]!;
    at = parent;
  }
  heap[at] = entry;
}

function pop(heap: Entry[]): Entry {
  const first = heap[0]!;
  const last = heap.pop()!;
  if (heap.length === 0) return first;
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++;
    if (!isBefore(heap[child]!, last)) break;
    heap[at] = heap[child]!;
    at = child;
  }
  heap[at] = last;
  return first;
}
