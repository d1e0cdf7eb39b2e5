/**
 * The changes of the read model, numbered, so that a reader can go on where it stopped. The last ones are kept, bounded by
 * number and size; who is further behind reads the snapshot again. Each change is encoded once, however many read it.
 */
import type { Change } from './wire.ts';

export interface ChangeLogOptions {
  /** Names this run: a number of another run means nothing. */
  readonly epoch: string;
  /** Default 20,000. */
  readonly maxChanges?: number;
  /** Default 8 MiB. */
  readonly maxBytes?: number;
}

/** Changes that follow a number, as the elements of a JSON array. */
export interface ChangesRead {
  readonly sequence: number;
  readonly text: string;
}

export class ChangeLog {
  readonly epoch: string;
  readonly #maxChanges: number;
  readonly #maxBytes: number;
  readonly #listeners = new Set<() => void>();
  /** The text of change number `#first + index`. */
  #texts: string[] = [];
  #first = 1;
  #bytes = 0;

  constructor({ epoch, maxChanges = 20_000, maxBytes = 8 * 1024 * 1024 }: ChangeLogOptions) {
    this.epoch = epoch;
    this.#maxChanges = maxChanges;
    this.#maxBytes = maxBytes;
  }

  /** Of the last change; 0: there was none. */
  get sequence(): number {
    return this.#first + this.#texts.length - 1;
  }

  append(changes: readonly Change[]): void {
    if (changes.length === 0) return;
    for (const change of changes) {
      const text = JSON.stringify(change);
      this.#texts.push(text);
      this.#bytes += text.length;
    }
    let dropped = 0;
    while (
      dropped < this.#texts.length &&
      (this.#texts.length - dropped > this.#maxChanges || this.#bytes > this.#maxBytes)
    )
      this.#bytes -= this.#texts[dropped++]!.length;
    if (dropped > 0) {
      this.#texts = this.#texts.slice(dropped);
      this.#first += dropped;
    }
    for (const listener of this.#listeners) listener();
  }

  /** Whether everything after this number is still there. */
  reaches(sequence: number): boolean {
    return Number.isSafeInteger(sequence) && sequence >= this.#first - 1 && sequence <= this.sequence;
  }

  /**
   * What follows this number, as much as fits.
   * @returns undefined: the reader must read the snapshot again.
   */
  after(sequence: number, maxBytes = 256 * 1024): ChangesRead | undefined {
    if (!this.reaches(sequence)) return undefined;
    const texts: string[] = [];
    let bytes = 0;
    for (let at = sequence + 1 - this.#first; at < this.#texts.length; at++) {
      const text = this.#texts[at]!;
      if (texts.length > 0 && bytes + text.length > maxBytes) break;
      texts.push(text);
      bytes += text.length + 1;
    }
    return { sequence: sequence + texts.length, text: texts.join(',') };
  }

  /** Whether somebody listens. */
  get isFollowed(): boolean {
    return this.#listeners.size > 0;
  }

  /** Calls the listener after every addition. Returns the function to unsubscribe. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
