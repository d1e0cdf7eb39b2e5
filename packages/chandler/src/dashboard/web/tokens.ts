/**
 * The tokens of the page. They come in the fragment of the address (`#token=…&playground=…`), which no server and no log sees; it is
 * taken out of the address at once. Until the server has answered they stay with this entry of the tab's history, so that a page
 * which is reloaded meanwhile still has them. Tokens of the page then stay in the storage of the tab, once its server has accepted
 * them; one of Kubernetes is nowhere but in the memory of the tab. A tab without them asks the other tabs of the page, so that a
 * link can be opened in a new one.
 */

import type { SignIn } from '../wire.ts';
import { after } from './browser.ts';

export interface Tokens {
  readonly token: string;
  /** For faults and scenarios; empty: not given. */
  readonly playground: string;
}

type Message = { readonly what: 'ask' } | { readonly what: 'tokens'; readonly tokens: Tokens };

/** Of an entry of the tab's history. */
interface EntryState {
  readonly tokens?: Tokens;
}

const NONE: Tokens = { token: '', playground: '' };
const CHANNEL = 'chandler.tokens';
const ANSWER_MS = 300;
const KEYS = { token: 'chandler.token', playground: 'chandler.playground' } as const;

/** From the address, or as they are kept. */
export function takeTokens(): Tokens {
  const given = tokensOf(location.hash);
  const isGiven = given.token !== '' || given.playground !== '';
  const state = historyState();
  const waiting = isGiven ? given : (state.tokens ?? NONE);
  if (location.hash !== '')
    history.replaceState(
      isGiven ? { ...state, tokens: given } : state,
      '',
      `${location.pathname}${location.search}`,
    );
  return {
    token: waiting.token || (sessionStorage.getItem(KEYS.token) ?? ''),
    playground: waiting.playground || (sessionStorage.getItem(KEYS.playground) ?? ''),
  };
}

/** The server has answered: they are accepted, and kept, or they are of no use. */
export function forgetGivenTokens(): void {
  const { tokens, ...state } = historyState();
  if (tokens !== undefined) history.replaceState(state, '');
}

/** Those that the server has accepted. */
export function keepTokens({ token, playground }: Tokens, signIn: SignIn): void {
  if (signIn === 'kubernetes') {
    for (const key of Object.values(KEYS)) sessionStorage.removeItem(key);
    return;
  }
  if (token !== '') sessionStorage.setItem(KEYS.token, token);
  if (playground !== '') sessionStorage.setItem(KEYS.playground, playground);
}

/** Answers tabs of the same origin that have no token yet. @param current undefined: there is none to give. */
export function shareTokens(current: () => Tokens | undefined): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    const tokens = data.what === 'ask' ? current() : undefined;
    if (tokens !== undefined) channel.postMessage({ what: 'tokens', tokens } satisfies Message);
  });
}

/** Those of another tab; undefined if none answers soon. */
export function tokensOfOtherTab(): Promise<Tokens | undefined> {
  const channel = new BroadcastChannel(CHANNEL);
  return new Promise<Tokens | undefined>((resolve) => {
    const stop = after(ANSWER_MS, () => resolve(undefined));
    channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
      if (data.what !== 'tokens') return;
      stop();
      resolve(data.tokens);
    });
    channel.postMessage({ what: 'ask' } satisfies Message);
  }).finally(() => channel.close());
}

export function tokensOf(fragment: string): Tokens {
  const given = new URLSearchParams(fragment.replace(/^#/, ''));
  return { token: given.get('token') ?? '', playground: given.get('playground') ?? '' };
}

// ---------------------------------------------------------------------------------------------------

function historyState(): EntryState {
  return (history.state ?? {}) as EntryState;
}
