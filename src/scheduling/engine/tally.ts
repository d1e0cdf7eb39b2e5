/** Counts refusals that are the same, and keeps a few names of those refused. */
import type { CountedRefusal, Refusal } from '../refusal.ts';

export class Tally {
  readonly #entries = new Map<string, { refusal: Refusal; count: number; examples: string[] }>();

  /** @param build is asked once per key. */
  add(key: string, example: string, build: () => Refusal): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) {
      this.#entries.set(key, { refusal: build(), count: 1, examples: [example] });
      return;
    }
    entry.count++;
    if (entry.examples.length < MAX_EXAMPLES) entry.examples.push(example);
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
