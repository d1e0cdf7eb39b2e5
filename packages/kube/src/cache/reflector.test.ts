import { describe, expect, test } from 'vitest';
import { KubeClient } from '../client/client.ts';
import { CONFIG_MAPS } from '../client/resources.table.ts';
import { fetchTransport } from '../client/transport.ts';
import type { ConfigMap } from '../kinds/index.ts';
import type { KubeObject } from '../object.ts';
import { failure, TinyServer } from '../testing/tiny-server.ts';
import { settle, type VirtualWorld, virtualWorld } from '../testing/virtual-world.ts';
import { Reflector, type ReflectorOptions } from './reflector.ts';
import { Store } from './store.ts';

interface Running {
  server: TinyServer;
  world: VirtualWorld;
  store: Store<ConfigMap>;
  reflector: Reflector<ConfigMap>;
  changes: string[];
}

const PATH = '/api/v1/namespaces/a/configmaps';
const aMap = (name: string, data = ''): KubeObject => ({ metadata: { name }, data: { v: data } });

type RunningOptions = Partial<ReflectorOptions<ConfigMap>> & { before?: (server: TinyServer) => void };

async function running(options: RunningOptions = {}): Promise<Running> {
  const all = await started(options);
  await settle();
  return all;
}

async function started(options: RunningOptions = {}): Promise<Running> {
  const server = new TinyServer();
  const world = virtualWorld();
  for (let index = 0; index < 5; index++) server.put(`${PATH}/m${index}`, aMap(`m${index}`));
  options.before?.(server);
  const store = new Store({ resource: CONFIG_MAPS });
  const changes: string[] = [];
  store.subscribe(({ type, object, initial }) => {
    if (!initial) changes.push(`${type} ${object.metadata.name}`);
  });
  const client = new KubeClient({ transport: fetchTransport(server.fetch) });
  const reflector = new Reflector({ client, store, world, pageSize: 2, ...options }).start();
  return { server, world, store, reflector, changes };
}

const truth = (server: TinyServer, names: readonly string[]) =>
  names.filter((name) => server.get(`${PATH}/${name}`) !== undefined);

