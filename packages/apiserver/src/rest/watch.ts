/**
 * Watch: one client's view of one resource, from a revision on. Events are queued as references and written out
 * only when the client reads; a client that reads too slowly is disconnected and has to resume.
 */
import type { Status, Timer } from '@chandler/kube';
import { expired, internalError } from '../errors.ts';
import type { Resource } from '../resource.ts';
import { Stored, type StoreEvent } from '../storage/store.ts';
import type { EventStream } from './answer.ts';
import { isSelected, type ListOptions, selectsEverything } from './list-options.ts';
import type { OpenWatch, Parts } from './parts.ts';
import type { Rendition } from './rendition.ts';

export const DEFAULT_QUEUE_LIMIT = 10_000;
export const BOOKMARK_INTERVAL_MS = 60_000;
const DEFAULT_TIMEOUT_MS = 30 * 60_000;
/** A bookmark shortly before the end saves the client from replaying events. */
const LAST_BOOKMARK_MS = 2_000;

export interface WatchRequest {
  readonly parts: Parts;
  readonly resource: Resource;
  readonly namespace: string | undefined;
  readonly options: ListOptions;
  readonly rendition: Rendition;
}

type Entry =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly item: Stored }
  | { readonly type: 'BOOKMARK'; readonly revision: number; readonly initialEnd: boolean }
  | { readonly type: 'ERROR'; readonly status: Status };

export class Watch implements EventStream, OpenWatch {
  readonly #request: WatchRequest;
  readonly #timers = new Set<Timer>();
  /** What there was when the watch began: not counted as a backlog. */
  #backlog: Entry[] = [];
  #queue: Entry[] = [];
  #taken = 0;
  #after: number;
  #unsubscribe: () => void = () => {};
  #listener: () => void = () => {};
  #ended = false;
  #overrun = false;
  #first = true;

  constructor(request: WatchRequest) {
    this.#request = request;
    this.#after = this.#begin();
    if (!this.#ended) this.#follow();
  }

  get storageKey(): string {
    return this.#request.resource.storage.key;
  }

  get ended(): boolean {
    return this.#ended && this.#taken >= this.#backlog.length && this.#queue.length === 0;
  }

  get overrun(): boolean {
    return this.#overrun;
  }

  onReady(listener: () => void): void {
    this.#listener = listener;
  }

  /** The server ends it: ready lines can still be read. */
  finish(): void {
    this.#end();
    this.#listener();
  }

  cancel(): void {
    this.#end();
    this.#backlog = [];
    this.#queue = [];
    this.#taken = 0;
  }

  take(maxLength: number): string | undefined {
    let text = '';
    while (text.length < maxLength) {
      const entry = this.#nextEntry();
      if (entry === undefined) break;
      text += this.#written(entry);
    }
    return text === '' ? undefined : text;
  }

  #nextEntry(): Entry | undefined {
    if (this.#taken < this.#backlog.length) return this.#backlog[this.#taken++];
    if (this.#queue.length === 0) return undefined;
    this.#backlog = this.#queue;
    this.#queue = [];
    this.#taken = 1;
    return this.#backlog[0];
  }

  /** Fills the backlog; returns the revision after which live events follow. */
  #begin(): number {
    const { parts, options, resource } = this.#request;
    const { store } = parts;
    const key = resource.storage.key;
    if (options.sendInitialEvents) {
      for (const item of store.list(key, this.#request.namespace)) {
        if (this.#selects(item)) this.#backlog.push({ type: 'ADDED', item });
      }
      if (options.allowWatchBookmarks && options.resourceVersionMatch === 'NotOlderThan') {
        this.#backlog.push({ type: 'BOOKMARK', revision: store.revision, initialEnd: true });
      }
      return store.revision;
    }
    if (options.resourceVersion === '' || options.resourceVersion === '0') return store.revision;
    const after = Number(options.resourceVersion);
    if (after < store.forgotten) {
      const status = expired(`too old resource version: ${after} (${store.forgotten})`).toStatus();
      this.#backlog.push({ type: 'ERROR', status });
      this.#ended = true;
      return after;
    }
    for (const event of store.eventsAfter(after, key)) {
      const entry = this.#entryOf(event);
      if (entry !== undefined) this.#backlog.push(entry);
    }
    return Math.max(after, store.revision);
  }

  #follow(): void {
    const { parts, options, resource } = this.#request;
    parts.watches.add(this);
    this.#unsubscribe = parts.store.subscribe(resource.storage.key, (event) => this.#on(event));
    const { random } = parts.world;
    const timeoutMs =
      options.timeoutSeconds === undefined || options.timeoutSeconds <= 0
        ? DEFAULT_TIMEOUT_MS * (1 + random.next())
        : options.timeoutSeconds * 1000;
    this.#later(timeoutMs, () => this.finish());
    if (!options.allowWatchBookmarks) return;
    if (timeoutMs > LAST_BOOKMARK_MS) this.#later(timeoutMs - LAST_BOOKMARK_MS, () => this.#bookmark());
    const tick = () => {
      this.#bookmark();
      this.#later(BOOKMARK_INTERVAL_MS, tick);
    };
    if (timeoutMs > BOOKMARK_INTERVAL_MS) this.#later(BOOKMARK_INTERVAL_MS, tick);
  }

  #later(delayMs: number, task: () => void): void {
    const timer = this.#request.parts.world.clock.after(delayMs, () => {
      this.#timers.delete(timer);
      if (!this.#ended) task();
    });
    this.#timers.add(timer);
  }

