import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { type ApiServer, startApiServer } from '@chandler/apiserver';
import { systemClock, systemRandom } from '@chandler/kube';
import { virtualWorld } from '@chandler/kube/testing';
import { createAuthority, issueClientCertificate, issueServingCertificate } from '@chandler/kube/tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serve } from '../../../../../test/flexnode/standins/serve.ts';
import { failure } from '../flex-error.fixture.ts';
import type { ClusterAddress, ClusterCredential } from './cluster-client.ts';
import { createClusterClient } from './create-cluster-client.ts';

const world = { ...virtualWorld(), clock: systemClock, random: systemRandom };
const side = createClusterClient(world, { budgetMs: 50 });
const signal = new AbortController().signal;
const NAME = 'chandler-flexnode:edge-01';
let api: ApiServer;
let address: ClusterAddress;
let admin: ClusterCredential;
const nobody: ClusterCredential = { kind: 'token', token: 'nobody' };
const alice: ClusterCredential = { kind: 'token', token: 'alice-token' };

beforeAll(async () => {
  api = await startApiServer({
    world,
    port: 0,
    collector: false,
    tokens: { 'alice-token': { username: 'alice', uid: 'alice', groups: ['dev'] } },
  });
  address = { server: api.url!, caData: Buffer.from(api.caPem).toString('base64') };
  admin = { kind: 'token', token: api.adminToken };
});

afterAll(() => api.close());

