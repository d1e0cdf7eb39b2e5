/** One named index of a store: from a value to the objects that have it. Kept up with every change. */
import type { KubeObject } from '../object.ts';

export class StoreIndex<T extends KubeObject> {
  readonly #valuesOf: (object: T) => readonly string[];
  /** Values of a few objects, such as the pods of a node: lists that are replaced with every change. A set takes three times the memory. */
  readonly #few = new Map<string, readonly T[]>();
  /** Values of more objects. */
  readonly #many = new Map<string, Many<T>>();

  constructor(valuesOf: (object: T) => readonly string[]) {
    this.#valuesOf = valuesOf;
  }

  /** The same list until one of its objects changes, so that what is made of it can be kept. */
  get(value: string): readonly T[] {
    const few = this.#few.get(value);
    if (few !== undefined) return few;
    const many = this.#many.get(value);
    if (many === undefined) return [];
    many.list ??= [...many.objects];
    return many.list;
  }

  move(before: T | undefined, after: T | undefined): void {
    if (before) for (const value of this.#valuesOf(before)) this.#drop(value, before);
    if (after) for (const value of this.#valuesOf(after)) this.#file(value, after);
  }

  #file(value: string, object: T): void {
    const many = this.#many.get(value);
    if (many !== undefined) {
      many.objects.add(object);
      many.list = undefined;
      return;
    }
    const few = this.#few.get(value) ?? [];
    if (few.includes(object)) return;
    if (few.length < MAX_FEW) {
      this.#few.set(value, few.concat([object]));
      return;
    }
    this.#few.delete(value);
    this.#many.set(value, { objects: new Set(few).add(object), list: undefined });
  }

  #drop(value: string, object: T): void {
    const many = this.#many.get(value);
    if (many !== undefined) {
      many.objects.delete(object);
      many.list = undefined;
      if (many.objects.size === 0) this.#many.delete(value);
      return;
    }
    const few = this.#few.get(value) ?? [];
    const at = few.indexOf(object);
    if (at < 0) return;
    if (few.length === 1) this.#few.delete(value);
    else this.#few.set(value, few.toSpliced(at, 1));
  }
}

// ------------------------------------------------------------------------------------------------

interface Many<T> {
  readonly objects: Set<T>;
  /** As it was asked for; undefined when it has changed since. */
  list: readonly T[] | undefined;
}

/** The pods of a large node. */
const MAX_FEW = 256;
