import { beforeEach, describe, expect, test } from 'vitest';
import type { UserInfo } from '../resource.ts';
import { aConfigMap, CONFIG_MAPS, type SmallServer, smallServer } from './small-server.fixture.ts';

const ALICE: UserInfo = { username: 'alice', groups: [] };
let api: SmallServer;
beforeEach(async () => {
  api = await smallServer({ tokens: { 'alice-token': ALICE } });
});

const raw = async (target: string, init: RequestInit = {}) => {
  const response = await api.server.fetch(`https://local${target}`, init);
  return { code: response.status, text: await response.text() };
};

const as = (token: string): RequestInit => ({ headers: { authorization: `Bearer ${token}` } });

describe('a path', () => {
  test.each([
    ['GET /nix', '404 404 page not found\n'],
    ['GET /apis/nix/v1/things', '404 404 page not found\n'],
    ['GET /api/v1/nix', '404 the server could not find the requested resource'],
    ['GET /apis/apps/v2/deployments', '404 the server could not find the requested resource'],
    ['GET /api/v1/pods/x', '404 the server could not find the requested resource'],
    ['GET /api/v1/namespaces/default/nodes', '404 the server could not find the requested resource'],
    ['GET /api/v1/namespaces/default/pods/x/foo', '404 the server could not find the requested resource'],
    ['GET /api/v1/namespaces/default/pods/x', '404 pods "x" not found'],
    [
      'PUT /api/v1/namespaces/default/pods',
      '405 the server does not allow this method on the requested resource',
    ],
    ['POST /api/v1/pods', '405 the server does not allow this method on the requested resource'],
    ['FOO /api/v1/nodes', '405 the server does not allow this method on the requested resource'],
    ['DELETE /api/v1/nodes/n/status', '405 the server does not allow this method on the requested resource'],
    ['POST /version', '405 the server does not allow this method on the requested resource'],
  ])('%s is answered with %s', async (line, expected) => {
    const { code, body } = await api.ask(line);
    expect(`${code} ${typeof body === 'string' ? body : body.message}`).toBe(expected);
  });

  test('outside of resources serves version, health and discovery', async () => {
    expect(JSON.parse((await raw('/version')).text)).toMatchObject({ major: '1', minor: '36' });
    for (const path of ['/healthz', '/livez', '/readyz']) expect((await raw(path)).text).toBe('ok');
    expect((await raw('/readyz?verbose')).text).toMatch(/^\[\+\]ping ok\n[\s\S]*readyz check passed\n$/);
    expect((await api.ask('GET /apis')).body.kind).toBe('APIGroupList');
    expect((await api.ask('GET /metrics')).body).toContain(
      'apiserver_storage_objects{resource="namespaces"} 4',
    );
    expect((await api.ask('GET /openapi/v3')).code).toBe(200);
  });
});

describe('a caller', () => {
  test('without credentials may read only public paths', async () => {
    expect((await raw('/version')).code).toBe(200);
    const { code, text } = await raw('/api/v1/nodes');
    expect(code).toBe(403);
    expect(JSON.parse(text).message).toBe(
      'nodes is forbidden: User "system:anonymous" cannot list resource "nodes" in API group "" at the cluster scope',
    );
  });

  test('with an unknown token is rejected', async () => {
    expect(await raw('/version', as('bad'))).toMatchObject({ code: 401 });
  });

  test('is authorized by roles', async () => {
    expect((await raw(CONFIG_MAPS, as('alice-token'))).code).toBe(403);
    await api.ask('POST /apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings', {
      metadata: { name: 'alice' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'alice' }],
    });
    expect((await raw(CONFIG_MAPS, as('alice-token'))).code).toBe(200);
    expect((await raw(CONFIG_MAPS, { ...as('alice-token'), method: 'POST', body: '{}' })).code).toBe(403);
  });

  test('may impersonate another only with that permission', async () => {
    const impersonate = {
      headers: { authorization: `Bearer ${api.server.adminToken}`, 'impersonate-user': 'alice' },
    };
    expect((await raw(CONFIG_MAPS, impersonate)).text).toContain('User \\"alice\\" cannot list resource');
    expect((await raw(CONFIG_MAPS, as(api.server.adminToken))).code).toBe(200);
  });

  test('cannot create by applying what it may only patch', async () => {
    await api.ask('POST /apis/rbac.authorization.k8s.io/v1/clusterroles', {
      metadata: { name: 'patcher' },
      rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['patch', 'get'] }],
    });
    await api.ask('POST /apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
      metadata: { name: 'patcher' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'patcher' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'alice' }],
    });
    const { code, text } = await raw(`${CONFIG_MAPS}/new?fieldManager=a`, {
      method: 'PATCH',
      headers: { authorization: 'Bearer alice-token', 'content-type': 'application/apply-patch+yaml' },
      body: 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: new}\n',
    });
    expect(code).toBe(403);
    expect(JSON.parse(text).message).toContain('User "alice" cannot create resource "configmaps"');
  });
});

