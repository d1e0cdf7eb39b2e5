import { beforeEach, describe, expect, test } from 'vitest';
import { CONFIG_MAPS, type SmallServer, smallServer, watchLines } from './small-server.fixture.ts';
import { Warnings } from './warnings.ts';

let api: SmallServer;
beforeEach(async () => {
  api = await smallServer();
});

const token = (content: unknown) => Buffer.from(JSON.stringify(content)).toString('base64url');

describe('a forged continue token', () => {
  const NO_TOKEN = 'json: cannot unmarshal';
  test.each([
    [null, 'server does not recognize this encoded version '],
    [[], `${NO_TOKEN} array into Go value of type storage.continueToken`],
    ['v', `${NO_TOKEN} string into Go value of type storage.continueToken`],
    [{ v: [] }, `${NO_TOKEN} array into Go struct field continueToken.v of type string`],
    [
      { v: 'meta.k8s.io/v1', rv: 1.5, start: 'a' },
      `${NO_TOKEN} number 1.5 into Go struct field continueToken.rv of type int64`,
    ],
    [
      { v: 'meta.k8s.io/v1', rv: '1', start: 'a' },
      `${NO_TOKEN} string into Go struct field continueToken.rv of type int64`,
    ],
    [
      { v: 'meta.k8s.io/v1', rv: 0, start: 'a' },
      'incorrect encoded start resourceVersion (version meta.k8s.io/v1)',
    ],
    [{ v: 'meta.k8s.io/v1', rv: 1 }, 'encoded start key empty (version meta.k8s.io/v1)'],
  ])('is rejected: %j', async (content, why) => {
    const { code, body } = await api.ask(`GET ${CONFIG_MAPS}?continue=${token(content)}`);
    expect(code).toBe(400);
    expect(body.message).toBe(`invalid continue token: continue key is not valid: ${why}`);
  });
});

describe('a path', () => {
  test('is split after its escapes are decoded, so an escaped slash separates segments', async () => {
    expect((await api.ask('GET /api/v1/namespaces/a%2fb/pods')).code).toBe(404);
    expect((await api.ask('GET /api/v1/%6eodes')).code).toBe(200);
    expect((await api.ask('GET /api/v1/nodes/x%2fstatus')).body.message).toBe('nodes "x" not found');
  });

  test('with invalid escapes is rejected, and with bytes that are not UTF-8 is not found', async () => {
    expect((await api.ask('GET /api/v1/nodes/a%')).code).toBe(400);
    expect((await api.ask('GET /api/v1/nodes/%zz')).code).toBe(400);
    expect((await api.ask('GET /api/v1/nodes/%ff')).code).toBe(404);
  });

  test('with empty segments is not found', async () => {
    for (const path of ['/api/v1//nodes', '//api/v1/nodes', '/api//v1/nodes', '/api/v1/nodes//x']) {
      expect((await api.ask(`GET ${path}`)).code, path).toBe(404);
    }
  });
});

describe('warnings', () => {
  test('are sent once, and truncated when they exceed the limit', () => {
    const warnings = new Warnings();
    warnings.add('a');
    warnings.add('a');
    expect(warnings.texts).toEqual(['a']);
    for (let index = 0; index < 100; index++) warnings.add(`${index} ${'x'.repeat(500)}`);
    expect(warnings.texts.every((text) => text.length <= 256)).toBe(true);
    expect(warnings.texts.join('').length).toBeLessThan(4096 + 256);
    expect(warnings.texts.slice(0, 2)).toEqual(['a', `0 ${'x'.repeat(254)}`]);
  });
});

describe('a media type', () => {
  test('may be written in capitals', async () => {
    const headers = { 'content-type': 'APPLICATION/JSON' };
    const made = await api.ask(`POST ${CONFIG_MAPS}`, { metadata: { name: 'a' } }, headers);
    expect(made.code).toBe(201);
  });
});

describe('leftovers', () => {
  test('a watch of custom resources ends when their definition is deleted', async () => {
    await api.ask('POST /apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      metadata: { name: 'things.b.io' },
      spec: {
        group: 'b.io',
        scope: 'Namespaced',
        names: { plural: 'things', kind: 'Thing' },
        versions: [
          { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } },
        ],
      },
    });
    const things = '/apis/b.io/v1/namespaces/default/things';
    const response = await api.server.adminFetch(`https://local${things}?watch=1`);
    await api.ask(`POST ${things}`, { apiVersion: 'b.io/v1', kind: 'Thing', metadata: { name: 'a' } });
    await api.ask('DELETE /apis/apiextensions.k8s.io/v1/customresourcedefinitions/things.b.io');
    const types: string[] = [];
    for await (const { type } of watchLines(response)) types.push(type);
    expect(types).toEqual(['ADDED', 'DELETED']);
  });

  test('owners in a cycle that wait for each other are deleted', async () => {
    const owner = (name: string, uid: string | undefined) => [
      { apiVersion: 'v1', kind: 'ConfigMap', name, uid, blockOwnerDeletion: true },
    ];
    const { body: a } = await api.ask(`POST ${CONFIG_MAPS}`, { metadata: { name: 'a' } });
    const ownerReferences = owner('a', a.metadata.uid);
    const { body: b } = await api.ask(`POST ${CONFIG_MAPS}`, { metadata: { name: 'b', ownerReferences } });
    await api.ask(`PATCH ${CONFIG_MAPS}/a`, { metadata: { ownerReferences: owner('b', b.metadata.uid) } });
    const { body: self } = await api.ask(`POST ${CONFIG_MAPS}`, { metadata: { name: 'self' } });
    const itself = { metadata: { ownerReferences: owner('self', self.metadata.uid) } };
    await api.ask(`PATCH ${CONFIG_MAPS}/self`, itself);
    for (const name of ['a', 'self']) {
      await api.ask(`DELETE ${CONFIG_MAPS}/${name}`, { propagationPolicy: 'Foreground' });
    }
    await api.world.clock.advance(1000);
    for (const name of ['a', 'b', 'self']) {
      expect((await api.ask(`GET ${CONFIG_MAPS}/${name}`)).code, name).toBe(404);
    }
  });
});
