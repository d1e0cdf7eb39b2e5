/** Timers of a virtual clock, earliest first; those of one moment in the order in which they were set. */
import type { Timer } from '../world.ts';

interface Entry {
  readonly dueMs: number;
  readonly order: number;
  task: (() => void) | undefined;
}

export interface DueTimer {
  readonly dueMs: number;
  readonly task: () => void;
}

export class TimerHeap {
  readonly #heap: Entry[] = [];
  #order = 0;
  #cancelled = 0;

  /** Timers that are set and not cancelled. */
  get size(): number {
    return this.#heap.length - this.#cancelled;
  }

  /** When the earliest is due. */
  get nextDueMs(): number | undefined {
    while (this.#heap[0] !== undefined && this.#heap[0].task === undefined) {
      pop(this.#heap);
      this.#cancelled -= 1;
    }
    return this.#heap[0]?.dueMs;
  }

  add(dueMs: number, task: () => void): Timer {
    const entry: Entry = { dueMs, order: this.#order++, task };
    push(this.#heap, entry);
    return {
      cancel: () => {
        if (entry.task === undefined) return;
        // It stays in the heap until its time: taking it out would cost a search.
        entry.task = undefined;
        this.#cancelled += 1;
      },
    };
  }

  takeDue(untilMs: number): DueTimer | undefined {
    for (;;) {
      const [first] = this.#heap;
      if (first === undefined || first.dueMs > untilMs) return undefined;
      pop(this.#heap);
      const { dueMs, task } = first;
      first.task = undefined;
      if (task !== undefined) return { dueMs, task };
      this.#cancelled -= 1;
    }
  }
}

// ---------------------------------------------------------------------------------------------------

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
