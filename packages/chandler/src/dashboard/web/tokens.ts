/**
 * The tokens of the page. They come in the fragment of the address (`#token=…&playground=…`), which no server and no log sees; it is
 * taken out of the address at once. Tokens of the page stay in the storage of the tab once its server has accepted them; one of
 * Kubernetes is nowhere but in the memory of the tab.
 */

import type { SignIn } from '../wire.ts';

export interface Tokens {
  readonly token: string;
  /** For faults and scenarios; empty: not given. */
  readonly playground: string;
}

const KEYS = { token: 'chandler.token', playground: 'chandler.playground' } as const;

export function takeTokens(): Tokens {
  const given = tokensOf(location.hash);
  if (location.hash !== '') history.replaceState(history.state, '', `${location.pathname}${location.search}`);
  return {
    token: given.token || (sessionStorage.getItem(KEYS.token) ?? ''),
    playground: given.playground || (sessionStorage.getItem(KEYS.playground) ?? ''),
  };
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

export function tokensOf(fragment: string): Tokens {
  const given = new URLSearchParams(fragment.replace(/^#/, ''));
  return { token: given.get('token') ?? '', playground: given.get('playground') ?? '' };
}