  #bookmark(): void {
    const revision = Math.max(this.#after, this.#request.parts.store.revision);
    this.#push({ type: 'BOOKMARK', revision, initialEnd: false });
  }

  #on(event: StoreEvent): void {
    if (this.#ended || event.revision <= this.#after) return;
    const entry = this.#entryOf(event);
    if (entry !== undefined) this.#push(entry);
  }

  #push(entry: Entry): void {
    if (this.#queue.length >= this.#request.parts.watchQueueLimit) {
      this.#queue = [];
      this.#overrun = true;
      this.#end();
    } else {
      this.#queue.push(entry);
    }
    this.#listener();
  }

  #end(): void {
    this.#ended = true;
    this.#request.parts.watches.delete(this);
    this.#unsubscribe();
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
  }

  /** An object that comes into the selection is added for this client, one that leaves it is deleted. */
  #entryOf({ type, item, previous }: StoreEvent): Entry | undefined {
    const { namespace, options } = this.#request;
    if (namespace !== undefined && item.namespace !== namespace) return undefined;
    if (selectsEverything(options)) return { type, item };
    const before = previous !== undefined && this.#selects(previous);
    const now = type !== 'DELETED' && this.#selects(item);
    if (now) return { type: before ? 'MODIFIED' : 'ADDED', item };
    return before
      ? { type: 'DELETED', item: type === 'DELETED' ? item : leaving(previous!, item) }
      : undefined;
  }

  #selects(item: Stored): boolean {
    const { options, resource } = this.#request;
    return isSelected(options, item.as(resource).object, resource);
  }

  /** An object that cannot be rendered ends the watch with an error; the process and other watches continue. */
  #written(entry: Entry): string {
    try {
      return this.#line(entry);
    } catch (error) {
      this.cancel();
      const why = error instanceof Error ? error.message : String(error);
      this.#request.parts.world.log.error('a watch event could not be written', { error: why });
      return `{"type":"ERROR","object":${JSON.stringify(internalError(why).toStatus())}}\n`;
    }
  }

  #line(entry: Entry): string {
    const { rendition } = this.#request;
    if (entry.type === 'ERROR') return `{"type":"ERROR","object":${JSON.stringify(entry.status)}}\n`;
    if (entry.type === 'BOOKMARK') {
      const metadata = {
        resourceVersion: String(entry.revision),
        ...(entry.initialEnd ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {}),
      };
      return `{"type":"BOOKMARK","object":${rendition.bookmark(metadata)}}\n`;
    }
    const line = `{"type":"${entry.type}","object":${rendition.event(entry.item, this.#first)}}\n`;
    this.#first = false;
    return line;
  }
}

// ---------------------------------------------------------------------------------------------------

/** The last state that was selected, under the revision at which it left. */
function leaving(previous: Stored, item: Stored): Stored {
  const { object } = previous;
  const metadata = { ...object.metadata, resourceVersion: String(item.revision) };
  return new Stored({ ...object, metadata }, item.revision);
}
