/** A watch that a proxy ended is opened again soon: meanwhile the process acts on an old picture. */
import type { Check, MakeCheck } from './check.ts';

const MAX_GAP_MS = 10_000;

export const cutWatchesReopen: MakeCheck = (view): Check => {
  const cutMs = new Map<string, number>();
  const { clock } = view.servers.world;
  return {
    name: 'cut watches are opened again',
    onWatchCut(process, url) {
      if (view.phase === 'quiet') cutMs.set(keyOf(process, url), clock.monotonic());
    },
    onSend({ process, server, method, path, query }) {
      if (server === 'kube' && method === 'GET') cutMs.delete(keyOf(process, `${path}${query}`));
    },
    periodically() {
      for (const [key, ms] of cutMs) {
        if (clock.monotonic() - ms <= MAX_GAP_MS) continue;
        cutMs.delete(key);
        view.violated(this.name, `${key} is not opened again after ${MAX_GAP_MS / 1000} s`);
      }
    },
  };
};

// ---------------------------------------------------------------------------------------------------

/** Which objects are watched, without the version and the options of the request. */
function keyOf(process: string, url: string): string {
  const { pathname, searchParams } = new URL(url, 'https://api');
  const selectors = ['fieldSelector', 'labelSelector'].map((name) => searchParams.get(name) ?? '');
  return [process, pathname, ...selectors].join(' ').trimEnd();
}
