/** The start of the page in the browser. */
import { render } from 'preact';
import { Api } from './api.ts';
import { AppContext } from './app-context.ts';
import { Connection } from './connection.ts';
import { ClusterStore } from './model/store.ts';
import { Navigation } from './navigation.ts';
import { Shell } from './shell.tsx';
import { followSystemTheme } from './theme.ts';
import { takeTokens } from './tokens.ts';

followSystemTheme();
const tokens = takeTokens();
const store = new ClusterStore();
const connection = new Connection(new Api(tokens), store);
const app = { store, connection, navigation: new Navigation() };
// The address with a token may be opened in a tab that shows the page already.
window.addEventListener('hashchange', () => {
  const { token, playground } = takeTokens();
  connection.api.tokens = { token, playground };
  connection.retryNow();
});
const place = document.getElementById('app')!;
place.replaceChildren();
render(
  <AppContext.Provider value={app}>
    <Shell />
  </AppContext.Provider>,
  place,
);
void connection.run();
