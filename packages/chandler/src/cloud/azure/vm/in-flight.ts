/**
 * Which things are being asked about again and again, and so how many. One that is no longer requested is
 * forgotten by itself: claims may go without a word.
 */
import type { Clock } from '@chandler/kube';

const FORGOTTEN_MS = 15 * 60_000;

export class InFlight {
  readonly #clock: Clock;
  /** When each was last asked about; in the order of that. */
  readonly #asked = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    const nowMs = this.#clock.monotonic();
    for (const [key, askedMs] of this.#asked) {
      if (nowMs - askedMs <= FORGOTTEN_MS) break;
      this.#asked.delete(key);
    }
    return this.#asked.size;
  }

  has(key: string): boolean {
    return this.#asked.has(key);
  }

  asked(key: string): void {
    this.#asked.delete(key);
    this.#asked.set(key, this.#clock.monotonic());
  }

  over(key: string): void {
    this.#asked.delete(key);
  }
}
