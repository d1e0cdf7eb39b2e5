import { beforeEach, describe, expect, test } from 'vitest';
import { aConfigMap, CONFIG_MAPS, type SmallServer, smallServer } from './small-server.fixture.ts';

let api: SmallServer;
beforeEach(async () => {
  api = await smallServer();
  await api.ask(`POST ${CONFIG_MAPS}`, aConfigMap('a', { data: { k: 'v' } }));
});

const revision = async () => (await api.ask(`GET ${CONFIG_MAPS}/a`)).body.metadata.resourceVersion;

describe('replacing an object', () => {
  test('works with the version it is based on, and conflicts with an older one', async () => {
    const { body: first } = await api.ask(`GET ${CONFIG_MAPS}/a`);
    expect((await api.ask(`PUT ${CONFIG_MAPS}/a`, { ...first, data: { k: '2' } })).code).toBe(200);
    const { code, body } = await api.ask(`PUT ${CONFIG_MAPS}/a`, { ...first, data: { k: '3' } });
    expect(code).toBe(409);
    expect(body).toMatchObject({
      reason: 'Conflict',
      message:
        'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
    });
  });

  test('without a version takes whatever is there, where the kind allows that', async () => {
    expect((await api.ask(`PUT ${CONFIG_MAPS}/a`, aConfigMap('a', { data: { k: '2' } }))).code).toBe(200);
    const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
    const lease = { metadata: { name: 'l' }, spec: { holderIdentity: 'x' } };
    expect((await api.ask(`PUT ${leases}/l`, lease)).code).toBe(201);
    const again = await api.ask(`PUT ${leases}/l`, lease);
    expect(again.code).toBe(422);
    expect(again.body.message).toContain(
      'metadata.resourceVersion: Invalid value: 0: must be specified for an update',
    );
  });

  test('changes nothing, not even the version, when nothing is different', async () => {
    const before = await revision();
    const { body } = await api.ask(`GET ${CONFIG_MAPS}/a`);
    await api.world.clock.advance(5_000);
    expect((await api.ask(`PUT ${CONFIG_MAPS}/a`, body)).code).toBe(200);
    expect((await api.ask(`PATCH ${CONFIG_MAPS}/a`, { data: { k: 'v' } })).code).toBe(200);
    expect(await revision()).toBe(before);
  });

  test.each([
    [{ name: 'b' }, '400 the name of the object (b) does not match the name on the URL (a)'],
    [{}, '400 the name of the object (a based on URL) was undeterminable: name must be provided'],
    [
      { name: 'a', namespace: 'z' },
      '400 the namespace of the provided object does not match the namespace sent on the request',
    ],
    [{ name: 'a', resourceVersion: 'x' }, '500 strconv.ParseUint: parsing "x": invalid syntax'],
  ])('with metadata %j is rejected', async (metadata, expected) => {
    const { code, body } = await api.ask(`PUT ${CONFIG_MAPS}/a`, { metadata });
    expect(`${code} ${body.message}`).toBe(expected);
  });

  test('of another uid is a conflict', async () => {
    const { code, body } = await api.ask(`PUT ${CONFIG_MAPS}/a`, { metadata: { name: 'a', uid: '123' } });
    expect(code).toBe(409);
    expect(body.message).toMatch(
      /^Operation cannot be fulfilled on configmaps "a": StorageError: invalid object, Code: 4, Key: \/registry\/configmaps\/default\/a, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: 123, UID in object meta: /,
    );
  });

  test('cannot change the identity or creation time of an object', async () => {
    const { body: before } = await api.ask(`GET ${CONFIG_MAPS}/a`);
    const changed = await api.ask(`PATCH ${CONFIG_MAPS}/a`, { metadata: { uid: '5' } });
    expect(changed.code).toBe(422);
    expect(changed.body.message).toBe(
      'ConfigMap "a" is invalid: metadata.uid: Invalid value: "5": field is immutable',
    );
    await api.ask(`PATCH ${CONFIG_MAPS}/a`, { metadata: { creationTimestamp: null, generation: 9 } });
    expect((await api.ask(`GET ${CONFIG_MAPS}/a`)).body.metadata).toEqual(before.metadata);
  });

  test('keeps status and spec apart', async () => {
    const url = '/apis/apps/v1/namespaces/default/deployments';
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    const deployment = { metadata: { name: 'd' }, spec: { selector: { matchLabels: { a: 'b' } }, template } };
    expect((await api.ask(`POST ${url}`, { ...deployment, status: { replicas: 4 } })).body['status']).toEqual(
      {},
    );
    const change = { spec: { replicas: 7 }, status: { replicas: 3 } };
    const status = await api.ask(`PATCH ${url}/d/status`, change);
    expect(status.body).toMatchObject({
      metadata: { generation: 1 },
      spec: { replicas: 1 },
      status: { replicas: 3 },
    });
    const spec = await api.ask(`PATCH ${url}/d`, { ...change, status: { replicas: 9 } });
    expect(spec.body).toMatchObject({
      metadata: { generation: 2 },
      spec: { replicas: 7 },
      status: { replicas: 3 },
    });
  });
});

