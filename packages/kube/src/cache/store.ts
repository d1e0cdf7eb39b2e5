/**
 * The objects of one kind as far as we know them, by namespace and name, with named indexes. Takes what the
 * reflector and our own writes bring, keeps the newer, and tells listeners what changed: never twice for the
 * same version, never backwards. Objects in it are shared and must not be changed.
 */
import { keyOfObject, type ObjectKey, type ResourceRef } from '../client/resource.ts';
import type { KubeObject } from '../object.ts';
import { Interner } from './interner.ts';
import { compareVersions, isNewer, newest } from './resource-version.ts';
import { StoreIndex } from './store-index.ts';
import { type Trim, trimFor } from './trim.ts';

export interface StoreChange<T extends KubeObject = KubeObject> {
  readonly type: 'added' | 'updated' | 'deleted';
  readonly object: T;
  /** What was there before; absent for `added`. */
  readonly before?: T;
  /** Found by the first list: the world did not change, we only came to know it. */
  readonly initial?: boolean;
}

export type StoreListener<T extends KubeObject = KubeObject> = (change: StoreChange<T>) => void;

/** The values an object is found by. */
export type IndexFunction<T extends KubeObject = KubeObject> = (object: T) => readonly string[];

export interface StoreOptions<T extends KubeObject = KubeObject> {
  readonly resource: ResourceRef<T>;
  readonly indexes?: Readonly<Record<string, IndexFunction<T>>>;
  /** Default: `trimFor(resource)`. */
  readonly trim?: Trim<T>;
  /** Shared between stores so that what kinds have in common is one, too. */
  readonly interner?: Interner;
  /** Does an object belong here? For our own writes, when the reflector selects. Default: everything. */
  readonly accepts?: (object: T) => boolean;
}

export class Store<T extends KubeObject = KubeObject> {
  readonly resource: ResourceRef<T>;
  readonly #trim: Trim<T>;
  readonly #interner: Interner;
  readonly #accepts: (object: T) => boolean;
  readonly #byNamespace = new Map<string, Map<string, T>>();
  readonly #indexes = new Map<string, StoreIndex<T>>();
  readonly #listeners = new Set<StoreListener<T>>();
  /** UIDs that we know to be deleted before the watch said so. */
  readonly #gone = new Set<string>();
  #size = 0;
  #seen: string | undefined;
  #synced = false;

  constructor(options: StoreOptions<T>) {
    this.resource = options.resource;
    this.#trim = options.trim ?? (trimFor(options.resource) as unknown as Trim<T>);
    this.#interner = options.interner ?? new Interner();
    this.#accepts = options.accepts ?? (() => true);
    for (const [name, valuesOf] of Object.entries(options.indexes ?? {})) {
      this.#indexes.set(name, new StoreIndex(valuesOf));
    }
  }

  get size(): number {
    return this.#size;
  }

  /** The first list is in. */
  get synced(): boolean {
    return this.#synced;
  }

  /** The version up to which the server told us everything. */
  get seenVersion(): string | undefined {
    return this.#seen;
  }

  get(key: ObjectKey): T | undefined {
    return this.#byNamespace.get(key.namespace ?? '')?.get(key.name);
  }

