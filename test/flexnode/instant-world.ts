/** A World in which waiting takes no time: a sleep moves the clock on and resolves at once, a deadline never strikes. */
import type { Clock, Fetch, World } from '@chandler/kube';
import { seededRandom, type VirtualWorld, virtualWorld } from '@chandler/kube/testing';

export interface InstantWorld extends World {
  readonly lines: VirtualWorld['lines'];
}

let runs = 0;

export function instantWorld(
  options: { readonly fetch?: Fetch; readonly startMs?: number } = {},
): InstantWorld {
  const startMs = options.startMs ?? Date.UTC(2026, 0, 1);
  let elapsedMs = 0;
  const clock: Clock = {
    now: () => startMs + elapsedMs,
    monotonic: () => elapsedMs,
    after: () => ({ cancel: () => undefined }),
    sleep: async (delayMs, signal) => {
      if (signal?.aborted) throw signal.reason;
      elapsedMs += delayMs;
      // A real turn of the event loop, so that no poll blocks it.
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
  const virtual = virtualWorld(options.fetch === undefined ? {} : { fetch: options.fetch });
  return { ...virtual, clock, random: seededRandom(++runs), lines: virtual.lines };
}