describe('a body', () => {
  test.each([
    [
      'text/plain',
      '{}',
      '415 the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf',
    ],
    [
      'application/json',
      '{',
      `400 the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: unexpected end of JSON input ({)`,
    ],
    [
      'application/json',
      '{"kind":"Pod","apiVersion":"v1"}',
      '400 Pod in version "v1" cannot be handled as a ConfigMap: converting (v1.Pod) to (core.ConfigMap): unknown conversion',
    ],
    ['application/json', 'x'.repeat(3 * 1024 * 1024 + 1), '413 Request entity too large: limit is 3145728'],
  ])('of type %s that cannot be taken is rejected', async (type, text, expected) => {
    const { code, body } = await api.ask(`POST ${CONFIG_MAPS}`, text, { 'content-type': type });
    expect(`${code} ${body.message}`).toBe(expected);
  });

  test('may be YAML', async () => {
    const text = 'metadata: {name: a}\ndata:\n  k: v\n';
    const { body } = await api.ask(`POST ${CONFIG_MAPS}`, text, { 'content-type': 'application/yaml' });
    expect(body['data']).toEqual({ k: 'v' });
  });
});

describe('an answer', () => {
  test('is indented for people and on demand', async () => {
    const curl = { 'user-agent': 'curl/8' };
    expect((await raw('/version', { headers: curl })).text).toContain('{\n  "major"');
    expect((await raw('/version?pretty=false', { headers: curl })).text).toContain('{"major"');
    expect((await raw('/version?pretty=true')).text).toContain('{\n  "major"');
  });

  test('to HEAD has no body', async () => {
    const response = await api.server.adminFetch(`https://local${CONFIG_MAPS}`, { method: 'HEAD' });
    expect(response.status).toBe(405);
    expect(await response.text()).toBe('');
    const health = await api.server.adminFetch('https://local/healthz', { method: 'HEAD' });
    expect(health.status).toBe(200);
    expect(await health.text()).toBe('');
  });

  test('is a Status even after an internal error, and the server keeps running', async () => {
    const { random } = api.world as { random: { uuid(): string } };
    const uuid = random.uuid;
    random.uuid = () => {
      throw new Error('no entropy left');
    };
    const { code, body } = await api.ask(`POST ${CONFIG_MAPS}`, aConfigMap('a'));
    expect(code).toBe(500);
    expect(body).toMatchObject({
      reason: 'InternalError',
      message: 'Internal error occurred: no entropy left',
    });
    expect(api.world.lines.at(-1)).toMatchObject({
      level: 'error',
      message: 'request failed with an internal error',
    });
    random.uuid = uuid;
    expect((await api.ask(`POST ${CONFIG_MAPS}`, aConfigMap('a'))).code).toBe(201);
  });
});

describe('access reviews and tokens', () => {
  test('answer what a user may do', async () => {
    const spec = {
      user: 'alice',
      resourceAttributes: { verb: 'get', resource: 'pods', namespace: 'default' },
    };
    const { code, body } = await api.ask('POST /apis/authorization.k8s.io/v1/subjectaccessreviews', { spec });
    expect(code).toBe(201);
    expect(body['status']).toMatchObject({ allowed: false });
  });

  test('are issued for service accounts and authenticate them', async () => {
    await api.ask('POST /api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'bot' } });
    const { body } = await api.ask('POST /api/v1/namespaces/default/serviceaccounts/bot/token', { spec: {} });
    const { token } = body['status'] as unknown as { token: string };
    expect((await raw(CONFIG_MAPS, as(token))).text).toContain('system:serviceaccount:default:bot');
  });
});
