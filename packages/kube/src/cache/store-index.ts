/** One named index of a store: from a value to the objects that have it. Kept up with every change. */
import type { KubeObject } from '../object.ts';

export class StoreIndex<T extends KubeObject> {
  readonly #valuesOf: (object: T) => readonly string[];
  readonly #byValue = new Map<string, Set<T>>();
  /** What was asked for and has not changed since. */
  readonly #lists = new Map<string, readonly T[]>();

  constructor(valuesOf: (object: T) => readonly string[]) {
    this.#valuesOf = valuesOf;
  }

  /** The same list until one of its objects changes, so that what is made of it can be kept. */
  get(value: string): readonly T[] {
    const known = this.#lists.get(value);
    if (known !== undefined) return known;
    const objects = this.#byValue.get(value);
    if (objects === undefined) return [];
    const list = [...objects];
    this.#lists.set(value, list);
    return list;
  }

  move(before: T | undefined, after: T | undefined): void {
    if (before) for (const value of this.#valuesOf(before)) this.#drop(value, before);
    if (after) for (const value of this.#valuesOf(after)) this.#file(value, after);
  }

  #file(value: string, object: T): void {
    this.#lists.delete(value);
    const objects = this.#byValue.get(value);
    if (objects) objects.add(object);
    else this.#byValue.set(value, new Set([object]));
  }

  #drop(value: string, object: T): void {
    this.#lists.delete(value);
    const objects = this.#byValue.get(value);
    objects?.delete(object);
    if (objects?.size === 0) this.#byValue.delete(value);
  }
}
