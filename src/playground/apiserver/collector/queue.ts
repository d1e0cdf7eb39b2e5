/**
 * Work that is asked for by key and done a little later, each key once, in small portions: so that a write never
 * waits for the clearing up that it causes.
 */
import type { Clock, Timer } from '../../../world.ts';

const PORTION = 200;

export class KeyedQueue<Key> {
  readonly #clock: Clock;
  readonly #work: (key: Key) => void;
  #waiting = new Set<Key>();
  #timer: Timer | undefined;
  #closed = false;

  constructor(clock: Clock, work: (key: Key) => void) {
    this.#clock = clock;
    this.#work = work;
  }

  add(key: Key): void {
    if (this.#closed) return;
    this.#waiting.add(key);
    this.#timer ??= this.#clock.after(0, () => this.#run());
  }

  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
    this.#waiting.clear();
  }

  #run(): void {
    this.#timer = undefined;
    let done = 0;
    for (const key of this.#waiting) {
      this.#waiting.delete(key);
      this.#work(key);
      if (++done >= PORTION) break;
    }
    if (this.#waiting.size > 0 && !this.#closed) this.#timer ??= this.#clock.after(0, () => this.#run());
  }
}
