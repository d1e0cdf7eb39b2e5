/**
 * How many launches are under way at once, and who is next. Beyond that a claim waits in line, in the order of its
 * first asking, and costs no call: a thousand claims that all ask would hold each other up, each a little forward.
 */
import type { Clock } from '../../../world.ts';

export const MOST_AT_ONCE = 200;

/** A claim that nobody asks about any more gives up its place. */
const FORGOTTEN_MS = 15 * 60_000;

/** Those at the head may come in a little out of turn: the very first may be asleep. */
const HEAD = 20;

const SHORTEST_MS = 1_000;
const LONGEST_MS = 30_000;
/** About what a launch takes of the writes that we may make. */
const EACH_MS = 300;

export class LaunchLine {
  readonly #clock: Clock;
  readonly #most: number;
  /** Since when each was last asked about; in the order of that. */
  readonly #inside = new Map<string, number>();
  /** In the order of the first asking. */
  readonly #waiting = new Map<string, number>();

  constructor(clock: Clock, most: number = MOST_AT_ONCE) {
    this.#clock = clock;
    this.#most = most;
  }

  get inside(): number {
    return this.#inside.size;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Undefined: go on. Otherwise when to ask again. */
  enter(claimUid: string): number | undefined {
    const nowMs = this.#clock.monotonic();
    if (this.#inside.has(claimUid)) return this.#admit(claimUid, nowMs);
    dropForgotten(this.#inside, nowMs);
    const free = this.#most - this.#inside.size;
    if (free > 0 && this.#waiting.size === 0) return this.#admit(claimUid, nowMs);
    this.#waiting.set(claimUid, nowMs);
    const place = this.#placeOf(claimUid, nowMs);
    if (free > 0 && place < free + HEAD) return this.#admit(claimUid, nowMs);
    return Math.min(LONGEST_MS, Math.max(SHORTEST_MS, (place - Math.max(0, free)) * EACH_MS));
  }

  leave(claimUid: string): void {
    this.#inside.delete(claimUid);
    this.#waiting.delete(claimUid);
  }

  #admit(claimUid: string, nowMs: number): undefined {
    this.#waiting.delete(claimUid);
    this.#inside.delete(claimUid);
    this.#inside.set(claimUid, nowMs);
  }

  #placeOf(claimUid: string, nowMs: number): number {
    let place = 0;
    for (const [uid, askedMs] of this.#waiting) {
      if (uid === claimUid) return place;
      if (nowMs - askedMs > FORGOTTEN_MS) this.#waiting.delete(uid);
      else place += 1;
    }
    return place;
  }
}

// ---------------------------------------------------------------------------------------------------

function dropForgotten(asked: Map<string, number>, nowMs: number): void {
  for (const [uid, askedMs] of asked) {
    if (nowMs - askedMs <= FORGOTTEN_MS) return;
    asked.delete(uid);
  }
}
