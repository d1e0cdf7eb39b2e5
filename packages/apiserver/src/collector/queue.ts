/**
 * A work queue by key: processed asynchronously, each key once, in small batches, so that a write never waits for the
 * cleanup that it causes.
 */
import type { Timer, World } from '@chandler/kube';

const PORTION = 200;

export class KeyedQueue<Key> {
  readonly #world: World;
  readonly #work: (key: Key) => void;
  #waiting = new Set<Key>();
  #timer: Timer | undefined;
  #closed = false;

  constructor(world: World, work: (key: Key) => void) {
    this.#world = world;
    this.#work = work;
  }

  add(key: Key): void {
    if (this.#closed) return;
    this.#waiting.add(key);
    this.#timer ??= this.#world.clock.after(0, () => this.#run());
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
      this.#attempt(key);
      if (++done >= PORTION) break;
    }
    if (this.#waiting.size > 0 && !this.#closed) {
      this.#timer ??= this.#world.clock.after(0, () => this.#run());
    }
  }

  /** A key that fails does not affect the others, nor the process. */
  #attempt(key: Key): void {
    try {
      this.#work(key);
    } catch (error) {
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      this.#world.log.error('failed to clean up after a change of an object', {
        key: String(key),
        error: text,
      });
    }
  }
}
