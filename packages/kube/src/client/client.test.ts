import { beforeEach, describe, expect, test } from 'vitest';
import type { ConfigMap } from '../kinds/index.ts';
import type { NamedObject, Stored } from '../object.ts';
import { collect } from '../testing/collect.ts';
import { failure, TinyServer } from '../testing/tiny-server.ts';
import { WIDGETS } from '../testing/widgets.ts';
import { isApiError } from './api-error.ts';
import { KubeClient } from './client.ts';
import { keyOf, keyString, objectPath, parseKey, resourceName } from './resource.ts';
import { CONFIG_MAPS, DEPLOYMENTS, NODES, PODS } from './resources.table.ts';
import { bind, evict, getScale, requestToken, type Scale, updateScale } from './subresources.ts';
import { fetchTransport, TransportError } from './transport.ts';
import type { Written } from './written.ts';

let server: TinyServer;
let written: Written[];
let client: KubeClient;

beforeEach(() => {
  server = new TinyServer();
  written = [];
  client = new KubeClient({
    transport: fetchTransport(server.fetch),
    onWrite: (write) => written.push(write),
  });
});

const configMap = (name: string, data: Record<string, string> = {}): ConfigMap & NamedObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'a' },
  data,
});

describe('reading and writing objects', () => {
  test('creates, reads, replaces, patches and deletes, and keeps fields it does not know', async () => {
    const created = await client.create(CONFIG_MAPS, { ...configMap('x'), fromTheFuture: { deep: [1] } });
    expect(created['fromTheFuture']).toEqual({ deep: [1] });
    const replaced = await client.update(CONFIG_MAPS, { ...created, data: { a: '1' } });
    expect(replaced.metadata.resourceVersion).not.toBe(created.metadata.resourceVersion);
    const key = { namespace: 'a', name: 'x' };
    const patched = await client.patch(CONFIG_MAPS, key, { type: 'merge', patch: { data: { b: '2' } } });
    expect(patched.data).toEqual({ a: '1', b: '2' });
    expect(await client.get(CONFIG_MAPS, key)).toEqual(patched);
    await client.delete(CONFIG_MAPS, key, { preconditions: { uid: created.metadata.uid } });
    expect(await client.find(CONFIG_MAPS, key)).toBeUndefined();
    expect(written.map(({ verb }) => verb)).toEqual(['create', 'update', 'patch', 'delete']);
  });

  test('says which media type a patch is, and passes options on under their wire names', async () => {
    const types: (string | null)[] = [];
    server.put('/api/v1/nodes/n', { metadata: { name: 'n' } });
    server.intercept = (request) => {
      types.push(request.headers.get('content-type'));
      return failure(400, 'BadRequest', 'enough');
    };
    for (const type of ['json', 'merge', 'strategic', 'apply'] as const) {
      const patch = type === 'json' ? { type, patch: [] } : { type, patch: {} };
      await client
        .patch(NODES, { name: 'n' }, patch, { fieldManager: 'me', force: true })
        .catch(() => undefined);
    }
    expect(types).toEqual([
      'application/json-patch+json',
      'application/merge-patch+json',
      'application/strategic-merge-patch+json',
      'application/apply-patch+yaml',
    ]);
    expect(server.requests.at(-1)).toBe('PATCH /api/v1/nodes/n?fieldManager=me&force=true');
  });

  test('writes subresources to their own path', async () => {
    const node = server.put('/api/v1/nodes/n', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } });
    await client.updateStatus(NODES, node).catch(() => undefined);
    await client.patchStatus(NODES, { name: 'n' }, { type: 'merge', patch: {} }).catch(() => undefined);
    await client.create(NODES, node, { subresource: 'proxy' }).catch(() => undefined);
    expect(server.requests).toEqual([
      'PUT /api/v1/nodes/n/status',
      'PATCH /api/v1/nodes/n/status',
      'POST /api/v1/nodes/n/proxy',
    ]);
  });

  test('evicts, binds, scales and requests tokens', async () => {
    const bodies: Record<string, unknown> = {};
    server.intercept = async (request, url) => {
      if (request.method !== 'GET') bodies[url.pathname] = JSON.parse(await request.text());
      return Response.json({
        kind: 'Scale',
        metadata: { name: 'd', namespace: 'a', uid: 'u', resourceVersion: '1' },
        spec: { replicas: 1 },
      });
    };
    const pod = { namespace: 'a', name: 'p' };
    await evict(client, pod, { preconditions: { uid: 'u' }, gracePeriodSeconds: 5 });
    await bind(client, { ...pod, uid: 'u' }, 'node-1');
    const scale: Stored<Scale> = await getScale(client, DEPLOYMENTS, { namespace: 'a', name: 'd' });
    await updateScale(client, DEPLOYMENTS, { ...scale, spec: { replicas: 3 } });
    await requestToken(client, { namespace: 'a', name: 'sa' }, { audiences: ['x'], expirationSeconds: 600 });
    expect(bodies['/api/v1/namespaces/a/pods/p/eviction']).toMatchObject({
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      deleteOptions: { preconditions: { uid: 'u' }, gracePeriodSeconds: 5 },
    });
    expect(bodies['/api/v1/namespaces/a/pods/p/binding']).toMatchObject({
      target: { kind: 'Node', name: 'node-1' },
    });
    expect(bodies['/apis/apps/v1/namespaces/a/deployments/d/scale']).toMatchObject({ spec: { replicas: 3 } });
    expect(bodies['/api/v1/namespaces/a/serviceaccounts/sa/token']).toMatchObject({
      spec: { audiences: ['x'] },
    });
    // A Scale is not a Deployment: it must not reach a store of Deployments.
    expect(written).toEqual([]);
  });

  test('does not report a dry run as a write', async () => {
    await client.create(CONFIG_MAPS, configMap('x'), { dryRun: 'All' });
    await client.delete(
      CONFIG_MAPS,
      { namespace: 'a', name: 'x' },
      { dryRun: 'All', propagationPolicy: 'Orphan' },
    );
    expect(written).toEqual([]);
  });

  test('reads plain paths', async () => {
    server.intercept = () => new Response('ok');
    expect(await client.raw('/readyz')).toBe('ok');
  });
});