  /** In the order they became known. */
  *values(namespace?: string): IterableIterator<T> {
    if (namespace !== undefined) {
      yield* this.#byNamespace.get(namespace)?.values() ?? [];
      return;
    }
    for (const objects of this.#byNamespace.values()) yield* objects.values();
  }

  /** Objects that the named index files under the value. */
  by(index: string, value: string): readonly T[] {
    const found = this.#indexes.get(index);
    if (!found) throw new Error(`the store of ${this.resource.plural} has no index ${index}`);
    return found.get(value);
  }

  /** Calls the listener for every change from now on. Gives back how to stop. */
  subscribe(listener: StoreListener<T>): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Cuts an object down to what is kept; for callers that hold many before `replace`. */
  trim(object: T): T {
    return this.#trim(object, this.#interner);
  }

  /** A list: everything there was at this version, trimmed already. What is missing was deleted. */
  replace(objects: readonly T[], version: string): void {
    const initial = !this.#synced;
    // A server restored from a backup counts from an earlier number: then its word stands, whatever we remember.
    const rewound = this.#seen !== undefined && isNewer(this.#seen, version);
    const listed = new Set<T>();
    const stillThere = new Set<string>();
    for (const object of objects) {
      this.#put(object, { initial, force: rewound });
      const known = this.get(keyOfObject(object));
      if (known) listed.add(known);
      stillThere.add(object.metadata.uid ?? '');
    }
    for (const object of [...this.values()]) {
      if (listed.has(object)) continue;
      // A write of ours that the list is too old to know is not a deletion.
      if (!rewound && isNewer(object.metadata.resourceVersion ?? '', version)) continue;
      this.#remove(object);
    }
    // What we deleted and the list still shows will be reported as deleted by the watch.
    for (const uid of this.#gone) if (rewound || !stillThere.has(uid)) this.#gone.delete(uid);
    this.#seen = version;
    this.#synced = true;
  }

  /** An event of the watch. */
  apply(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: T): void {
    const { resourceVersion, uid } = object.metadata;
    if (resourceVersion !== undefined) this.#seen = newest(this.#seen, resourceVersion);
    if (type === 'DELETED') {
      if (uid !== undefined) this.#gone.delete(uid);
      const known = this.get(keyOfObject(object));
      // The name may have been taken again by an object of ours that the watch has yet to show.
      if (known && !isSuccessor(known, object)) this.#remove(known, this.trim(object));
      return;
    }
    this.#put(this.trim(object));
  }

  /** The server says it has nothing older than this to tell. */
  advance(version: string): void {
    this.#seen = newest(this.#seen, version);
  }

  /** The answer to a write of ours, ahead of the watch. */
  overlay(object: T): void {
    const version = object.metadata.resourceVersion;
    // Before the first list there is nothing to be ahead of; and what the watch has passed it knows better.
    if (version === undefined || this.#seen === undefined || !isNewer(version, this.#seen)) return;
    if (!this.#accepts(object)) return;
    this.#put(this.trim(object));
  }

  /** We deleted it, and the server said it is gone. */
  overlayDeleted(key: ObjectKey, uid: string | undefined): void {
    const known = this.get(key);
    if (!known || uid === undefined || known.metadata.uid !== uid) return;
    this.#gone.add(uid);
    this.#remove(known);
  }

  #put(object: T, how: { initial?: boolean; force?: boolean } = {}): void {
    const { name, namespace } = keyOfObject(object);
    const { uid } = object.metadata;
    if (uid !== undefined && this.#gone.has(uid) && !how.force) return;
    const before = this.get(keyOfObject(object));
    if (before && !how.force && isKnown(before, object)) return;
    if (before && before.metadata.uid !== uid) {
      // Deleted and made again under the same name, and we missed the moment in between.
      this.#remove(before);
      this.#put(object, how);
      return;
    }
    let objects = this.#byNamespace.get(namespace ?? '');
    if (!objects) {
      objects = new Map();
      this.#byNamespace.set(namespace ?? '', objects);
    }
    objects.set(name, object);
    if (!before) this.#size += 1;
    for (const index of this.#indexes.values()) index.move(before, object);
    this.#notify({
      type: before ? 'updated' : 'added',
      object,
      ...(before ? { before } : {}),
      ...(how.initial ? { initial: true } : {}),
    });
  }

  #remove(known: T, last: T = known): void {
    const { name, namespace = '' } = keyOfObject(known);
    const objects = this.#byNamespace.get(namespace);
    objects?.delete(name);
    if (objects?.size === 0) this.#byNamespace.delete(namespace);
    this.#size -= 1;
    for (const index of this.#indexes.values()) index.move(known, undefined);
    this.#notify({ type: 'deleted', object: last, before: known });
  }

  /** Every listener is told, whatever another does; then the first mistake is everybody's to see. */
  #notify(change: StoreChange<T>): void {
    const mistakes: unknown[] = [];
    for (const listener of this.#listeners) {
      try {
        listener(change);
      } catch (error) {
        mistakes.push(error);
      }
    }
    if (mistakes.length > 0) throw mistakes[0];
  }
}

// ------------------------------------------------------------------------------------------------

/** Is what we have the same, or newer? Where versions cannot be ordered, what came last is newer. */
function isKnown(before: KubeObject, object: KubeObject): boolean {
  const order = compareVersions(object.metadata.resourceVersion ?? '', before.metadata.resourceVersion ?? '');
  if (order === 0) return before.metadata.uid === object.metadata.uid;
  return order !== undefined && order < 0;
}

/** Is `known` another, later object of the same name than the one that was deleted? */
function isSuccessor(known: KubeObject, deleted: KubeObject): boolean {
  if (known.metadata.uid === deleted.metadata.uid) return false;
  return isNewer(known.metadata.resourceVersion ?? '', deleted.metadata.resourceVersion ?? '');
}
