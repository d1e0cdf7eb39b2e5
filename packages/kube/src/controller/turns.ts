/**
 * Gives way to the event loop. Work that waits for nothing (reconciles without a request, requests to a server in this
 * process) continues in microtasks, so that thousands of pieces could follow each other within one turn of the event loop,
 * and timers and sockets would wait for all of them. When a turn has lasted long enough, further callers wait for one of
 * the next turns.
 */
import type { Clock } from '../world.ts';

/** One for all that share a clock, because they share the event loop. */
export function turnsOf(clock: Clock): Turns {
  let turns = ofClock.get(clock);
  if (turns === undefined) {
    turns = new Turns(clock);
    ofClock.set(clock, turns);
  }
  return turns;
}

export class Turns {
  readonly #clock: Pick<Clock, 'monotonic' | 'after'>;
  readonly #waiting: (() => void)[] = [];
  #turnMs: number;
  #scheduled = false;

  constructor(clock: Pick<Clock, 'monotonic' | 'after'>) {
    this.#clock = clock;
    this.#turnMs = clock.monotonic();
  }

  /** Undefined while the current turn is short; else resolves in a later one, in the order of the calls. */
  pass(): Promise<void> | undefined {
    if (this.#isShort() && this.#waiting.length === 0) return undefined;
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#clock.after(0, () => void this.#release());
  }

  /** One after the other, so that what each caller does next counts for the length of this turn. */
  async #release(): Promise<void> {
    this.#turnMs = this.#clock.monotonic();
    let released = 0;
    while (released < this.#waiting.length && this.#isShort()) {
      this.#waiting[released++]!();
      await undefined;
    }
    this.#waiting.splice(0, released);
    this.#scheduled = false;
    if (this.#waiting.length > 0) this.#schedule();
  }

  #isShort(): boolean {
    return this.#clock.monotonic() - this.#turnMs < MAX_TURN_MS;
  }
}

// ---------------------------------------------------------------------------------------------------

const MAX_TURN_MS = 20;
const ofClock = new WeakMap<Clock, Turns>();