describe('lists', () => {
  beforeEach(() => {
    for (let index = 0; index < 7; index++)
      server.put(`/api/v1/namespaces/a/configmaps/c${index}`, configMap(`c${index}`));
  });

  test('come page by page or whole', async () => {
    const pages = await collect(client.pages(CONFIG_MAPS, { namespace: 'a', limit: 3 }));
    expect(pages.map(({ items }) => items.length)).toEqual([3, 3, 1]);
    const all = await client.listAll(CONFIG_MAPS, { limit: 2 });
    expect(all.items).toHaveLength(7);
    expect(all.metadata).toEqual({ resourceVersion: '107' });
  });

  test('carry selectors, and not the version again once there is a continue token', async () => {
    const options = {
      limit: 5,
      resourceVersion: '107',
      resourceVersionMatch: 'NotOlderThan',
      labelSelector: 'a=b',
    } as const;
    await collect(client.pages(CONFIG_MAPS, options));
    expect(server.requests[0]).toContain(
      'resourceVersion=107&resourceVersionMatch=NotOlderThan&labelSelector=a%3Db',
    );
    expect(server.requests[1]).toContain('continue=');
    expect(server.requests[1]).not.toContain('resourceVersion');
  });

  test('delete many with selectors', async () => {
    server.intercept = () => Response.json({ kind: 'Status', status: 'Success' });
    await client.deleteCollection(CONFIG_MAPS, { namespace: 'a', labelSelector: 'x=y' });
    expect(server.requests[0]).toBe('DELETE /api/v1/namespaces/a/configmaps?labelSelector=x%3Dy');
    expect(written).toEqual([]);
  });
});

describe('errors', () => {
  test.each([
    [404, 'NotFound', 'notFound'],
    [409, 'Conflict', 'conflict'],
    [409, 'AlreadyExists', 'alreadyExists'],
    [401, 'Unauthorized', 'unauthorized'],
    [403, 'Forbidden', 'forbidden'],
    [422, 'Invalid', 'invalid'],
    [410, 'Expired', 'expired'],
    [410, 'Gone', 'expired'],
    [429, 'TooManyRequests', 'tooManyRequests'],
    [504, 'Timeout', 'timeout'],
    [500, 'InternalError', 'internal'],
    [503, 'ServiceUnavailable', 'unavailable'],
    [418, 'NeverHeardOf', 'badRequest'],
    [599, 'NeverHeardOf', 'internal'],
  ])('%i %s is %s, with the server’s own message', async (code, reason, kind) => {
    server.intercept = () => failure(code, reason, 'the message', { retryAfterSeconds: 3 });
    const error = await client.get(NODES, { name: 'n' }).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ kind, code, message: 'the message', retryAfterMs: 3000 });
  });

  test('of a proxy that is not an API server keep the code and an excerpt', async () => {
    server.intercept = () => new Response('<h1>bad gateway</h1>', { status: 502 });
    await expect(client.get(NODES, { name: 'n' })).rejects.toMatchObject({ kind: 'internal', code: 502 });
    server.intercept = () => new Response('', { status: 404 });
    await expect(client.get(NODES, { name: 'n' })).rejects.toMatchObject({ kind: 'notFound' });
    await expect(client.find(NODES, { name: 'n' })).rejects.toMatchObject({ kind: 'notFound' });
  });

  test('of an answer that is not JSON are malformed', async () => {
    server.intercept = () => new Response('{"half":');
    await expect(client.get(NODES, { name: 'n' })).rejects.toMatchObject({ kind: 'malformed' });
  });

  test('without an answer are unreachable, and find throws them', async () => {
    server.stop();
    const error = await client.find(NODES, { name: 'n' }).catch((caught: unknown) => caught);
    expect(isApiError(error, 'unreachable')).toBe(true);
    expect(isApiError(error)).toBe(true);
    expect(isApiError(error, 'notFound')).toBe(false);
  });

  test.each([
    ['by the router', () => new Response('404 page not found\n', { status: 404 })],
    [
      'by the group',
      () =>
        failure(404, 'NotFound', 'the server could not find the requested resource', {
          retryAfterSeconds: 0,
        }),
    ],
  ])('say that a kind is not served (%s), which is not the absence of an object', async (_, answer) => {
    server.intercept = answer;
    await expect(client.find(WIDGETS, { name: 'n' })).rejects.toMatchObject({ kind: 'notFound' });
    server.intercept = undefined;
    expect(await client.find(WIDGETS, { name: 'n' })).toBeUndefined();
  });

  test('of an action say that something else answered, not that the object is gone', async () => {
    server.intercept = () => new Response('default backend - 404', { status: 404 });
    const evict = () => client.post(NODES, { name: 'n' }, 'eviction', { kind: 'Eviction' });
    await expect(evict()).rejects.toMatchObject({ kind: 'unavailable' });
    const details = { name: 'n', kind: 'nodes' };
    server.intercept = () => failure(404, 'NotFound', 'nodes "n" not found', details);
    await expect(evict()).rejects.toMatchObject({ kind: 'notFound' });
  });

  test('of an abort by the caller carry its reason', async () => {
    const signal = AbortSignal.abort(new Error('mine'));
    await expect(client.get(NODES, { name: 'n' }, { signal })).rejects.toThrow('mine');
  });

  test('of a fence have the kind fenced', async () => {
    const fenced = new KubeClient({
      transport: () => Promise.reject(new TransportError('fenced', 'no lease')),
    });
    await expect(fenced.get(NODES, { name: 'n' })).rejects.toMatchObject({ kind: 'fenced' });
  });
});

