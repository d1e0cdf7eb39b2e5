/**
 * All objects of the server, in memory, under one counter of revisions. Writes are synchronous and therefore
 * atomic; every write is one revision and one event. Rules about objects (names, conflicts, finalizers) are the
 * handlers'; this file only stores, orders and notifies.
 */
import type { KubeObject, Stored as StoredObject } from '@chandler/kube';
import { internalFault } from '../errors.ts';
import { Bucket, byCodeUnit } from './bucket.ts';
import { History, type StoreEvent } from './history.ts';
import { inOrder } from './metadata-order.ts';
import { Stored } from './stored.ts';

export type { StoreEvent } from './history.ts';
export { Stored } from './stored.ts';

export type StoreListener = (event: StoreEvent) => void;

export const DEFAULT_HISTORY_LIMIT = 20_000;

export class Store {
  #revision = 1;
  #history: History;
  readonly #historyLimit: number;
  /** storage key → namespace ('' for cluster scope) → objects. */
  readonly #tables = new Map<string, Map<string, Bucket>>();
  readonly #listeners = new Map<string, Set<StoreListener>>();
  readonly #everything = new Set<StoreListener>();
  readonly #undelivered: StoreEvent[] = [];
  readonly #onListenerError: (error: unknown) => void;
  #delivering = false;

  constructor(options: { historyLimit?: number; onListenerError?: (error: unknown) => void } = {}) {
    this.#onListenerError = options.onListenerError ?? (() => {});
    this.#historyLimit = options.historyLimit ?? DEFAULT_HISTORY_LIMIT;
    this.#history = new History(this.#historyLimit, this.#revision);
  }

  /** The revision of the last write. */
  get revision(): number {
    return this.#revision;
  }

  /** Events up to this revision are no longer retained. */
  get forgotten(): number {
    return this.#history.forgotten;
  }

  get(key: string, namespace: string, name: string): Stored | undefined {
    return this.#tables.get(key)?.get(namespace)?.get(name);
  }

  /** In the order of `namespace/name`. Without a namespace: of all namespaces. */
  *list(key: string, namespace?: string): Generator<Stored> {
    const table = this.#tables.get(key);
    if (table === undefined) return;
    if (namespace !== undefined) {
      const bucket = table.get(namespace);
      if (bucket !== undefined) yield* bucket.inOrder();
      return;
    }
    const namespaces = [...table.keys()].sort((left, right) => byCodeUnit(`${left}/`, `${right}/`));
    for (const each of namespaces) yield* table.get(each)!.inOrder();
  }

  count(key: string, namespace?: string): number {
    const table = this.#tables.get(key);
    if (table === undefined) return 0;
    if (namespace !== undefined) return table.get(namespace)?.size ?? 0;
    let count = 0;
    for (const bucket of table.values()) count += bucket.size;
    return count;
  }

