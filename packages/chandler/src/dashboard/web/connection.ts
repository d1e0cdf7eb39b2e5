/**
 * Keeps the store up to date: session, snapshot, then the stream; after a loss again from where it was, with growing delays, or with
 * a new snapshot if the server says that it must be.
 */
import type { Change, Session, Snapshot, WireError } from '../wire.ts';
import { AnswerError, type Api, errorText } from './api.ts';
import { after, monotonicMs, nowMs } from './browser.ts';
import { EventStreamReader, type ServerEvent } from './model/event-stream.ts';
import type { ClusterStore } from './model/store.ts';
import { keepToken } from './tokens.ts';

export type Link =
  | { readonly state: 'connecting'; readonly text: string }
  | { readonly state: 'live' }
  | { readonly state: 'lost'; readonly sinceMs: number; readonly error: WireError }
  | { readonly state: 'denied'; readonly status: number; readonly error: WireError };

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 15_000;
/** The server sends a heartbeat every 15 s. */
const SILENCE_MS = 40_000;

export class Connection {
  readonly api: Api;
  readonly store: ClusterStore;
  link: Link = { state: 'connecting', text: 'Connecting' };
  session: Session | null = null;
  /** While a recording is shown: its time. */
  recordedNowMs: number | null = null;
  #needsSession = true;
  #needsSnapshot = true;
  /** When the last snapshot was read: a server that asks for one after the other is not asked at once. */
  #loadedMs = 0;
  #delayMs = FIRST_DELAY_MS;
  #skewMs = 0;
  #wake: (() => void) | undefined;
  readonly #listeners = new Set<() => void>();

  constructor(api: Api, store: ClusterStore) {
    this.api = api;
    this.store = store;
  }

  /** The server's time: ages are right also where the clock of the browser is not. */
  serverNowMs(): number {
    return this.recordedNowMs ?? nowMs() + this.#skewMs;
  }

  /** An answer says how late it is by the server's clock, which may run faster than ours. */
  sync(atMs: number): void {
    this.#skewMs = Math.max(this.#skewMs, atMs - nowMs());
  }

  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Without the rest of the delay. */
  retryNow(): void {
    this.#wake?.();
  }

  useToken(token: string): void {
    keepToken(token);
    this.api.tokens = { ...this.api.tokens, token };
    this.#set({ state: 'connecting', text: 'Connecting' });
    this.#wake?.();
  }

  /** Never ends: it lives as long as the page. */
  async run(): Promise<never> {
    for (;;) {
      try {
        await this.#load();
        await this.#follow();
        // The server ended the stream in good order: it may have been told to.
        if (!this.#needsSnapshot) this.#lost({ error: 'the server ended the stream' });
      } catch (error) {
        this.#failed(error);
      }
      await this.#pause();
    }
  }

  async #load(): Promise<void> {
    if (this.#needsSession || this.#needsSnapshot) {
      this.session = await this.api.get<Session>('session');
      this.#needsSession = false;
      this.#tell();
    }
    if (!this.#needsSnapshot) return;
    if (!this.store.isLoaded) this.#set({ state: 'connecting', text: 'Reading the cluster' });
    const snapshot = await this.api.get<Snapshot>('snapshot');
    this.#skewMs = snapshot.atMs - nowMs();
    this.store.load(snapshot);
    this.#loadedMs = monotonicMs();
    this.#needsSnapshot = false;
  }

  async #follow(): Promise<void> {
    const ending = new AbortController();
    const query = new URLSearchParams({ epoch: this.store.epoch, after: String(this.store.sequence) });
    const response = await this.api.open(`stream?${query}`, { signal: ending.signal });
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    const events = new EventStreamReader();
    this.#set({ state: 'live' });
    const openedMs = monotonicMs();
    try {
      for (;;) {
        const silent = after(SILENCE_MS, () => ending.abort(new Error('no heartbeat for 40 s')));
        const { done, value } = await reader.read().finally(silent);
        if (done) return;
        if (monotonicMs() - openedMs > FIRST_DELAY_MS) this.#delayMs = FIRST_DELAY_MS;
        for (const event of events.read(value)) if (this.#event(event) === 'reset') return;
      }
    } finally {
      ending.abort();
    }
  }

  #event({ id, event, data }: ServerEvent): 'reset' | undefined {
    if (event === 'reset') {
      this.#needsSnapshot = true;
      return 'reset';
    }
    if (event !== 'changes') return undefined;
    // The sequence is the end of the id: it may have the epoch before it.
    this.store.apply(JSON.parse(data) as Change[], Number(id.slice(id.lastIndexOf(':') + 1)));
    return undefined;
  }

  #failed(error: unknown): void {
    const text = errorText(error);
    const status = error instanceof AnswerError ? error.status : 0;
    if (status === 401 || status === 403) this.#set({ state: 'denied', status, error: text });
    else if (status === 503 && !this.store.isLoaded) this.#set({ state: 'connecting', text: text.error });
    else {
      // A server that is another one has another epoch: the stream then says so.
      this.#needsSession = true;
      this.#lost(text);
    }
  }

  #lost(error: WireError): void {
    const sinceMs = this.link.state === 'lost' ? this.link.sinceMs : nowMs();
    this.#set({ state: 'lost', sinceMs, error });
  }

  /** Until the delay is over or somebody asks for it. Without a right token only the latter. */
  #pause(): Promise<void> {
    const isReset = this.#needsSnapshot && this.link.state === 'live';
    if (isReset && monotonicMs() - this.#loadedMs > MAX_DELAY_MS) return Promise.resolve();
    const delayMs = this.#delayMs;
    this.#delayMs = Math.min(MAX_DELAY_MS, delayMs * 2);
    return new Promise((resolve) => {
      const stop = this.link.state === 'denied' ? () => undefined : after(delayMs, () => this.#wake?.());
      this.#wake = () => {
        stop();
        this.#wake = undefined;
        resolve();
      };
    });
  }

  #set(link: Link): void {
    this.link = link;
    this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
