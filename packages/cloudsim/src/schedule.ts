/**
 * What happens later, on the World's clock. One timer serves all tasks, whatever their number, and closing the server
 * leaves nothing behind.
 */
import type { Clock, Timer } from '@chandler/kube';

interface Task {
  readonly dueMs: number;
  readonly order: number;
  run: (() => void) | undefined;
}

export class Schedule {
  readonly #clock: Clock;
  readonly #onError: (error: unknown) => void;
  /** A binary heap: the task that is due first is at 0. */
  readonly #heap: Task[] = [];
  #order = 0;
  #timer: { readonly dueMs: number; readonly timer: Timer } | undefined;
  #closed = false;

  constructor(clock: Clock, onError: (error: unknown) => void) {
    this.#clock = clock;
    this.#onError = onError;
  }

  /** Runs the task once, after the delay; tasks due at the same time in the order they were given. */
  after(delayMs: number, run: () => void): Timer {
    const task: Task = { dueMs: this.#clock.monotonic() + Math.max(0, delayMs), order: this.#order++, run };
    if (!this.#closed) {
      this.#push(task);
      this.#arm();
    }
    return {
      cancel: () => {
        task.run = undefined;
      },
    };
  }

  /** How many are waiting, cancelled ones not counted. */
  get waiting(): number {
    return this.#heap.filter((task) => task.run !== undefined).length;
  }

  close(): void {
    this.#closed = true;
    this.#heap.length = 0;
    this.#timer?.timer.cancel();
    this.#timer = undefined;
  }

  #arm(): void {
    const first = this.#heap[0];
    if (first === undefined) return;
    if (this.#timer !== undefined && this.#timer.dueMs <= first.dueMs) return;
    this.#timer?.timer.cancel();
    const timer = this.#clock.after(first.dueMs - this.#clock.monotonic(), () => this.#run());
    this.#timer = { dueMs: first.dueMs, timer };
  }

  #run(): void {
    this.#timer = undefined;
    while (!this.#closed && this.#heap[0] !== undefined && this.#heap[0].dueMs <= this.#clock.monotonic()) {
      const { run } = this.#pop();
      try {
        run?.();
      } catch (error) {
        this.#onError(error);
      }
    }
    if (!this.#closed) this.#arm();
  }

  #push(task: Task): void {
    const heap = this.#heap;
    let at = heap.push(task) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!before(heap[at]!, heap[parent]!)) return;
      [heap[at], heap[parent]] = [heap[parent]!, heap[at]!];
      at = parent;
    }
  }

  #pop(): Task {
    const heap = this.#heap;
    const first = heap[0]!;
    const last = heap.pop()!;
    if (heap.length === 0) return first;
    heap[0] = last;
    for (let at = 0; ; ) {
      const left = 2 * at + 1;
      const right = left + 1;
      let least = at;
      if (left < heap.length && before(heap[left]!, heap[least]!)) least = left;
      if (right < heap.length && before(heap[right]!, heap[least]!)) least = right;
      if (least === at) return first;
      [heap[at], heap[least]] = [heap[least]!, heap[at]!];
      at = least;
    }
  }
}

// ---------------------------------------------------------------------------------------------------

function before(one: Task, other: Task): boolean {
  return one.dueMs < other.dueMs || (one.dueMs === other.dueMs && one.order < other.order);
}
