/** Whether a reflector counts as healthy: watches that are cut, and servers that reject it. */
import { describe, expect, test } from 'vitest';
import { KubeClient } from '../client/client.ts';
import { CONFIG_MAPS } from '../client/resources.table.ts';
import { fetchTransport } from '../client/transport.ts';
import type { ConfigMap } from '../kinds/index.ts';
import type { KubeObject } from '../object.ts';
import { failure, TinyServer } from '../testing/tiny-server.ts';
import { settle, virtualWorld } from '../testing/virtual-world.ts';
import { Reflector } from './reflector.ts';
import { Store } from './store.ts';

const PATH = '/api/v1/namespaces/a/configmaps';
/** As kube-apiserver sends them. */
const BOOKMARK_INTERVAL_MS = 60_000;
const aMap = (name: string, data = ''): KubeObject => ({ metadata: { name }, data: { v: data } });

async function running() {
  const server = new TinyServer();
  const world = virtualWorld();
  server.put(`${PATH}/m1`, aMap('m1'));
  const store = new Store<ConfigMap>({ resource: CONFIG_MAPS });
  const changes: string[] = [];
  store.subscribe(({ type, object, initial }) => {
    if (!initial) changes.push(`${type} ${object.metadata.name}`);
  });
  const client = new KubeClient({ transport: fetchTransport(server.fetch) });
  const reflector = new Reflector({ client, store, world }).start();
  await settle();
  return { server, world, reflector, changes };
}

describe('a reflector', () => {
  test('resumes at once each time when a proxy cuts a quiet watch every 35 seconds', async () => {
    const { server, world, reflector, changes } = await running();
    for (let cut = 0; cut < 20; cut++) {
      await world.clock.advance(35_000);
      expect(server.watchers).toBe(1);
      server.resetWatches();
      await world.clock.advance(1_300);
      expect(server.watchers).toBe(1);
      expect(reflector.lastError).toBeUndefined();
    }
    expect(world.lines.filter(({ level }) => level === 'warn')).toEqual([]);
    server.put(`${PATH}/m1`, aMap('m1', 'x'));
    await settle();
    expect(changes).toEqual(['updated m1']);
    await reflector.stop();
  });

  test('replaces a dead watch soon after a missing bookmark, and this is no failure', async () => {
    const { server, world, reflector, changes } = await running();
    const halfOpen = new ReadableStream({});
    server.intercept = (_, url) => (url.searchParams.get('watch') ? new Response(halfOpen) : undefined);
    server.resetWatches();
    await world.clock.advance(3_000);
    server.intercept = undefined;
    server.put(`${PATH}/m1`, aMap('m1', 'unseen'));
    await world.clock.advance(BOOKMARK_INTERVAL_MS + 40_000);
    expect(changes).toEqual(['updated m1']);
    expect(server.watchers).toBe(1);
    expect(reflector.failingMs).toBe(0);
    expect(world.lines.filter(({ level }) => level === 'warn')).toEqual([]);
    await reflector.stop();
  });

  test('keeps a watch that has bookmarks only, each up to ten seconds late', async () => {
    const { server, world, reflector } = await running();
    const before = server.requests.length;
    for (let minute = 0; minute < 4; minute++) {
      await world.clock.advance(BOOKMARK_INTERVAL_MS + 10_000);
      server.bookmark();
    }
    expect(server.requests.length).toBe(before);
    await reflector.stop();
  });

  test('says for how long it has been failing, until a watch is open again', async () => {
    const { server, world, reflector } = await running();
    expect(reflector.failingMs).toBe(0);
    server.intercept = () => failure(403, 'Forbidden', 'not you');
    server.resetWatches();
    await world.clock.advance(90_000);
    expect(reflector.failingMs).toBeGreaterThanOrEqual(89_000);
    expect(reflector.lastError).toMatchObject({ kind: 'forbidden' });
    server.intercept = () => undefined;
    await world.clock.advance(60_000);
    expect(reflector.failingMs).toBe(0);
    await reflector.stop();
  });
});
