/**
 * The known objects of one kind, by namespace and name, with named indexes. Accepts what the
 * reflector and our own writes deliver, keeps the newer, and notifies listeners of changes: never twice for the
 * same version, never backwards. Objects in it are shared and must not be changed.
 */
import { keyOfObject, type ObjectKey, type ResourceRef } from '../client/resource.ts';
import type { KubeObject, Stored } from '../object.ts';
import { Interner } from './interner.ts';
import { compareVersions, isNewer, newest } from './resource-version.ts';
import { StoreIndex } from './store-index.ts';
import { type Trim, trimFor } from './trim.ts';

export interface StoreChange<T extends KubeObject = KubeObject> {
  readonly type: 'added' | 'updated' | 'deleted';
  readonly object: Stored<T>;
  /** What was there before; absent for `added`. */
  readonly before?: Stored<T>;
  /** Found by the first list: the object is not new, only newly known. */
  readonly initial?: boolean;
}

export type StoreListener<T extends KubeObject = KubeObject> = (change: StoreChange<T>) => void;

/** The values an object is found by. */
export type IndexFunction<T extends KubeObject = KubeObject> = (object: Stored<T>) => readonly string[];

export interface StoreOptions<T extends KubeObject = KubeObject> {
  readonly resource: ResourceRef<T>;
  readonly indexes?: Readonly<Record<string, IndexFunction<T>>>;
  /** Default: `trimFor(resource)`. */
  readonly trim?: Trim<T>;
  /** Shared between stores so that what kinds have in common is one, too. */
  readonly interner?: Interner;
  /** Whether an object belongs to this store. For our own writes, when the reflector selects. Default: everything. */
  readonly accepts?: (object: Stored<T>) => boolean;
}

export class Store<T extends KubeObject = KubeObject> {
  readonly resource: ResourceRef<T>;
  readonly #trim: Trim<T>;
  readonly #interner: Interner;
  readonly #accepts: (object: Stored<T>) => boolean;
  readonly #byNamespace = new Map<string, Map<string, Stored<T>>>();
  readonly #indexes = new Map<string, StoreIndex<Stored<T>>>();
  readonly #listeners = new Set<StoreListener<T>>();
  /** UIDs that are known to be deleted before the watch reported it. */
  readonly #gone = new Set<string>();
  #size = 0;
  #seen: string | undefined;
  /** The list that is being entered. */
  #listing: { readonly version: string } | undefined;
  #synced = false;

  constructor(options: StoreOptions<T>) {
    this.resource = options.resource;
    this.#trim = options.trim ?? trimFor(options.resource);
    this.#interner = options.interner ?? new Interner();
    this.#accepts = options.accepts ?? (() => true);
    for (const [name, valuesOf] of Object.entries(options.indexes ?? {})) {
      this.#indexes.set(name, new StoreIndex(valuesOf));
    }
  }

  get size(): number {
    return this.#size;
  }

  /** The first list is complete. */
  get synced(): boolean {
    return this.#synced;
  }

  /** The version up to which the store is complete. */
  get seenVersion(): string | undefined {
    return this.#seen;
  }

  get(key: ObjectKey): Stored<T> | undefined {
    return this.#byNamespace.get(key.namespace ?? '')?.get(key.name);
  }

