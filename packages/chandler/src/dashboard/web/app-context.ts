/** What every part of the page can reach: the store, the connection, the address; and hooks that render again when they change. */
import { createContext } from 'preact';
import { useCallback, useContext, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { WireError } from '../wire.ts';
import { errorText } from './api.ts';
import { after, every, monotonicMs } from './browser.ts';
import type { Connection } from './connection.ts';
import { timelineOf } from './model/recording.ts';
import type { Route } from './model/route.ts';
import type { ClusterStore, Revisions } from './model/store.ts';
import type { Navigation } from './navigation.ts';
import type { Playback } from './playback.ts';

export interface App {
  /** Of the present, or of the recording that is shown. */
  readonly store: ClusterStore;
  readonly playback: Playback;
  readonly connection: Connection;
  readonly navigation: Navigation;
}

export const AppContext = createContext<App | null>(null);

export function useApp(): App {
  const app = useContext(AppContext);
  if (app === null) throw new Error('a part of the page is outside of AppContext');
  return app;
}

export function useRoute(): Route {
  const { navigation } = useApp();
  useListener(useCallback((changed) => navigation.listen(changed), [navigation]));
  return navigation.route;
}

/** The store, read again when one of these changed. */
export function useStore(...names: readonly (keyof Revisions)[]): ClusterStore {
  const { store } = useApp();
  const sum = useCallback(() => names.reduce((all, name) => all + store.revisions[name], 0), [store]);
  useListener(
    useCallback(
      (changed) => {
        let last = sum();
        return store.listen(() => {
          if (sum() === last) return;
          last = sum();
          changed();
        });
      },
      [store, sum],
    ),
  );
  return store;
}

export function useConnection(): Connection {
  const { connection } = useApp();
  useListener(useCallback((changed) => connection.listen(changed), [connection]));
  return connection;
}

export function usePlayback(): Playback {
  const { playback } = useApp();
  useListener(useCallback((changed) => playback.listen(changed), [playback]));
  return playback;
}

/** The time by the server's clock, again every `intervalMs`. */
export function useServerNow(intervalMs = 1000): number {
  const { connection } = useApp();
  useListener(useCallback((changed) => every(intervalMs, changed), [intervalMs]));
  return connection.serverNowMs();
}

export interface Answer<T> {
  readonly value: T | null;
  readonly error: WireError | null;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

const REFRESH_MS = 4000;

/**
 * The answer to a question, asked again when one of the revisions changed, at most every four seconds. While nothing changes nothing
 * is asked.
 */
export function useAnswer<T>(path: string, ...names: readonly (keyof Revisions)[]): Answer<T> {
  const { store, connection, playback } = useApp();
  const [state, setState] = useState<{ path: string; value: T | null; error: WireError | null }>({
    path: '',
    value: null,
    error: null,
  });
  const [asked, setAsked] = useState(0);
  const askedMs = useRef(0);
  useEffect(() => {
    const { replay } = playback;
    // Only the timeline is in a recording.
    if (replay !== null && path.startsWith('timeline')) {
      setState({ path, value: timelineOf(replay.recording) as T, error: null });
      return undefined;
    }
    const ending = new AbortController();
    askedMs.current = monotonicMs();
    connection.api
      .get<T>(path, ending.signal)
      .then((value) => {
        const { atMs } = value as { readonly atMs?: unknown };
        if (typeof atMs === 'number') connection.sync(atMs);
        setState({ path, value, error: null });
      })
      .catch((error: unknown) => {
        if (!ending.signal.aborted)
          setState((before) => ({
            path,
            value: before.path === path ? before.value : null,
            error: errorText(error),
          }));
      });
    return () => ending.abort();
  }, [path, asked, connection, playback]);
  useEffect(() => {
    const sum = () => names.reduce((all, name) => all + store.revisions[name], 0);
    let last = sum();
    let cancel: (() => void) | undefined;
    const unlisten = store.listen(() => {
      if (sum() === last || cancel !== undefined || document.hidden) return;
      last = sum();
      const waitMs = Math.max(0, askedMs.current + REFRESH_MS - monotonicMs());
      cancel = after(waitMs, () => {
        cancel = undefined;
        setAsked((before) => before + 1);
      });
    });
    return () => {
      cancel?.();
      unlisten();
    };
  }, [path, store]);
  const reload = useCallback(() => setAsked((before) => before + 1), []);
  const isCurrent = state.path === path;
  return {
    value: isCurrent ? state.value : null,
    error: isCurrent ? state.error : null,
    isLoading: !isCurrent,
    reload,
  };
}

/** Renders again whenever the source says so. */
function useListener(listen: (changed: () => void) => () => void): void {
  const [, set] = useState(0);
  // At once after rendering: what changes before a later effect would be missed.
  useLayoutEffect(() => listen(() => set((before) => before + 1)), [listen]);
}
