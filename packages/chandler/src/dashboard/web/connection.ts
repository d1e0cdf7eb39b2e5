/**
 * Keeps the store up to date: session, snapshot, then the stream; after a loss again from where it was, with growing delays, or with
 * a new snapshot if the server says that it must be.
 */
import type { Change, ServerTime, Session, SignIn, Snapshot, WireError } from '../wire.ts';
import { AnswerError, type Api, errorText } from './api.ts';
import { after, monotonicMs, nowMs } from './browser.ts';
import { EventStreamReader, type ServerEvent } from './model/event-stream.ts';
import { ServerClock } from './model/server-clock.ts';
import type { ClusterStore } from './model/store.ts';
import { forgetGivenTokens, keepTokens, type Tokens } from './tokens.ts';

export type Link =
  | { readonly state: 'connecting'; readonly text: string }
  | { readonly state: 'live' }
  | {
      readonly state: 'lost' /** By the clock of the cluster. */;
      readonly sinceMs: number;
      readonly error: WireError;
    }
  | { readonly state: 'denied'; readonly status: number; readonly error: WireError; readonly signIn: SignIn };

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
  /** By a clock that does not jump; undefined while the connection is not live. */
  liveSinceMs: number | undefined;
  #needsSession = true;
  #needsSnapshot = true;
  /** When the last snapshot was read: a server that asks for one after the other is not asked at once. */
  #loadedMs = 0;
  #delayMs = FIRST_DELAY_MS;
  readonly #clock = new ServerClock();
  #wake: (() => void) | undefined;
  readonly #listeners = new Set<() => void>();

  constructor(api: Api, store: ClusterStore) {
    this.api = api;
    this.store = store;
  }

  /** The time of the cluster: ages are right also where the clock of the browser is wrong or slower. */
  serverNowMs(): number {
    return this.recordedNowMs ?? this.#clock.nowMs(nowMs());
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
    this.useTokens({ ...this.api.tokens, token });
    this.#set({ state: 'connecting', text: 'Connecting' });
  }

  /** The session says whose they are. A connection that is live goes on with them. */
  useTokens(tokens: Tokens): void {
    this.api.tokens = tokens;
    this.#needsSession = true;
    if (this.link.state === 'live') forgetGivenTokens();
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
      keepTokens(this.api.tokens, this.session.signIn);
      forgetGivenTokens();
      this.#clock.set(this.session.time, nowMs());
      this.#needsSession = false;
      this.#tell();
    }
    if (!this.#needsSnapshot) return;
    if (!this.store.isLoaded) this.#set({ state: 'connecting', text: 'Reading the cluster' });
    const snapshot = await this.api.get<Snapshot>('snapshot');
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
    this.#clock.heard(nowMs());
    this.#set({ state: 'live' });
    const openedMs = monotonicMs();
    try {
      for (;;) {
        const silent = after(SILENCE_MS, () => ending.abort(new Error('no heartbeat for 40 s')));
        const { done, value } = await reader.read().finally(silent);
        if (done) return;
        if (monotonicMs() - openedMs > FIRST_DELAY_MS) this.#delayMs = FIRST_DELAY_MS;
        for (const event of events.read(value)) if (this.#event(event) === 'reset') return;
        this.#clock.heard(nowMs());
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
    if (event === 'time') this.#clock.set(JSON.parse(data) as ServerTime, nowMs());
    if (event !== 'changes') return undefined;
    // The sequence is the end of the id: it may have the epoch before it.
    this.store.apply(JSON.parse(data) as Change[], Number(id.slice(id.lastIndexOf(':') + 1)));
    return undefined;
  }

  #failed(error: unknown): void {
    const text = errorText(error);
    const status = error instanceof AnswerError ? error.status : 0;
    if (status === 401 || status === 403) {
      forgetGivenTokens();
      this.#set({ state: 'denied', status, error: text, signIn: signInOf(error) });
    } else if (status === 503 && !this.store.isLoaded) this.#set({ state: 'connecting', text: text.error });
    else {
      // A server that is another one has another epoch: the stream then says so.
      this.#needsSession = true;
      this.#lost(text);
    }
  }

  #lost(error: WireError): void {
    const sinceMs = this.link.state === 'lost' ? this.link.sinceMs : this.#clock.lastHeardMs(nowMs());
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
    this.liveSinceMs = link.state === 'live' ? (this.liveSinceMs ?? monotonicMs()) : undefined;
    this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

// ---------------------------------------------------------------------------------------------------

function signInOf(error: unknown): SignIn {
  return (error instanceof AnswerError ? error.signIn : undefined) ?? 'page';
}
