import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { virtualWorld } from '@chandler/kube/testing';
import { describe, expect, test } from 'vitest';
import { ApiServer, startApiServer } from './server.ts';

const folder = () => mkdtemp(join(tmpdir(), 'apiserver-'));

const get = async (server: ApiServer, path: string) => {
  const response = await server.adminFetch(`https://local${path}`);
  return { code: response.status, body: JSON.parse(await response.text()) };
};

const CRD = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.shop.io' },
  spec: {
    group: 'shop.io',
    scope: 'Cluster',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

describe('the API server', () => {
  test('starts with the objects of a new cluster, and with the initial objects', async () => {
    const widget = { apiVersion: 'shop.io/v1', kind: 'Widget', metadata: { name: 'first' }, size: 3 };
    const server = await startApiServer({ world: virtualWorld(), initialObjects: [CRD, widget] });
    expect((await get(server, '/apis/shop.io/v1/widgets/first')).body).toMatchObject({ size: 3 });
    expect((await get(server, '/apis/rbac.authorization.k8s.io/v1/clusterroles/cluster-admin')).code).toBe(
      200,
    );
    expect(
      (await get(server, '/apis/scheduling.k8s.io/v1/priorityclasses/system-cluster-critical')).body.value,
    ).toBe(2_000_000_000);
    expect(server.url).toBeUndefined();
    expect(() => server.kubeconfig).toThrow('before it listens');
    await server.close();
  });

  test('is reproducible from a seed', async () => {
    const texts = [];
    for (let run = 0; run < 2; run++) {
      const server = await startApiServer({ world: virtualWorld({ seed: 7 }) });
      await server.adminFetch('https://x/api/v1/namespaces/default/configmaps', {
        method: 'POST',
        body: '{"metadata":{"generateName":"draw-"}}',
      });
      texts.push(JSON.stringify((await get(server, '/api/v1/namespaces/default/configmaps')).body));
      await server.close();
    }
    expect(texts[0]).toBe(texts[1]);
  });

  test('restores its snapshot: objects, custom resources, permissions and revision', async () => {
    const snapshotFile = join(await folder(), 'state');
    const first = await startApiServer({ world: virtualWorld(), snapshotFile, initialObjects: [CRD] });
    const admin = first.adminFetch;
    await admin('https://x/apis/shop.io/v1/widgets', {
      method: 'POST',
      body: '{"apiVersion":"shop.io/v1","kind":"Widget","metadata":{"name":"kept"}}',
    });
    const before = await get(first, '/apis/shop.io/v1/widgets');
    await first.close();
    const second = await startApiServer({ world: virtualWorld(), snapshotFile });
    expect((await get(second, '/apis/shop.io/v1/widgets')).body).toEqual(before.body);
    const watch = await second.adminFetch(
      `https://x/apis/shop.io/v1/widgets?watch=1&resourceVersion=${Number(before.body.metadata.resourceVersion) - 1}`,
    );
    expect(await watch.text()).toContain('"reason":"Expired"');
    await second.close();
  });

  test('does not start from a snapshot that it cannot read, and leaves it as it is', async () => {
    const snapshotFile = join(await folder(), 'state');
    await writeFile(snapshotFile, 'garbage');
    await expect(startApiServer({ world: virtualWorld(), snapshotFile })).rejects.toThrow(snapshotFile);
    expect(await readFile(snapshotFile, 'utf8')).toBe('garbage');
  });

  test('accepts the configured admin token', async () => {
    const server = await ApiServer.create({ world: virtualWorld(), adminToken: 'known' });
    const headers = { authorization: 'Bearer known' };
    expect((await server.fetch('https://x/api/v1/nodes', { headers })).status).toBe(200);
    await server.close();
  });

  test.each([true, false])('records who wrote which field: %s', async (managedFields) => {
    const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n', labels: { c: 'd' } } };
    const server = await startApiServer({ world: virtualWorld(), managedFields });
    const send = (method: string, path: string, type: string, body: object) =>
      server.adminFetch(`https://local/api/v1/nodes${path}`, {
        method,
        headers: { 'content-type': `application/${type}` },
        body: JSON.stringify(body),
      });
    await send('POST', '', 'json', node);
    await send('PATCH', '/n', 'merge-patch+json', { metadata: { labels: { a: 'b' } } });
    const { body } = await get(server, '/api/v1/nodes/n');
    expect(body.metadata.labels).toEqual({ a: 'b', c: 'd' });
    expect(body.metadata.managedFields !== undefined).toBe(managedFields);
    await server.close();
  });
});
