/**
 * When a pod that waits is told why: the first time at once, then ever more rarely, from a second to ten as kube-scheduler
 * tries again. A message counts nodes, so without this every node that joins would be a write to every pod that waits.
 */
import type { Clock, Timer } from '@chandler/kube';

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 10_000;
const LOOK_MS = 500;

interface Told {
  pauseMs: number;
  nextMs: number;
  /** What is to be said when the pause is over. */
  waiting: string | undefined;
}

export class RefusalNews {
  readonly #clock: Clock;
  readonly #tell: (key: string, message: string) => void;
  readonly #told = new Map<string, Told>();
  readonly #held = new Set<string>();
  #timer: Timer | undefined;

  /** @param tell says it now; what is no longer true by then is for the caller to leave out. */
  constructor(clock: Clock, tell: (key: string, message: string) => void) {
    this.#clock = clock;
    this.#tell = tell;
  }

  say(key: string, message: string): void {
    const now = this.#clock.monotonic();
    const told = this.#told.get(key);
    if (told !== undefined && now < told.nextMs) {
      told.waiting = message;
      this.#held.add(key);
      this.#timer ??= this.#clock.after(LOOK_MS, () => this.#look());
      return;
    }
    const pauseMs = Math.min(LONGEST_PAUSE_MS, told === undefined ? FIRST_PAUSE_MS : 2 * told.pauseMs);
    this.#told.set(key, { pauseMs, nextMs: now + pauseMs, waiting: undefined });
    this.#held.delete(key);
    this.#tell(key, message);
  }

  /** It reads so already. */
  isSaid(key: string): void {
    this.#held.delete(key);
  }

  forget(key: string): void {
    this.#told.delete(key);
    this.#held.delete(key);
  }

  stop(): void {
    this.#timer?.cancel();
    this.#held.clear();
  }

  #look(): void {
    this.#timer = undefined;
    const now = this.#clock.monotonic();
    for (const key of [...this.#held]) {
      const told = this.#told.get(key);
      if (told?.waiting === undefined) this.#held.delete(key);
      else if (now >= told.nextMs) this.say(key, told.waiting);
    }
    if (this.#held.size > 0) this.#timer ??= this.#clock.after(LOOK_MS, () => this.#look());
  }
}
