/**
 * The retained events, in order: watches resume from them and old lists are rebuilt from them.
 * Bounded by count and by size; `forgetBefore` cuts it on demand.
 */
import type { Stored } from './stored.ts';

export interface StoreEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly revision: number;
  readonly key: string;
  /** The object after the event; of a deletion, its last state under the deletion's revision. */
  readonly item: Stored;
  readonly previous: Stored | undefined;
}

export class History {
  #events: StoreEvent[] = [];
  /** Index of the oldest event that is still kept. */
  #first = 0;
  readonly #limit: number;
  #forgotten: number;
  /** How long each event's object is as text, as far as that is known, and all of them together. */
  #lengths: number[] = [];
  #total = 0;

  constructor(limit: number, revision: number) {
    this.#limit = limit;
    this.#forgotten = revision;
  }

  /** Events up to and including this revision may be missing. */
  get forgotten(): number {
    return this.#forgotten;
  }

  get length(): number {
    return this.#events.length - this.#first;
  }

  add(event: StoreEvent): void {
    const length = event.item.textLength || (event.previous?.textLength ?? 0);
    this.#events.push(event);
    this.#lengths.push(length);
    this.#total += length;
    if (this.length > this.#limit) this.#drop(this.#first + 1);
    while (this.#total > MAX_TOTAL_LENGTH && this.length > 1) this.#drop(this.#first + 1);
  }

  forgetBefore(revision: number): void {
    this.#drop(this.#indexAfter(revision));
    this.#forgotten = Math.max(this.#forgotten, revision);
  }

  /** Events after the revision, oldest first. */
  *after(revision: number): Generator<StoreEvent> {
    for (let index = this.#indexAfter(revision); index < this.#events.length; index++)
      yield this.#events[index]!;
  }

  #drop(until: number): void {
    if (until > this.#first) this.#forgotten = this.#events[until - 1]!.revision;
    for (let index = this.#first; index < until; index++) this.#total -= this.#lengths[index]!;
    this.#first = until;
    // Moving the array for every event would cost more than the events; it is done by halves.
    if (this.#first > 1024 && this.#first * 2 > this.#events.length) {
      this.#events = this.#events.slice(this.#first);
      this.#lengths = this.#lengths.slice(this.#first);
      this.#first = 0;
    } else {
      this.#release(until);
    }
  }

  /** Lets go of dropped objects before the array itself is moved. */
  #release(until: number): void {
    for (let index = until - 1; index >= 0 && this.#events[index] !== RELEASED; index--)
      this.#events[index] = RELEASED;
  }

  #indexAfter(revision: number): number {
    let low = this.#first;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#events[middle]!.revision <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

// ---------------------------------------------------------------------------------------------------

/** Many large objects would fill the memory long before the count is reached. */
const MAX_TOTAL_LENGTH = 128 * 1024 * 1024;

const RELEASED = Object.freeze({ revision: 0 }) as unknown as StoreEvent;
