/** What every part of the page can reach: the store, the connection, the address; and hooks that render again when they change. */
import { createContext } from 'preact';
import { useCallback, useContext, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { WireError } from '../wire.ts';
import { AnswerError, errorText } from './api.ts';
import { after, every, isHidden, monotonicMs, whenShown } from './browser.ts';
import type { Connection } from './connection.ts';
import { type Asked, dueInMs } from './model/asking.ts';
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

/**
 * The answer to a question, asked again while it is older than the last change that it depends on, at most every four seconds; when
 * a tab is shown again; and when it failed. While nothing changes nothing is asked.
 */
export function useAnswer<T>(path: string, ...names: readonly (keyof Revisions)[]): Answer<T> {
  const { store, connection, playback } = useApp();
  const [state, setState] = useState<{ path: string; value: T | null; error: WireError | null }>({
    path: '',
    value: null,
    error: null,
  });
  const [times, setTimes] = useState(0);
  const asked = useRef<Asked | null>(null);
  const revision = () => names.reduce((all, name) => all + store.revisions[name], 0);
  useEffect(() => {
    const { replay } = playback;
    // Only the timeline is in a recording.
    if (replay !== null && path.startsWith('timeline')) {
      setState({ path, value: timelineOf(replay.recording) as T, error: null });
      return undefined;
    }
    const ending = new AbortController();
    const asking = { atMs: monotonicMs(), epoch: store.epoch, revision: revision() };
    asked.current = { ...asking, outcome: { state: 'asking' } };
    connection.api
      .get<T>(path, ending.signal)
      .then((value) => {
        const { sequence, epoch } = value as { readonly sequence?: number; readonly epoch?: string };
        asked.current = { ...asking, outcome: { state: 'answered', sequence, epoch } };
        setState({ path, value, error: null });
      })
      .catch((error: unknown) => {
        if (ending.signal.aborted) return;
        const status = error instanceof AnswerError ? error.status : 0;
        asked.current = { ...asking, outcome: { state: 'failed', status } };
        setState((before) => ({
          path,
          value: before.path === path ? before.value : null,
          error: errorText(error),
        }));
      });
    return () => ending.abort();
  }, [path, times, connection, playback]);
  useEffect(() => {
    let cancel: (() => void) | undefined;
    const check = () => {
      cancel?.();
      cancel = undefined;
      if (asked.current === null || isHidden()) return;
      const dueMs = dueInMs(asked.current, {
        nowMs: monotonicMs(),
        epoch: store.epoch,
        revision: revision(),
        changedAt: Math.max(0, ...names.map((name) => store.changedAt[name])),
        liveSinceMs: connection.liveSinceMs,
      });
      if (dueMs !== undefined) cancel = after(dueMs, () => setTimes((before) => before + 1));
    };
    check();
    const ends = [store.listen(check), connection.listen(check), whenShown(check), () => cancel?.()];
    return () => {
      for (const end of ends) end();
    };
  }, [path, store, connection, state]);
  const reload = useCallback(() => setTimes((before) => before + 1), []);
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