const raw = async (method: string, path: string, body?: unknown) => {
  const answer = await api.fetch(`https://x${path}`, {
    method,
    headers: { authorization: `Bearer ${api.adminToken}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, never> };
};
const BINDING = `/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/${NAME}`;

describe('over TLS with the authority of the kubeconfig', () => {
  test('the server’s version is read', async () => {
    expect(await side.serverVersion(address, signal, admin)).toMatch(/^v1\.\d+/);
  });

  test('whether a credential may create ClusterRoleBindings is asked without a change', async () => {
    const roles = ['system:node', 'system:node-bootstrapper'];
    expect(await side.mayBind(address, admin, roles, signal)).toBe('yes');
    expect(await side.mayBind(address, alice, roles, signal)).toBe('no');
    expect(await failure(side.mayBind(address, nobody, roles, signal))).toMatchObject({ class: 'auth' });
  });

  test('who may create a ClusterRoleBinding needs the verb bind on every role', async () => {
    const asked: Record<string, string>[] = [];
    const server = await serve({
      handler: async (request) => {
        const { spec } = (await request.json()) as { spec: { resourceAttributes: Record<string, string> } };
        asked.push(spec.resourceAttributes);
        const { verb, name } = spec.resourceAttributes;
        return Response.json({ status: { allowed: verb === 'create' || name === 'system:node' } });
      },
    });
    try {
      const at = { ...address, server: server.url };
      expect(await side.mayBind(at, admin, ['system:node'], signal)).toBe('yes');
      expect(await side.mayBind(at, admin, ['system:node', 'other'], signal)).toBe('unlessHeld');
      expect(asked).toContainEqual({
        group: 'rbac.authorization.k8s.io',
        resource: 'clusterroles',
        verb: 'bind',
        name: 'other',
      });
    } finally {
      await server.close();
    }
  });

  test('[004-checklist] [004-SEC-10] a server that another authority vouches for is refused, and not asked again', async () => {
    const other = await createAuthority(Date.now, 'other');
    const caData = Buffer.from(other.certificatePem).toString('base64');
    expect(await failure(side.serverVersion({ ...address, caData }, signal, admin))).toMatchObject({
      class: 'network',
      code: 'cluster.certificate',
    });
  });

  test('a redirect is not followed', async () => {
    const server = await serve({
      handler: async () => new Response('', { status: 302, headers: { location: `${api.url}/version` } }),
    });
    try {
      expect((await failure(side.serverVersion({ ...address, server: server.url }, signal))).code).toBe(
        'cluster.refused',
      );
    } finally {
      await server.close();
    }
  });

  test('nobody there is a network failure', async () => {
    const facts = await failure(side.serverVersion({ ...address, server: 'https://127.0.0.1:1' }, signal));
    expect(facts).toMatchObject({ class: 'network', code: 'cluster.unreachable' });
  });
});

describe('[004-checklist] whom the API server takes a credential for (SelfSubjectReview)', () => {
  test('a token', async () => {
    const who = await side.whoAmI(address, alice, signal);
    expect(who).toMatchObject({ username: 'alice', groups: expect.arrayContaining(['dev']) });
  });

  test('an unknown token is an auth failure, and is not in the message', async () => {
    const facts = await failure(side.whoAmI(address, { kind: 'token', token: 'unknown-token-1' }, signal));
    expect(facts).toMatchObject({ class: 'auth', code: 'cluster.unauthorized' });
    expect(JSON.stringify(facts)).not.toContain('unknown-token-1');
  });

  test('a client certificate is shown to the server, and the server’s own is checked', async () => {
    const authority = await createAuthority(Date.now, 'clients and servers');
    const serving = await issueServingCertificate(authority, { addresses: ['127.0.0.1'] });
    const { certificatePem, privateKeyPem: keyPem } = await issueClientCertificate(authority, {
      commonName: 'carol',
      organizations: ['ops'],
    });
    const tls = { cert: serving.certificatePem, key: serving.privateKeyPem, ca: authority.certificatePem };
    const server = createServer({ ...tls, requestCert: true }, (request, answer) => {
      const { subject } = (request.socket as TLSSocket).getPeerCertificate();
      answer.setHeader('content-type', 'application/json');
      answer.end(JSON.stringify({ status: { userInfo: { username: subject.CN, groups: [subject.O] } } }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const at = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const caData = Buffer.from(authority.certificatePem).toString('base64');
      const credential: ClusterCredential = { kind: 'certificate', certificatePem, keyPem };
      const who = await side.whoAmI({ server: at, caData }, credential, signal);
      expect(who).toEqual({ username: 'carol', groups: ['ops'] });
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});

describe('the binding of the node’s identity', () => {
  const request = { name: NAME, clusterRole: 'system:node', user: 'principal-1' };

  test('is made once, and again without a change', async () => {
    await side.bindUser(address, admin, request, signal);
    const first = (await raw('GET', BINDING)).body;
    expect(first).toMatchObject({
      roleRef: { kind: 'ClusterRole', name: 'system:node' },
      subjects: [{ kind: 'User', name: 'principal-1' }],
      metadata: { labels: { 'app.kubernetes.io/managed-by': 'chandler-flexnode' } },
    });
    await side.bindUser(address, admin, request, signal);
    expect((await raw('GET', BINDING)).body).toEqual(first);
  });

  test('is corrected when it names another user or another role', async () => {
    await side.bindUser(address, admin, { ...request, user: 'principal-2' }, signal);
    expect((await raw('GET', BINDING)).body).toMatchObject({ subjects: [{ name: 'principal-2' }] });
    await side.bindUser(address, admin, { ...request, clusterRole: 'system:node-bootstrapper' }, signal);
    expect((await raw('GET', BINDING)).body).toMatchObject({ roleRef: { name: 'system:node-bootstrapper' } });
  });

  test('may not be made by everybody', async () => {
    expect(await failure(side.bindUser(address, alice, request, signal))).toMatchObject({
      class: 'auth',
      code: 'cluster.forbidden',
    });
  });

  test('is deleted once', async () => {
    expect(await side.deleteBinding(address, admin, NAME, signal)).toBe(true);
    expect(await side.deleteBinding(address, admin, NAME, signal)).toBe(false);
    expect((await raw('GET', BINDING)).status).toBe(404);
  });
});

describe('what kubelet will need', () => {
  test('the authority of the API server’s clients', async () => {
    const path = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication';
    await raw('DELETE', path);
    expect(await side.clientCa(address, admin, signal)).toBeUndefined();
    await raw('POST', '/api/v1/namespaces/kube-system/configmaps', {
      metadata: { name: 'extension-apiserver-authentication' },
      data: { 'client-ca-file': 'PEM' },
    });
    expect(await side.clientCa(address, admin, signal)).toBe('PEM');
    expect((await failure(side.clientCa(address, nobody, signal))).class).toBe('auth');
  });

  test('the Node, its readiness and its removal', async () => {
    expect(await side.node(address, admin, 'edge-01', signal)).toBeUndefined();
    await raw('POST', '/api/v1/nodes', { metadata: { name: 'edge-01' } });
    expect(await side.node(address, admin, 'edge-01', signal)).toMatchObject({ ready: false });
    const node = (await raw('GET', '/api/v1/nodes/edge-01')).body as Record<string, unknown>;
    const lastHeartbeatTime = '2026-11-16T08:00:00Z';
    const conditions = [
      { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'posting', lastHeartbeatTime },
    ];
    const status = { conditions, nodeInfo: { kubeletVersion: 'v1.32.7' } };
    await raw('PUT', '/api/v1/nodes/edge-01/status', { ...node, status });
    expect(await side.node(address, admin, 'edge-01', signal)).toEqual({
      ready: true,
      reason: 'KubeletReady',
      message: 'posting',
      heartbeat: lastHeartbeatTime,
      kubeletVersion: 'v1.32.7',
      labels: {},
    });
    expect(await side.deleteNode(address, admin, 'edge-01', signal)).toBe(true);
    expect(await side.deleteNode(address, admin, 'edge-01', signal)).toBe(false);
  });
});