  /** In the order they became known. */
  *values(namespace?: string): IterableIterator<Stored<T>> {
    if (namespace !== undefined) {
      yield* this.#byNamespace.get(namespace)?.values() ?? [];
      return;
    }
    for (const objects of this.#byNamespace.values()) yield* objects.values();
  }

  /** Objects that the named index files under the value. */
  by(index: string, value: string): readonly Stored<T>[] {
    const found = this.#indexes.get(index);
    if (!found) throw new Error(`the store of ${this.resource.plural} has no index ${index}`);
    return found.get(value);
  }

  /** Calls the listener for every change from now on. Returns the function to unsubscribe. */
  subscribe(listener: StoreListener<T>): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Trims an object; for callers that hold many before `replace`. */
  trim(object: Stored<T>): Stored<T> {
    return this.#trim(object, this.#interner);
  }

  /** A list: all objects at this version, already trimmed. What is missing was deleted. */
  replace(objects: readonly Stored<T>[], version: string): void {
    for (const _ of this.replacing(objects, version));
  }

  /**
   * The same in pieces, so that a large list is not one long turn of the event loop. Our own writes may come between.
   * Returns the number of objects that the list changed.
   */
  *replacing(objects: readonly Stored<T>[], version: string): Generator<void, number> {
    const initial = !this.#synced;
    const listing = { version };
    this.#listing = listing;
    // A server restored from a backup counts from an earlier number: then its state is accepted, whatever is known.
    const rewound = this.#seen !== undefined && isNewer(this.#seen, version);
    // Of the first list nothing can be missing. What is deleted by us meanwhile, the watch reports.
    const wasEmpty = this.#size === 0;
    const goneBefore = new Set(this.#gone);
    const listed = new Set<Stored<T>>();
    let done = 0;
    let changed = 0;
    for (const object of objects) {
      if (++done % PIECE === 0) yield;
      goneBefore.delete(object.metadata.uid);
      if (this.#put(object, { initial, force: rewound })) changed += 1;
      const known = wasEmpty ? undefined : this.get(keyOfObject(object));
      if (known) listed.add(known);
    }
    for (const object of wasEmpty ? [] : this.values()) {
      if (++done % PIECE === 0) yield;
      // It may have been written by us between two pieces.
      if (listed.has(object) || this.get(keyOfObject(object)) !== object) continue;
      // A write of ours that is newer than the list is not a deletion.
      if (!rewound && isNewer(object.metadata.resourceVersion, version)) continue;
      this.#remove(object);
      changed += 1;
    }
    // What we deleted and the list still contains will be reported as deleted by the watch.
    for (const uid of rewound ? [...this.#gone] : goneBefore) this.#gone.delete(uid);
    this.#seen = version;
    this.#synced = true;
    if (this.#listing === listing) this.#listing = undefined;
    return changed;
  }

  /** An event of the watch. */
  apply(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: Stored<T>): void {
    const { resourceVersion, uid } = object.metadata;
    this.#seen = newest(this.#seen, resourceVersion);
    if (type === 'DELETED') {
      this.#gone.delete(uid);
      const known = this.get(keyOfObject(object));
      // The name may have been reused by an object of ours that the watch has not delivered yet.
      if (known && !isSuccessor(known, object)) this.#remove(known, this.trim(object));
      return;
    }
    this.#put(this.trim(object));
  }

  /** The server has sent all events up to this version. */
  advance(version: string): void {
    this.#seen = newest(this.#seen, version);
  }

  /** The answer to a write of ours, ahead of the watch. */
  overlay(object: Stored<T>): void {
    // Before the first list there is nothing to update; and what the watch has passed is newer.
    if (this.#seen === undefined || !isNewer(object.metadata.resourceVersion, this.#seen)) return;
    // The list knows better, also about what it has not entered yet: the object may be deleted since.
    if (this.#listing && !isNewer(object.metadata.resourceVersion, this.#listing.version)) return;
    if (!this.#accepts(object)) return;
    this.#put(this.trim(object));
  }

  /** We deleted it, and the server confirmed it. */
  overlayDeleted(key: ObjectKey, uid: string | undefined): void {
    const known = this.get(key);
    if (!known || uid === undefined || known.metadata.uid !== uid) return;
    this.#gone.add(uid);
    this.#remove(known);
  }

  /** Whether it changed anything. */
  #put(object: Stored<T>, how: { initial?: boolean; force?: boolean } = {}): boolean {
    const { name, namespace } = keyOfObject(object);
    const { uid } = object.metadata;
    if (this.#gone.has(uid) && !how.force) return false;
    const before = this.get(keyOfObject(object));
    if (before && !how.force && isKnown(before, object)) return false;
    if (before && before.metadata.uid !== uid) {
      // Deleted and recreated under the same name, and we missed the deletion.
      this.#remove(before);
      return this.#put(object, how);
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
    return true;
  }

  #remove(known: Stored<T>, last: Stored<T> = known): void {
    const { name, namespace = '' } = keyOfObject(known);
    const objects = this.#byNamespace.get(namespace);
    objects?.delete(name);
    if (objects?.size === 0) this.#byNamespace.delete(namespace);
    this.#size -= 1;
    for (const index of this.#indexes.values()) index.move(known, undefined);
    this.#notify({ type: 'deleted', object: last, before: known });
  }

  /** Every listener is notified, even if another throws; then the first error is thrown. */
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

/** Objects between two pauses: some milliseconds. */
const PIECE = 1000;

/** Whether the known version is the same or newer. Where versions cannot be ordered, the later one is newer. */
function isKnown(before: Stored, object: Stored): boolean {
  const order = compareVersions(object.metadata.resourceVersion, before.metadata.resourceVersion);
  if (order === 0) return before.metadata.uid === object.metadata.uid;
  return order !== undefined && order < 0;
}

/** Whether `known` is another, later object of the same name than the deleted one. */
function isSuccessor(known: Stored, deleted: Stored): boolean {
  if (known.metadata.uid === deleted.metadata.uid) return false;
  return isNewer(known.metadata.resourceVersion, deleted.metadata.resourceVersion);
}
