/** The page with what all of its parts reach: the rows of the present, or those of a recording while one is looked at. */
import { useLayoutEffect, useState } from 'preact/hooks';
import { type App, AppContext } from './app-context.ts';
import { Shell } from './shell.tsx';

export function Root(app: App) {
  const { playback } = app;
  const [replay, setReplay] = useState(playback.replay);
  useLayoutEffect(() => playback.listen(() => setReplay(playback.replay)), [playback]);
  return (
    <AppContext.Provider value={{ ...app, store: replay?.store ?? app.store }}>
      <Shell />
    </AppContext.Provider>
  );
}
