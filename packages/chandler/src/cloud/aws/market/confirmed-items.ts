/**
 * A list that is read again and again, and that may be incomplete for a moment: EC2's lists are eventually consistent. An item
 * that an answer lacks stays until the next answer lacks it too. So one short answer makes no type disappear, which would
 * replace its nodes.
 */
export class ConfirmedItems<T> {
  #items: ReadonlyMap<string, T> = new Map();
  #missing: ReadonlySet<string> = new Set();

  get items(): ReadonlyMap<string, T> {
    return this.#items;
  }

  /** @returns how many items were kept that the answer lacks: another answer is needed soon. */
  take(answer: ReadonlyMap<string, T>): number {
    const missing = new Set<string>();
    const items = new Map(answer);
    for (const [key, item] of this.#items) {
      if (answer.has(key) || this.#missing.has(key)) continue;
      missing.add(key);
      items.set(key, item);
    }
    this.#items = items;
    this.#missing = missing;
    return missing.size;
  }
}
