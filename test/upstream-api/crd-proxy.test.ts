import { type ApiServer, startApiServer } from '@chandler/apiserver';
import { realTimeWorld } from '@chandler/kube/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CrdProxy, startCrdProxy } from './crd-proxy.ts';

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** A CRD with one field in its spec, so that two of one name can be told apart. */
const crd = (plural: string, field: string) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.example.com` },
  spec: {
    group: 'example.com',
    scope: 'Cluster',
    names: { plural, kind: plural.toUpperCase() },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', properties: { [field]: { type: 'string' } } } },
          },
        },
      },
    ],
  },
});

let server: ApiServer;
let proxy: CrdProxy;

beforeAll(async () => {
  server = await startApiServer({ world: realTimeWorld(), port: 0 });
  const { url, caPem, adminToken: token } = server;
  proxy = await startCrdProxy({ url: url!, caPem, token, crds: [crd('widgets', 'ours')] });
});

afterAll(async () => {
  await proxy.close();
  await server.close();
});

describe('the proxy of the CRDs', () => {
  test('stores our CRD in place of another of the same name, at creation and at update', async () => {
    const created = await send('POST', CRDS, crd('widgets', 'theirs'));
    expect([created.status, fieldsOf(created.body)]).toEqual([201, ['ours']]);
    const { body } = await send('GET', `${CRDS}/widgets.example.com`);
    const { resourceVersion } = (body as { metadata: { resourceVersion: string } }).metadata;
    const theirs = crd('widgets', 'theirs');
    const update = { ...theirs, metadata: { ...theirs.metadata, resourceVersion } };
    const updated = await send('PUT', `${CRDS}/widgets.example.com`, update);
    expect([updated.status, fieldsOf(updated.body)]).toEqual([200, ['ours']]);
    expect([...proxy.replaced]).toEqual(['widgets.example.com']);
  });

  test('passes other CRDs on unchanged', async () => {
    const created = await send('POST', CRDS, crd('gadgets', 'theirs'));
    expect([created.status, fieldsOf(created.body)]).toEqual([201, ['theirs']]);
  });

  test('passes the status of an error on', async () => {
    expect((await send('GET', `${CRDS}/nothing.example.com`)).status).toBe(404);
  });
});

// ---------------------------------------------------------------------------------------------------

async function send(method: string, path: string, body?: unknown) {
  const answer = await fetch(`${proxy.url}${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: await answer.json() };
}

function fieldsOf(body: unknown): string[] {
  const stored = body as ReturnType<typeof crd>;
  return Object.keys(stored.spec.versions[0]!.schema.openAPIV3Schema.properties.spec.properties);
}
