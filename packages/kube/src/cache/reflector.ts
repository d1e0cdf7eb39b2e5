/**
 * Keeps a store in sync with the server: lists once, then watches from there. A reset connection is resumed at the
 * last version seen; a version the server no longer has leads to a new list, whose
 * differences (deletions too) reach the store's listeners. Which object wins is the store's decision.
 */
import { ApiStatusError, errorFromStatus, isApiError, isStatus } from '../client/api-error.ts';
import type { KubeClient } from '../client/client.ts';
import { linkedAbort } from '../client/linked-abort.ts';
import { resourceName } from '../client/resource.ts';
import { turnsOf } from '../controller/turns.ts';
import type { KubeObject, WatchEvent } from '../object.ts';
import { countProgramError, isProgramError } from '../program-error.ts';
import type { Clock, World } from '../world.ts';
import { isVersionTooLarge, listEverything, type Selection } from './lister.ts';
import type { Store } from './store.ts';

export interface ReflectorOptions<T extends KubeObject = KubeObject> extends Selection {
  readonly client: KubeClient;
  readonly store: Store<T>;
  readonly world: Pick<World, 'clock' | 'random' | 'log'> & Partial<Pick<World, 'metrics'>>;
  /** Objects per page of a list. Default 500. */
  readonly pageSize?: number;
  /** A watch is ended by the server after this long, up to twice as long at random. Default 5 min. */
  readonly watchTimeoutMs?: number;
  /**
   * Without data for this long the connection is replaced, and a list shows what was missed. Most often that is nothing:
   * a server sends bookmarks every minute, but none for a kind that has not changed. TCP keep-alive finds a dead peer after
   * 40 s, but not behind a proxy that keeps its side open. Default 90 s: a bookmark may be late by half a minute.
   */
  readonly idleTimeoutMs?: number;
  /** Wait after a failure, doubled for each further one, ± half at random. Default 800 ms … 30 s. */
  readonly backoff?: { readonly initialMs: number; readonly maxMs: number };
}

/** What reflectors of all kinds have in common: for those who start and stop many. */
export interface AnyReflector {
  readonly synced: Promise<void>;
  start(): unknown;
  stop(): Promise<void>;
  readonly resource: string;
  readonly lastError: unknown;
  readonly failingMs: number;
  readonly listed: number;
  readonly store: { readonly synced: boolean };
}

export class Reflector<T extends KubeObject = KubeObject> {
  readonly store: Store<T>;
  /** Resolves when the first list is in the store; never resolves if there is none. */
  readonly synced: Promise<void>;
  readonly #options: ReflectorOptions<T>;
  readonly #stop = new AbortController();
  #markSynced: () => void = () => undefined;
  #running: Promise<void> | undefined;
  #version: string | undefined;
  #mustList = true;
  #errorEvents = 0;
  /** The previous watch was open and delivered nothing. */
  #wasSilent = false;
  #failures = 0;
  #lastError: unknown;
  /** Since when (monotonic) neither a list nor a watch succeeded. */
  #failingSinceMs: number | undefined;
  #listed = 0;

  constructor(options: ReflectorOptions<T>) {
    this.#options = options;
    this.store = options.store;
    this.synced = new Promise((resolve) => {
      this.#markSynced = resolve;
    });
  }

  start(): this {
    this.#running ??= this.#run();
    return this;
  }

  /** Ends the watch and waits until nothing runs any more. The store keeps its objects. */
  async stop(): Promise<void> {
    this.#stop.abort(new Error('the reflector was stopped'));
    await this.#running;
  }

  get resource(): string {
    return resourceName(this.store.resource);
  }

