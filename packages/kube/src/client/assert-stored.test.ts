import { beforeEach, describe, expect, test } from 'vitest';
import { Reflector } from '../cache/reflector.ts';
import { Store } from '../cache/store.ts';
import type { KubeObject } from '../object.ts';
import { collect } from '../testing/collect.ts';
import { stored } from '../testing/stored.ts';
import { TinyServer } from '../testing/tiny-server.ts';
import { settle, virtualWorld } from '../testing/virtual-world.ts';
import { isApiError } from './api-error.ts';
import { KubeClient } from './client.ts';
import { CONFIG_MAPS, NODES } from './resources.table.ts';
import { evict, getScale, updateScale } from './subresources.ts';
import { fetchTransport } from './transport.ts';

let server: TinyServer;
let client: KubeClient;

beforeEach(() => {
  server = new TinyServer();
  client = new KubeClient({ transport: fetchTransport(server.fetch) });
});

const complete = stored({ metadata: { name: 'n', namespace: 'a' } });

/** The object, but for one field of its metadata. */
function without(field: string): KubeObject {
  const metadata = Object.entries(complete.metadata).filter(([name]) => name !== field);
  return { ...complete, metadata: Object.fromEntries(metadata) };
}

describe('an answer of the server', () => {
  test.each(['name', 'namespace', 'uid', 'resourceVersion'])('without a %s is invalid', async (field) => {
    const key = { namespace: 'a', name: 'n' };
    const patch = { type: 'merge', patch: {} } as const;
    server.intercept = () => Response.json(without(field));
    for (const answer of [
      client.get(CONFIG_MAPS, key),
      client.find(CONFIG_MAPS, key),
      client.create(CONFIG_MAPS, complete),
      client.update(CONFIG_MAPS, complete),
      client.patch(CONFIG_MAPS, key, patch),
      client.patchStatus(CONFIG_MAPS, key, patch),
      client.delete(CONFIG_MAPS, key),
    ]) {
      await expect(answer).rejects.toMatchObject({
        kind: 'malformed',
        message: expect.stringContaining(field),
      });
    }
    server.intercept = () => Response.json({ metadata: {}, items: [complete, without(field)] });
    await expect(client.listAll(CONFIG_MAPS)).rejects.toMatchObject({ kind: 'malformed' });
    await expect(client.deleteCollection(CONFIG_MAPS, {})).rejects.toMatchObject({ kind: 'malformed' });
  });

  test.each([
    ['null', null],
    ['an empty object', {}],
    ['a text', 'ok'],
    ['a list of something', [complete]],
    ['an object of another kind', { ...complete, kind: 'Secret' }],
    ['a Status', { kind: 'Status', status: 'Success' }],
  ])('that is %s instead of the object is malformed, not an error of the program', async (_, body) => {
    const key = { namespace: 'a', name: 'n' };
    const patch = { type: 'merge', patch: {} } as const;
    server.intercept = () => Response.json(body);
    for (const answer of [
      client.get(CONFIG_MAPS, key),
      client.find(CONFIG_MAPS, key),
      client.create(CONFIG_MAPS, complete),
      client.update(CONFIG_MAPS, complete),
      client.updateStatus(CONFIG_MAPS, complete),
      client.patch(CONFIG_MAPS, key, patch),
      client.patchStatus(CONFIG_MAPS, key, patch),
      client.list(CONFIG_MAPS),
      client.listAll(CONFIG_MAPS),
    ])
      await expect(answer).rejects.toMatchObject({ name: 'ApiStatusError', kind: 'malformed' });
    const deleted = [client.delete(CONFIG_MAPS, key), client.deleteCollection(CONFIG_MAPS, {})];
    for (const answer of deleted) {
      if ((body as { kind?: string } | null)?.kind === 'Status') await answer;
      else await expect(answer).rejects.toMatchObject({ kind: 'malformed' });
    }
  });

  test.each([
    ['without metadata', { items: [] }],
    ['with metadata null', { metadata: null, items: [] }],
    ['with items that are no list', { metadata: {}, items: {} }],
    ['with an item null', { metadata: {}, items: [null] }],
    ['with an item of another kind', { metadata: {}, items: [{ ...complete, kind: 'Secret' }] }],
    ['shown as a table', { kind: 'Table', metadata: {}, items: [] }],
  ])('that is a list %s is malformed', async (_, body) => {
    server.intercept = () => Response.json(body);
    await expect(client.listAll(CONFIG_MAPS)).rejects.toMatchObject({ kind: 'malformed' });
    await expect(client.deleteCollection(CONFIG_MAPS, {})).rejects.toMatchObject({ kind: 'malformed' });
  });

  test('that is a list with items null is an empty list, as of servers written in Go', async () => {
    server.intercept = () => Response.json({ kind: 'ConfigMapList', metadata: {}, items: null });
    expect((await client.listAll(CONFIG_MAPS)).items).toEqual([]);
    expect((await client.list(CONFIG_MAPS)).items).toEqual([]);
  });

  test('that is a page with the continue token of the page before is malformed: the list would never end', async () => {
    server.intercept = () => Response.json({ metadata: { continue: 'x' }, items: [] });
    await expect(client.listAll(CONFIG_MAPS)).rejects.toMatchObject({ kind: 'malformed' });
  });

  test('about a subresource may be of another kind', async () => {
    const scale = { ...complete, kind: 'Scale', spec: { replicas: 2 } };
    server.intercept = () => Response.json(scale);
    expect(await getScale(client, CONFIG_MAPS, { namespace: 'a', name: 'n' })).toEqual(scale);
    expect(await updateScale(client, CONFIG_MAPS, scale)).toEqual(scale);
    server.intercept = () => Response.json(null);
    await expect(evict(client, { namespace: 'a', name: 'n' })).rejects.toMatchObject({ kind: 'malformed' });
  });

  test('names the request and the object that it is about', async () => {
    server.intercept = () => Response.json(without('uid'));
    await expect(client.get(NODES, { name: 'n' })).rejects.toThrow(
      'GET /api/v1/nodes/n: the server answered with a Node n without metadata.uid',
    );
  });

  test('needs no namespace where the kind has none, and no resourceVersion in a dry run', async () => {
    server.intercept = () => Response.json(without('namespace'));
    await expect(client.get(NODES, { name: 'n' })).resolves.toEqual(without('namespace'));
    server.intercept = () => Response.json(without('resourceVersion'));
    await expect(client.create(CONFIG_MAPS, complete, { dryRun: 'All' })).resolves.toBeDefined();
  });

  test('is not reported to write listeners when it is invalid', async () => {
    const written: unknown[] = [];
    const own = new KubeClient({
      transport: fetchTransport(server.fetch),
      onWrite: (write) => written.push(write),
    });
    server.intercept = () => Response.json(without('uid'));
    await expect(own.create(CONFIG_MAPS, complete)).rejects.toThrow('uid');
    expect(written).toEqual([]);
  });
});