describe('a reflector', () => {
  test('lists in pages, reports when it is synced, and watches from there', async () => {
    const { server, store, reflector, changes } = await running();
    await reflector.synced;
    expect(store.size).toBe(5);
    expect(store.get({ namespace: 'a', name: 'm0' })?.kind).toBe('ConfigMap');
    server.put(`${PATH}/m0`, aMap('m0', 'new'));
    server.put(`${PATH}/m9`, aMap('m9'));
    server.remove(`${PATH}/m1`);
    await settle();
    expect(changes).toEqual(['updated m0', 'added m9', 'deleted m1']);
    const watch = server.requests.at(-1);
    expect(watch).toContain('allowWatchBookmarks=true');
    expect(watch).toMatch(/timeoutSeconds=(3\d\d|4\d\d|5\d\d|600)&/);
    expect(server.requests.filter((request) => request.includes('limit=2'))).toHaveLength(3);
    await reflector.stop();
    expect(server.watchers).toBe(0);
  });

  test('uses its selectors', async () => {
    const { server, reflector } = await running({
      namespace: 'a',
      labelSelector: 'x=y',
      fieldSelector: 'f=g',
    });
    for (const request of server.requests) {
      expect(request).toContain(PATH);
      expect(request).toContain('labelSelector=x%3Dy&fieldSelector=f%3Dg');
    }
    await reflector.stop();
  });

  test('resumes the watch after a reset connection, without listing again', async () => {
    const { server, world, reflector, changes } = await running();
    const listed = server.requests.length;
    server.put(`${PATH}/m0`, aMap('m0', 'before'));
    await settle();
    server.resetWatches();
    server.put(`${PATH}/m1`, aMap('m1', 'missed'));
    await world.clock.advance(2000);
    expect(changes).toEqual(['updated m0', 'updated m1']);
    expect(server.requests.slice(listed).every((request) => request.includes('watch=true'))).toBe(true);
    await reflector.stop();
  });

  test('resumes from a bookmark when nothing else happened', async () => {
    const { server, world, reflector } = await running();
    server.put('/api/v1/namespaces/a/secrets/other', aMap('other'));
    server.bookmark();
    await settle();
    server.compact();
    server.resetWatches();
    await world.clock.advance(2000);
    expect(server.requests.at(-1)).toContain(`resourceVersion=${server.version}`);
    expect(server.watchers).toBe(1);
    await reflector.stop();
  });

  test.each(['on connecting', 'in the stream'])(
    'lists again when its version is too old (%s), and finds what was deleted',
    async (how) => {
      const { server, world, reflector, changes } = await running();
      server.intercept = (_, url) =>
        url.searchParams.get('watch') ? failure(500, 'InternalError', 'later') : undefined;
      server.resetWatches();
      await settle();
      server.remove(`${PATH}/m1`);
      server.put(`${PATH}/m2`, aMap('m2', 'new'));
      server.put(`${PATH}/m7`, aMap('m7'));
      server.intercept = undefined;
      if (how === 'on connecting') server.compact();
      else {
        await world.clock.advance(5000);
        server.sendError(410, 'Expired');
      }
      await world.clock.advance(60_000);
      expect(changes.toSorted()).toEqual(['added m7', 'deleted m1', 'updated m2']);
      expect(server.requests.some((request) => request.includes('resourceVersionMatch=NotOlderThan'))).toBe(
        true,
      );
      await reflector.stop();
    },
  );

  test('lists in larger pages when the snapshot expires between two pages', async () => {
    let compacted = false;
    const { server, store, reflector } = await running({
      before: (server) => {
        server.intercept = (_, url) => {
          if (!url.searchParams.get('continue') || compacted) return undefined;
          compacted = true;
          server.put(`${PATH}/late`, aMap('late'));
          server.compact();
          return undefined;
        };
      },
    });
    await reflector.synced;
    expect(store.size).toBe(6);
    expect(server.requests.some((request) => request.includes('limit=20'))).toBe(true);
    await reflector.stop();
  });

  test('starts over when the server was restored to an earlier state', async () => {
    const { server, world, store, reflector } = await running();
    server.put(`${PATH}/m8`, aMap('m8'));
    await settle();
    server.version = 50;
    server.compact();
    server.remove(`${PATH}/m8`);
    server.put(`${PATH}/m9`, aMap('m9'));
    server.resetWatches();
    await world.clock.advance(60_000);
    expect([...store.values()].map(({ metadata }) => metadata.name)).toEqual(
      truth(server, ['m0', 'm1', 'm2', 'm3', 'm4', 'm9']),
    );
    await reflector.stop();
  });

  test('replaces a connection without data after the idle timeout', async () => {
    const { server, world, reflector, changes } = await running({ idleTimeoutMs: 60_000 });
    const halfOpen = new ReadableStream({});
    server.intercept = (_, url) => (url.searchParams.get('watch') ? new Response(halfOpen) : undefined);
    server.resetWatches();
    await world.clock.advance(3000);
    server.intercept = undefined;
    server.put(`${PATH}/m1`, aMap('m1', 'unseen'));
    await world.clock.advance(50_000);
    expect(changes).toEqual([]);
    await world.clock.advance(15_000);
    expect(changes).toEqual(['updated m1']);
    await reflector.stop();
  });

  test('reconnects a watch without events, without an error, a delay or a growing back-off', async () => {
    // A real server need not send bookmarks: for a kind that does not change it sends none for minutes.
    const { server, world, reflector, changes } = await running();
    for (let round = 0; round < 40; round++) {
      const before = server.requests.length;
      await world.clock.advance(90_000);
      expect(server.requests.length - before).toBe(4);
      expect(server.watchers).toBe(1);
      expect(reflector.lastError).toBeUndefined();
    }
    expect(world.lines).toEqual([]);
    server.put(`${PATH}/m1`, aMap('m1', 'at last'));
    await settle();
    expect(changes).toEqual(['updated m1']);
    await reflector.stop();
  });

  test('backs off and reports why when the server is unavailable after an idle watch', async () => {
    const { server, world, reflector } = await running();
    const silent = () => new Response(new ReadableStream({}));
    server.intercept = (_, url) => (url.searchParams.get('watch') ? silent() : undefined);
    server.resetWatches();
    await world.clock.advance(2000);
    server.stop();
    await world.clock.advance(180_000);
    expect(reflector.lastError).toMatchObject({ kind: 'unreachable' });
    await world.clock.advance(60_000);
    server.put(`${PATH}/m1`, aMap('m1', 'meanwhile'));
    server.start();
    await world.clock.advance(60_000);
    expect(reflector.lastError).toBeUndefined();
    const warned = world.lines.filter(({ level }) => level === 'warn').map(({ message }) => message);
    expect([...new Set(warned)]).toEqual(['failed to list or watch']);
    await reflector.stop();
  });

  test('reports a watch that delivers nothing while objects change', async () => {
    const { server, world, reflector, changes } = await running();
    const silent = () => new Response(new ReadableStream({}));
    server.intercept = (_, url) => (url.searchParams.get('watch') ? silent() : undefined);
    server.resetWatches();
    await world.clock.advance(2000);
    for (let round = 0; round < 5; round++) {
      server.put(`${PATH}/m1`, aMap('m1', `round ${round}`));
      await world.clock.advance(90_000);
    }
    expect(changes).toHaveLength(5);
    const warned = world.lines.filter(({ level }) => level === 'warn');
    expect(warned[0]).toMatchObject({ message: 'watch missed events' });
    await reflector.stop();
  });

  test('is kept alive by bookmarks', async () => {
    const { server, world, reflector } = await running({ idleTimeoutMs: 60_000 });
    const before = server.requests.length;
    for (let minute = 0; minute < 5; minute++) {
      await world.clock.advance(50_000);
      server.bookmark();
    }
    expect(server.requests.length).toBe(before);
    await reflector.stop();
  });

  test('reconnects at once after the server ended a healthy watch', async () => {
    const { server, world, reflector, changes } = await running();
    await world.clock.advance(5000);
    server.endWatches();
    await settle();
    server.put(`${PATH}/m1`, aMap('m1', 'x'));
    await settle();
    expect(changes).toEqual(['updated m1']);
    await reflector.stop();
  });

  test('backs off exponentially while the server is unavailable, and respects Retry-After', async () => {
    const { server, world, reflector } = await running();
    server.stop();
    await world.clock.advance(120_000);
    const tries = server.requests.length;
    expect(tries).toBeLessThan(20);
    expect(reflector.lastError).toMatchObject({ kind: 'unreachable' });
    server.start();
    server.intercept = () => failure(429, 'TooManyRequests', 'busy', { retryAfterSeconds: 100 });
    await world.clock.advance(60_000);
    const asked = server.requests.length;
    await world.clock.advance(35_000);
    expect(server.requests.length).toBe(asked);
    server.intercept = undefined;
    await world.clock.advance(150_000);
    server.put(`${PATH}/m1`, aMap('m1', 'x'));
    await settle();
    expect(reflector.lastError).toBeUndefined();
    await reflector.stop();
  });

  test('backs off from a server that ends watches at once', async () => {
    const { server, world, reflector } = await running();
    server.intercept = (_, url) => (url.searchParams.get('watch') ? new Response('') : undefined);
    server.endWatches();
    await world.clock.advance(30_000);
    expect(server.requests.length).toBeLessThan(15);
    await reflector.stop();
  });

  test('reports that it is forbidden to watch, and starts when it is allowed', async () => {
    const { server, world, store, reflector } = await running({
      before: (server) => {
        server.intercept = () => failure(403, 'Forbidden', 'configmaps is forbidden');
      },
    });
    await world.clock.advance(10_000);
    expect(world.lines.find(({ level }) => level === 'warn')?.fields['error']).toContain('forbidden');
    expect(store.synced).toBe(false);
    server.intercept = undefined;
    await world.clock.advance(60_000);
    expect(store.size).toBe(5);
    await reflector.stop();
  });

  test('skips unknown events and survives a malformed stream', async () => {
    const { server, world, reflector, changes } = await running();
    const lines = ['{"type":"STRANGE","object":{"metadata":{}}}\n', 'nonsense\n'];
    server.intercept = (_, url) =>
      url.searchParams.get('watch') ? new Response(lines.shift() ?? '') : undefined;
    server.resetWatches();
    await world.clock.advance(3000);
    server.intercept = undefined;
    server.put(`${PATH}/m1`, aMap('m1', 'x'));
    await world.clock.advance(60_000);
    expect(changes).toEqual(['updated m1']);
    await reflector.stop();
  });

  test('lists again when watches end at the same error event', async () => {
    const { server, world, reflector, changes } = await running();
    const error = {
      type: 'ERROR',
      object: { kind: 'Status', code: 500, reason: 'InternalError', message: 'x' },
    };
    server.intercept = (_, url) =>
      url.searchParams.get('watch') ? new Response(`${JSON.stringify(error)}\n`) : undefined;
    server.resetWatches();
    server.put(`${PATH}/m1`, aMap('m1', 'x'));
    await world.clock.advance(120_000);
    expect(changes).toEqual(['updated m1']);
    await reflector.stop();
  });

  test('stops at once, even right after the first list', async () => {
    const { server, world, reflector } = await started();
    await reflector.synced;
    await reflector.stop();
    expect(server.watchers).toBe(0);
    expect(world.clock.pendingTimers).toBe(0);
  });

  test('lists again after an idle watch, because a restored server may send nothing for a long time', async () => {
    const { server, world, store, reflector } = await running({ idleTimeoutMs: 60_000 });
    const silent = () => new Response(new ReadableStream({}));
    server.intercept = (_, url) => (url.searchParams.get('watch') ? silent() : undefined);
    server.resetWatches();
    await settle();
    server.version = 50;
    server.compact();
    server.remove(`${PATH}/m0`);
    await world.clock.advance(70_000);
    expect(store.get({ namespace: 'a', name: 'm0' })).toBeUndefined();
    await reflector.stop();
  });

  test('reports that it is out of sync when the server stays unavailable', async () => {
    const { server, world, reflector } = await running();
    server.stop();
    await world.clock.advance(1000);
    expect(world.lines.filter(({ level }) => level === 'warn')).toEqual([]);
    await world.clock.advance(120_000);
    const warned = world.lines.filter(({ level }) => level === 'warn');
    expect(warned[0]?.fields).toMatchObject({ resource: 'configmaps' });
    await reflector.stop();
  });

  test('is healthy again as soon as the server answers', async () => {
    const { server, world, reflector } = await running();
    server.resetWatches();
    await settle();
    expect(reflector.lastError).toBeDefined();
    await world.clock.advance(2000);
    expect(server.watchers).toBe(1);
    expect(reflector.lastError).toBeUndefined();
    await reflector.stop();
  });

  test('rejects a list without a resourceVersion', async () => {
    const { store, reflector } = await running({
      before: (server) => {
        server.intercept = () => Response.json({ kind: 'ConfigMapList', metadata: {}, items: [] });
      },
    });
    expect(store.synced).toBe(false);
    expect(reflector.lastError).toMatchObject({ kind: 'malformed' });
    await reflector.stop();
  });
});
