/**
 * The tokens of the page. They come in the fragment of the address (`#token=…&playground=…`), which no server and no log sees; it is
 * taken out of the address at once, and the tokens stay in the storage of the tab.
 */

export interface Tokens {
  readonly token: string;
  /** For faults and scenarios; empty: not given. */
  readonly playground: string;
}

const KEYS = { token: 'chandler.token', playground: 'chandler.playground' } as const;

export function takeTokens(): Tokens {
  const given = tokensOf(location.hash);
  if (location.hash !== '') history.replaceState(history.state, '', `${location.pathname}${location.search}`);
  if (given.token !== '') sessionStorage.setItem(KEYS.token, given.token);
  if (given.playground !== '') sessionStorage.setItem(KEYS.playground, given.playground);
  return {
    token: sessionStorage.getItem(KEYS.token) ?? '',
    playground: sessionStorage.getItem(KEYS.playground) ?? '',
  };
}

/** One that was typed in. */
export function keepToken(token: string): void {
  sessionStorage.setItem(KEYS.token, token);
}

export function tokensOf(fragment: string): Tokens {
  const given = new URLSearchParams(fragment.replace(/^#/, ''));
  return { token: given.get('token') ?? '', playground: given.get('playground') ?? '' };
}
