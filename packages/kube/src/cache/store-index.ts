/** One named index of a store: from a value to the objects that have it. Kept up with every change. */
import type { KubeObject } from '../object.ts';

export class StoreIndex<T extends KubeObject> {
  readonly #valuesOf: (object: T) => readonly string[];
  readonly #byValue = new Map<string, Set<T>>();

  constructor(valuesOf: (object: T) => readonly string[]) {
    this.#valuesOf = valuesOf;
  }

  get(value: string): readonly T[] {
    const objects = this.#byValue.get(value);
    return objects ? [...objects] : [];
  }

  move(before: T | undefined, after: T | undefined): void {
    if (before) for (const value of this.#valuesOf(before)) this.#drop(value, before);
    if (after) for (const value of this.#valuesOf(after)) this.#file(value, after);
  }

  #file(value: string, object: T): void {
    const objects = this.#byValue.get(value);
    if (objects) objects.add(object);
    else this.#byValue.set(value, new Set([object]));
  }

  #drop(value: string, object: T): void {
    const objects = this.#byValue.get(value);
    objects?.delete(object);
    if (objects?.size === 0) this.#byValue.delete(value);
  }
}
