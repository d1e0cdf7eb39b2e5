import { type Clock, type Fetch, fetchTransport } from '@chandler/kube';
import { virtualWorld } from '@chandler/kube/testing';
import { describe, expect, test } from 'vitest';
import { Stores } from '../state/index.ts';
import { SYNC_LIMIT_MS, synced } from './start-steps.ts';

const PAGES = 10;

/** Pods are listed page by page with a delay each; every other list is empty and immediate. */
function slowServer(clock: Clock, pageMs: (page: number) => number): Fetch {
  return async (input, init) => {
    const url = new URL(String(input));
    if (url.searchParams.has('watch')) return new Response(new ReadableStream());
    const isPods = url.pathname.endsWith('/pods');
    const page = Number(url.searchParams.get('continue') ?? 0);
    if (isPods) await clock.sleep(pageMs(page), init?.signal ?? undefined);
    const more = isPods && page + 1 < PAGES ? { continue: String(page + 1) } : {};
    const items = isPods
      ? [{ metadata: { name: `p${page}`, namespace: 'default', uid: `${page}`, resourceVersion: '1' } }]
      : [];
    return new Response(JSON.stringify({ metadata: { resourceVersion: '7', ...more }, items }));
  };
}

async function start(pageMs: (page: number) => number) {
  const world = virtualWorld();
  const transport = fetchTransport(slowServer(world.clock, pageMs));
  const stores = new Stores({ world, transport, nodeClasses: [], overlays: false });
  let end: unknown;
  const going = synced(world, stores, new AbortController().signal).then(
    () => {
      end = 'synced';
    },
    (error: unknown) => {
      end = error;
    },
  );
  for (let step = 0; step < 3600 && end === undefined; step++) await world.clock.advance(1_000);
  await going;
  const stopping = stores.stop();
  await world.clock.advance(120_000);
  await stopping;
  return { end, seconds: world.clock.monotonic() / 1000 };
}

describe('a start that syncs its caches', () => {
  test('waits for a large cluster as long as pages arrive', async () => {
    const { end, seconds } = await start(() => 20_000);
    expect(end).toBe('synced');
    expect(seconds * 1000).toBeGreaterThan(SYNC_LIMIT_MS);
  });

  test('fails when no page arrives any more, and names the missing kinds', async () => {
    const { end } = await start((page) => (page < 3 ? 1_000 : 24 * 3600_000));
    expect(String(end)).toContain('these could not be read: pods');
  });
});