describe('a watch', () => {
  const lines = (...events: object[]) =>
    new Response(events.map((event) => JSON.stringify(event)).join('\n'));

  test.each(['ADDED', 'MODIFIED', 'DELETED'])(
    'ends at an event %s with an incomplete object',
    async (type) => {
      server.intercept = () => lines({ type: 'ADDED', object: complete }, { type, object: without('uid') });
      const { batches } = await client.watch(CONFIG_MAPS);
      const error: unknown = await collect(batches()).catch((thrown: unknown) => thrown);
      expect(isApiError(error, 'malformed')).toBe(true);
    },
  );

  test.each([
    ['a bookmark without metadata', { type: 'BOOKMARK', object: {} }],
    ['an unknown event without metadata', { type: 'RENAMED', object: {} }],
    ['an object of another kind', { type: 'ADDED', object: { ...complete, kind: 'Secret' } }],
  ])('ends at %s', async (_, event) => {
    server.intercept = () => lines(event);
    const { batches } = await client.watch(CONFIG_MAPS);
    const error: unknown = await collect(batches()).catch((thrown: unknown) => thrown);
    expect(isApiError(error, 'malformed')).toBe(true);
  });

  test('accepts bookmarks and errors, which carry no object', async () => {
    const bookmark = { type: 'BOOKMARK', object: { metadata: { resourceVersion: '7' } } };
    const error = { type: 'ERROR', object: { kind: 'Status', metadata: {} } };
    server.intercept = () => lines(bookmark, error);
    const { batches } = await client.watch(CONFIG_MAPS);
    expect((await collect(batches())).flat()).toEqual([bookmark, error]);
  });
});

describe('a reflector', () => {
  test('ignores an invalid list and lists again', async () => {
    const world = virtualWorld();
    const store = new Store({ resource: NODES });
    server.put('/api/v1/nodes/n', { metadata: { name: 'n' } });
    server.intercept = () => Response.json({ metadata: { resourceVersion: '5' }, items: [without('uid')] });
    const reflector = new Reflector({ client, store, world }).start();
    await settle();
    expect(store.synced).toBe(false);
    expect(isApiError(reflector.lastError, 'malformed')).toBe(true);
    server.intercept = undefined;
    await world.clock.advance(60_000);
    await settle();
    expect([...store.values()].map(({ metadata }) => metadata.name)).toEqual(['n']);
    await reflector.stop();
  });
});