describe('a patch', () => {
  const send = (type: string, body: unknown, query = '') =>
    api.ask(`PATCH ${CONFIG_MAPS}/a${query}`, body, { 'content-type': type });

  test('works in all four forms', async () => {
    await send('application/json-patch+json', [{ op: 'add', path: '/data/json', value: '1' }]);
    await send('application/merge-patch+json', { data: { merge: '2', k: null } });
    await send('application/strategic-merge-patch+json', { data: { strategic: '3' } });
    const config = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {apply: "4"}\n';
    const { body } = await send('application/apply-patch+yaml', config, '?fieldManager=me');
    expect(body['data']).toEqual({ json: '1', merge: '2', strategic: '3', apply: '4' });
  });

  test('by apply creates what does not exist, and conflicts over a field of another manager unless forced', async () => {
    const apply = (manager: string, value: string, more = '') =>
      api.ask(
        `PATCH ${CONFIG_MAPS}/new?fieldManager=${manager}${more}`,
        `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: new}\ndata: {k: "${value}"}\n`,
        { 'content-type': 'application/apply-patch+yaml' },
      );
    expect((await apply('one', '1')).code).toBe(201);
    const conflict = await apply('two', '2');
    expect(conflict.code).toBe(409);
    expect(conflict.body.details?.causes).toEqual([
      { reason: 'FieldManagerConflict', message: 'conflict with "one"', field: '.data.k' },
    ]);
    expect((await apply('two', '2', '&force=true')).body['data']).toEqual({ k: '2' });
  });

  test.each([
    ['application/json', '{}', '415 415: Unsupported Media Type'],
    ['application/merge-patch+json', '{"a":', '400 error decoding patch: unexpected end of JSON input'],
    ['application/strategic-merge-patch+json', '{', '400 unexpected end of JSON input'],
    [
      'application/merge-patch+json',
      '{"metadata":{"name":"b"}}',
      '400 the name of the object (b) does not match the name on the URL (a)',
    ],
    [
      'application/apply-patch+yaml',
      '{}',
      '422 PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
    ],
  ])('of type %s that says %s is rejected', async (type, text, expected) => {
    const { code, body } = await send(type, text);
    expect(`${code} ${body.message}`).toBe(expected);
  });

  test('that results in an invalid object shows the result', async () => {
    const { code, body } = await send('application/merge-patch+json', { data: 5 });
    expect(code).toBe(422);
    expect(body.message).toMatch(
      /^ "" is invalid: patch: Invalid value: "\{.*\\"data\\":5.*cannot unmarshal number into Go struct field ConfigMap.data/,
    );
  });

  test('with an older resource version conflicts', async () => {
    expect((await send('application/merge-patch+json', { metadata: { resourceVersion: '1' } })).code).toBe(
      409,
    );
  });
});