  /** Storage keys that hold at least one object. */
  keys(): string[] {
    return [...this.#tables.keys()].filter((key) => this.count(key) > 0).sort(byCodeUnit);
  }

  /** The list as it was after the revision, which must not be forgotten. */
  listAt(revision: number, key: string, namespace?: string): Iterable<Stored> {
    const before = new Map<string, Stored | undefined>();
    for (const event of this.#history.after(revision)) {
      if (event.key !== key) continue;
      if (namespace !== undefined && event.item.namespace !== namespace) continue;
      const id = idOf(event.item);
      if (!before.has(id)) before.set(id, event.previous);
    }
    return before.size === 0 ? this.list(key, namespace) : this.#rewound(before, key, namespace);
  }

  /** Takes ownership of the object. The caller has checked that no such object exists. */
  create(key: string, object: KubeObject): Stored {
    return this.#put('ADDED', key, object, undefined);
  }

  /** Takes ownership of the object and replaces the one of the same name. */
  update(key: string, object: KubeObject): Stored {
    const { namespace = '', name = '' } = object.metadata;
    return this.#put('MODIFIED', key, object, this.get(key, namespace, name));
  }

  /** `last` is the final state of the object, where it differs from what is stored. */
  delete(key: string, item: Stored, last: KubeObject = item.object): Stored {
    const revision = ++this.#revision;
    const { name, uid } = item.object.metadata;
    const metadata = { ...last.metadata, name, uid, resourceVersion: String(revision) };
    const gone = new Stored({ ...last, metadata }, revision);
    this.#tables.get(key)?.get(item.namespace)?.delete(item.name);
    this.#record({ type: 'DELETED', revision, key, item: gone, previous: item });
    return gone;
  }

  /** Events of one storage key, from now on. The returned function ends it. */
  subscribe(key: string, listener: StoreListener): () => void {
    const listeners = this.#listeners.get(key) ?? new Set();
    listeners.add(listener);
    this.#listeners.set(key, listeners);
    return () => void listeners.delete(listener);
  }

  /** Events of every key; delivered before those of single keys. */
  subscribeAll(listener: StoreListener): () => void {
    this.#everything.add(listener);
    return () => void this.#everything.delete(listener);
  }

  /** Events of a key after a revision that is not forgotten. */
  *eventsAfter(revision: number, key: string): Generator<StoreEvent> {
    for (const event of this.#history.after(revision)) if (event.key === key) yield event;
  }

  /** Forgets all history up to now. */
  compact(): void {
    this.#history.forgetBefore(this.#revision);
  }

  /** Puts saved objects back, with the resource versions they have. Only into an empty store. */
  restore(revision: number, objects: Iterable<readonly [key: string, object: StoredObject]>): void {
    if (this.#revision !== 1) throw new Error('a snapshot can only be read into an empty store');
    for (const [key, object] of objects) {
      this.#bucket(key, object.metadata.namespace ?? '').set(
        object.metadata.name,
        new Stored(object, Number(object.metadata.resourceVersion)),
      );
    }
    this.#revision = revision;
    this.#history = new History(this.#historyLimit, revision);
  }

  #put(type: 'ADDED' | 'MODIFIED', key: string, object: KubeObject, previous: Stored | undefined): Stored {
    const { name, uid } = object.metadata;
    if (!name || !uid) throw internalFault('an object without a name or a UID cannot be stored');
    const revision = this.#revision + 1;
    const metadata = inOrder({ ...object.metadata, name, uid, resourceVersion: String(revision) });
    const item = new Stored(Object.assign(object, { metadata }), revision);
    // The text is needed for the answer anyway. An object that cannot be written out must not get in.
    if (item.bareText.length > MAX_TEXT_LENGTH) throw internalFault('etcdserver: request is too large');
    this.#revision = revision;
    this.#bucket(key, item.namespace).set(item.name, item);
    this.#record({ type, revision, key, item, previous });
    return item;
  }

  #bucket(key: string, namespace: string): Bucket {
    let table = this.#tables.get(key);
    if (table === undefined) {
      table = new Map();
      this.#tables.set(key, table);
    }
    let bucket = table.get(namespace);
    if (bucket === undefined) {
      bucket = new Bucket();
      table.set(namespace, bucket);
    }
    return bucket;
  }

  /** A listener may write: its event is delivered after the current one, so that all listeners see one order. */
  #record(event: StoreEvent): void {
    this.#history.add(event);
    this.#undelivered.push(event);
    if (this.#delivering) return;
    this.#delivering = true;
    try {
      for (let next = this.#undelivered.shift(); next !== undefined; next = this.#undelivered.shift())
        this.#notify(next);
    } finally {
      this.#delivering = false;
    }
  }

  #notify(event: StoreEvent): void {
    for (const listener of this.#everything) this.#call(listener, event);
    const listeners = this.#listeners.get(event.key);
    if (listeners !== undefined) for (const listener of listeners) this.#call(listener, event);
  }

  /** A listener that fails must not affect the write, nor the other listeners. */
  #call(listener: StoreListener, event: StoreEvent): void {
    try {
      listener(event);
    } catch (error) {
      this.#onListenerError(error);
    }
  }

  *#rewound(before: Map<string, Stored | undefined>, key: string, namespace?: string): Generator<Stored> {
    const items: Stored[] = [];
    for (const item of this.list(key, namespace)) if (!before.has(idOf(item))) items.push(item);
    for (const item of before.values()) if (item !== undefined) items.push(item);
    yield* items.sort((left, right) => byCodeUnit(idOf(left), idOf(right)));
  }
}

/** What etcd takes by default. */
const MAX_TEXT_LENGTH = 1.5 * 1024 * 1024;

/** `namespace/name`: what lists are ordered by. */
export function idOf(item: Stored): string {
  return `${item.namespace}/${item.name}`;
}
