/** Counts refusals that are the same, and keeps a few names of those refused. */
import type { CountedRefusal, Refusal } from '../refusal.ts';

export class Tally {
  readonly #entries = new Map<string | number, { refusal: Refusal; count: number; examples: string[] }>();

  /** @param build is asked once per key. */
  add(key: string | number, example: string, build: () => Refusal): void {
    if (this.count(key, example)) return;
    this.#entries.set(key, { refusal: build(), count: 1, examples: [example] });
  }

  /** One more with a key that is there already. @returns false when it is not. */
  count(key: string | number, example: string): boolean {
    const entry = this.#entries.get(key);
    if (entry === undefined) return false;
    entry.count++;
    if (entry.examples.length < MAX_EXAMPLES) entry.examples.push(example);
    return true;
  }

  /** Replaces the facts of an entry that is there already. */
  improve(key: string, refusal: Refusal): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined) entry.refusal = refusal;
  }

  /** Most frequent first; equals in the order in which they were met. */
  result(): CountedRefusal[] {
    return [...this.#entries.values()].sort((first, second) => second.count - first.count);
  }
}

const MAX_EXAMPLES = 3;
