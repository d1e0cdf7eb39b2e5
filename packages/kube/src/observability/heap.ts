/** A binary heap: the smallest by the given order comes out first. */

export class Heap<T> {
  readonly #before: (left: T, right: T) => boolean;
  readonly #items: T[] = [];

  constructor(before: (left: T, right: T) => boolean) {
    this.#before = before;
  }

  get size(): number {
    return this.#items.length;
  }

  peek(): T | undefined {
    return this.#items[0];
  }

  push(item: T): void {
    const items = this.#items;
    let at = items.length;
    items.push(item);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#before(item, items[parent]!)) break;
      items[at] = items[parent]!;
      at = parent;
    }
    items[at] = item;
  }

  pop(): T | undefined {
    const items = this.#items;
    const first = items[0];
    const last = items.pop();
    if (items.length > 0 && last !== undefined) this.#sink(last);
    return first;
  }

  /** Removes items that do not satisfy the predicate, in linear time. */
  keep(test: (item: T) => boolean): void {
    for (const item of this.#items.splice(0)) if (test(item)) this.push(item);
  }

  #sink(item: T): void {
    const items = this.#items;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= items.length) break;
      if (child + 1 < items.length && this.#before(items[child + 1]!, items[child]!)) child += 1;
      if (!this.#before(items[child]!, item)) break;
      items[at] = items[child]!;
      at = child;
    }
    items[at] = item;
  }
}
