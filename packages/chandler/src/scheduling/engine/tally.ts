/** Counts equal refusals and keeps a few example names. */
import type { CountedRefusal, Refusal } from '../refusal.ts';

/** Names per refusal. */
export const MAX_EXAMPLES = 3;

export class Tally {
  readonly #entries = new Map<string | number, { refusal: Refusal; count: number; examples: string[] }>();

  /** @param build is called once per key. */
  add(key: string | number, example: string, build: () => Refusal): void {
    if (this.count(key, example)) return;
    this.#entries.set(key, { refusal: build(), count: 1, examples: [example] });
  }

  /** Counts one more of an existing key. @returns false when there is no such key. */
  count(key: string | number, example: string): boolean {
    const entry = this.#entries.get(key);
    if (entry === undefined) return false;
    entry.count++;
    if (entry.examples.length < MAX_EXAMPLES) entry.examples.push(example);
    return true;
  }

  /** Most frequent first; equal counts in order of first occurrence. */
  result(): CountedRefusal[] {
    return [...this.#entries.values()].sort((first, second) => second.count - first.count);
  }
}