describe('writes of a leader', () => {
  test('are rejected without preconditions', async () => {
    const leader = new KubeClient({ transport: fetchTransport(server.fetch), conditionalWritesOnly: true });
    const key = { namespace: 'a', name: 'x' };
    const merge = (patch: object) => leader.patch(CONFIG_MAPS, key, { type: 'merge', patch });
    const versionless = { ...configMap(''), metadata: { generateName: 'x-', namespace: 'a' } };
    await expect(leader.create(CONFIG_MAPS, versionless)).rejects.toThrow('generateName');
    await expect(leader.update(CONFIG_MAPS, configMap('x'))).rejects.toThrow('resourceVersion');
    await expect(leader.delete(CONFIG_MAPS, key)).rejects.toThrow('preconditions.uid');
    await expect(merge({ data: {} })).rejects.toThrow('merge-patch');
    await expect(leader.patch(CONFIG_MAPS, key, { type: 'json', patch: [] })).rejects.toThrow('JSON patch');
    expect(server.requests).toEqual([]);
    const created = await leader.create(CONFIG_MAPS, configMap('x'));
    const { resourceVersion, uid } = created.metadata;
    const test = { op: 'test', path: '/metadata/resourceVersion', value: '1' } as const;
    await merge({ metadata: { resourceVersion } });
    await expect(merge({ metadata: { resourceVersion } })).rejects.toMatchObject({ kind: 'conflict' });
    await leader.patch(CONFIG_MAPS, key, { type: 'json', patch: [test] });
    await leader.delete(CONFIG_MAPS, key, { preconditions: { uid } });
  });

  test('are rejected also for calls: a late eviction or binding may reach another pod', async () => {
    const leader = new KubeClient({ transport: fetchTransport(server.fetch), conditionalWritesOnly: true });
    const pod = { namespace: 'a', name: 'web-0' };
    await expect(evict(leader, pod)).rejects.toThrow('preconditions.uid');
    await expect(bind(leader, pod, 'n')).rejects.toThrow('metadata.uid');
    await expect(leader.deleteCollection(PODS, { namespace: 'a' })).rejects.toThrow('one by one');
    expect(server.requests).toEqual([]);
    server.intercept = () => Response.json({ kind: 'Status', status: 'Success' });
    await evict(leader, pod, { preconditions: { uid: 'u' } });
    await bind(leader, { ...pod, uid: 'u' }, 'n');
    await requestToken(leader, { namespace: 'a', name: 'sa' }, { audiences: ['x'] });
    expect(server.requests).toHaveLength(3);
  });
});

describe('addresses', () => {
  test('are built per kind, and reject kinds without one', () => {
    expect(objectPath(PODS, { namespace: 'a b', name: 'c' }, 'log')).toBe(
      '/api/v1/namespaces/a%20b/pods/c/log',
    );
    expect(objectPath(WIDGETS, { name: 'c' })).toBe('/apis/example.com/v1/widgets/c');
    expect(() => objectPath(PODS, { name: 'c' })).toThrow('no namespace');
    expect(() => objectPath(NODES, { name: '' })).toThrow('without a name');
    expect(resourceName(WIDGETS)).toBe('widgets.example.com');
  });

  test('are turned into keys and back', () => {
    expect(keyOf({ metadata: { name: 'n', namespace: 'a' } })).toBe('a/n');
    expect(keyString({ name: 'n' })).toBe('n');
    expect(parseKey('a/n')).toEqual({ namespace: 'a', name: 'n' });
    expect(parseKey('n')).toEqual({ name: 'n' });
  });
});
