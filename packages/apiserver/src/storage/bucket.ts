/**
 * The objects of one resource in one namespace, kept so that reading them in order of name costs no sort
 * unless names were added since the last read.
 */
import type { Stored } from './stored.ts';

export class Bucket {
  readonly #items = new Map<string, Stored>();
  /** In order; may name objects that are gone. */
  #names: string[] = [];
  /** Added after the last reading, unordered. */
  #added: string[] = [];
  #stale = false;

  get size(): number {
    return this.#items.size;
  }

  get(name: string): Stored | undefined {
    return this.#items.get(name);
  }

  set(name: string, item: Stored): void {
    const before = this.#items.size;
    this.#items.set(name, item);
    if (this.#items.size === before) return;
    const last = this.#names[this.#names.length - 1];
    if (this.#added.length === 0 && !this.#stale && (last === undefined || last < name))
      this.#names.push(name);
    else this.#added.push(name);
  }

  delete(name: string): void {
    if (this.#items.delete(name)) this.#stale = true;
  }

  *inOrder(): Generator<Stored> {
    const names = this.#ordered();
    for (const name of names) {
      const item = this.#items.get(name);
      if (item !== undefined) yield item;
    }
  }

  #ordered(): readonly string[] {
    if (!this.#stale && this.#added.length === 0) return this.#names;
    const kept = this.#stale ? this.#names.filter((name) => this.#items.has(name)) : this.#names;
    const known = this.#stale ? new Set(kept) : undefined;
    const fresh = new Set(this.#added.filter((name) => this.#items.has(name) && known?.has(name) !== true));
    this.#names = merge(kept, [...fresh].sort(byCodeUnit));
    this.#added = [];
    this.#stale = false;
    return this.#names;
  }
}

export function byCodeUnit(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

// ---------------------------------------------------------------------------------------------------

function merge(left: readonly string[], right: readonly string[]): string[] {
  if (right.length === 0) return [...left];
  const merged: string[] = [];
  let index = 0;
  for (const name of right) {
    while (index < left.length && left[index]! < name) merged.push(left[index++]!);
    merged.push(name);
  }
  while (index < left.length) merged.push(left[index++]!);
  return merged;
}
