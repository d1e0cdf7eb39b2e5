/** The start of the page in the browser. */
import { render } from 'preact';
import { Api } from './api.ts';
import { Connection } from './connection.ts';
import { ClusterStore } from './model/store.ts';
import { Navigation } from './navigation.ts';
import { Playback } from './playback.ts';
import { Root } from './root.tsx';
import { followSystemTheme } from './theme.ts';
import { shareTokens, takeTokens, tokensOfOtherTab } from './tokens.ts';

followSystemTheme();
const given = takeTokens();
const tokens = given.token === '' ? ((await tokensOfOtherTab()) ?? given) : given;
const store = new ClusterStore();
const connection = new Connection(new Api(tokens), store);
const playback = new Playback(connection);
const app = { store, connection, playback, navigation: new Navigation() };
// The address with a token may be opened in a tab that shows the page already.
window.addEventListener('hashchange', () => {
  // Taking them out of the address is no change to another one.
  if (location.hash !== '') connection.useTokens(takeTokens());
});
shareTokens(() => (connection.link.state === 'live' ? connection.api.tokens : undefined));
const place = document.getElementById('app')!;
place.replaceChildren();
render(<Root {...app} />, place);
void connection.run();