  /** How long the store has not been updated because lists and watches fail; 0 while a watch is open. */
  get failingMs(): number {
    if (this.#failingSinceMs === undefined) return 0;
    return this.#options.world.clock.monotonic() - this.#failingSinceMs;
  }

  /** Why the last list or watch failed; undefined while healthy. */
  get lastError(): unknown {
    return this.#lastError;
  }

  /** The largest number of objects of one list: while it grows, a first list is making progress. */
  get listed(): number {
    return this.#listed;
  }

  async #run(): Promise<void> {
    const { clock, log } = this.#options.world;
    while (!this.#stop.signal.aborted) {
      try {
        if (this.#mustList) await this.#list();
        await this.#watch();
      } catch (error) {
        if (this.#stop.signal.aborted) return;
        const waitMs = this.#afterFailure(error);
        const fields = { resource: resourceName(this.store.resource), error: String(error), waitMs };
        const isBug = isProgramError(error);
        const { metrics } = this.#options.world;
        if (isBug && metrics !== undefined) countProgramError(metrics, `store.${fields.resource}`);
        const lasting = this.#failures >= MIN_REPORTED_FAILURES || isBug;
        if (lasting || isApiError(error, 'forbidden', 'unauthorized', 'notFound'))
          log.warn('failed to list or watch', fields);
        else log.debug('watch interrupted', fields);
        await clock.sleep(waitMs, this.#stop.signal).catch(() => undefined);
      }
    }
  }

  async #list(): Promise<void> {
    const { client, pageSize = 500 } = this.#options;
    let listed = 0;
    const { objects, version } = await listEverything({
      client,
      resource: this.store.resource,
      selection: this.#selection,
      pageSize,
      trim: (object) => {
        this.#listed = Math.max(this.#listed, ++listed);
        return this.store.trim(object);
      },
      ...(this.#version === undefined ? {} : { notOlderThan: this.#version }),
      signal: this.#stop.signal,
    });
    const replacing = this.store.replacing(objects, version);
    let piece = replacing.next();
    for (; !piece.done; piece = replacing.next()) await turnsOf(this.#options.world.clock).pass();
    this.#version = version;
    this.#mustList = false;
    this.#markSynced();
    if (this.#wasSilent) this.#afterSilence(piece.value);
  }

  /** Whether the idle watch missed changes. A single change at the moment of the list does not count. */
  #afterSilence(missed: number): void {
    this.#wasSilent = false;
    if (missed === 0) {
      this.#healthy();
      return;
    }
    this.#failures += 1;
    if (this.#failures < MIN_REPORTED_FAILURES) return;
    const fields = { resource: resourceName(this.store.resource), missed };
    this.#options.world.log.warn('watch missed events', fields);
  }

  async #watch(): Promise<void> {
    const { client, watchTimeoutMs = 300_000, idleTimeoutMs = 90_000, world } = this.#options;
    const startMs = world.clock.monotonic();
    const connection = linkedAbort(this.#stop.signal);
    let openedMs: number | undefined;
    const idle = new IdleTimer(world.clock, idleTimeoutMs, () => {
      // No events, a dead connection, or a server restored to a much lower version, which would stay silent on every
      // new watch too. Only a list can tell.
      this.#mustList = true;
      this.#wasSilent = openedMs !== undefined;
      connection.abort(new ApiStatusError('timeout', `no data from the server for ${idleTimeoutMs} ms`));
    });
    let events = 0;
    try {
      const stream = await client.watch(this.store.resource, {
        ...this.#selection,
        resourceVersion: this.#version ?? '0',
        allowWatchBookmarks: true,
        timeoutSeconds: Math.ceil((watchTimeoutMs / 1000) * (1 + world.random.next())),
        omitManagedFields: true,
        signal: connection.signal,
      });
      openedMs = world.clock.monotonic();
      this.#lastError = undefined;
      this.#failingSinceMs = undefined;
      for await (const batch of stream.batches()) {
        idle.touch();
        for (const event of batch) this.#take(event);
        events += batch.length;
        if (batch.length > 0) this.#healthy();
        if (connection.signal.aborted) break;
      }
    } catch (error) {
      if (!this.#wasSilent) {
        if (openedMs !== undefined) this.#noteEnd(world.clock.monotonic() - openedMs, error);
        throw error;
      }
    } finally {
      idle.stop();
      connection.release();
    }
    // Not a failure: the list decides whether it is one.
    if (this.#wasSilent) return;
    if (connection.signal.aborted) throw connection.signal.reason;
    // A server that closes at once would be called in a tight loop.
    if (events === 0 && world.clock.monotonic() - startMs < 1000) {
      throw new ApiStatusError('unavailable', 'the server ended the watch at once');
    }
    this.#healthy();
  }

  #noteEnd(openMs: number, error: unknown): void {
    // Proxies and load balancers cut quiet connections: each cut is a first failure.
    if (openMs >= HEALTHY_WATCH_MS) this.#failures = 0;
    if (isApiError(error)) this.#errorEvents += 1;
  }

  #take(event: WatchEvent<T>): void {
    if (event.type === 'ERROR' || isStatus(event.object)) {
      throw isStatus(event.object)
        ? errorFromStatus(event.object)
        : new ApiStatusError('malformed', 'the watch sent an error event without a Status');
    }
    if (event.type === 'BOOKMARK') {
      const version = event.object.metadata.resourceVersion;
      if (version !== undefined) this.store.advance(version);
    } else if (event.type === 'ADDED' || event.type === 'MODIFIED' || event.type === 'DELETED') {
      this.store.apply(event.type, event.object);
    }
    this.#version = event.object.metadata.resourceVersion ?? this.#version;
    this.#errorEvents = 0;
  }

  #healthy(): void {
    this.#failures = 0;
    this.#lastError = undefined;
    this.#failingSinceMs = undefined;
  }

  /** Decides what to do next and returns the delay before it. */
  #afterFailure(error: unknown): number {
    const { backoff = { initialMs: 800, maxMs: 30_000 }, world } = this.#options;
    this.#lastError = error;
    this.#failingSinceMs ??= world.clock.monotonic();
    // What a list finds after this, the failure may have kept from us.
    this.#wasSilent = false;
    if (isApiError(error, 'expired', 'badRequest') || isVersionTooLarge(error)) {
      const first = !this.#mustList;
      this.#mustList = true;
      // An expired version is not an error: list at once, but not in a loop.
      if (first && this.#failures === 0) {
        this.#failures = 1;
        return 0;
      }
    }
    // A watch from the same version may meet the same event again, for example an object that cannot be decoded.
    if (this.#errorEvents >= MAX_ERROR_EVENTS) {
      this.#errorEvents = 0;
      this.#mustList = true;
    }
    const plainMs = Math.min(backoff.maxMs, backoff.initialMs * 2 ** Math.min(this.#failures, 32));
    this.#failures += 1;
    const asked = isApiError(error) ? (error.retryAfterMs ?? 0) : 0;
    return Math.max(asked, plainMs * (0.5 + world.random.next()));
  }

  get #selection(): Selection {
    const { namespace, labelSelector, fieldSelector } = this.#options;
    return {
      ...(namespace === undefined ? {} : { namespace }),
      ...(labelSelector === undefined ? {} : { labelSelector }),
      ...(fieldSelector === undefined ? {} : { fieldSelector }),
    };
  }
}

// ------------------------------------------------------------------------------------------------

/** Error events in a row, without any other event between them, after which the collection is listed again. */
const MAX_ERROR_EVENTS = 3;
/** Servers restart, connections break: the first few consecutive failures are not reported. */
const MIN_REPORTED_FAILURES = 4;

/** A watch that was open for this long worked. */
const HEALTHY_WATCH_MS = 5_000;

/** One timer for any number of chunks: it checks the last one when it fires and rearms for the rest. */
class IdleTimer {
  readonly #clock: Clock;
  readonly #limitMs: number;
  readonly #onIdle: () => void;
  #lastMs: number;
  #timer: { cancel(): void };

  constructor(clock: Clock, limitMs: number, onIdle: () => void) {
    this.#clock = clock;
    this.#limitMs = limitMs;
    this.#onIdle = onIdle;
    this.#lastMs = clock.monotonic();
    this.#timer = clock.after(limitMs, () => this.#check());
  }

  touch(): void {
    this.#lastMs = this.#clock.monotonic();
  }

  stop(): void {
    this.#timer.cancel();
  }

  #check(): void {
    const restMs = this.#lastMs + this.#limitMs - this.#clock.monotonic();
    if (restMs <= 0) this.#onIdle();
    else this.#timer = this.#clock.after(restMs, () => this.#check());
  }
}
