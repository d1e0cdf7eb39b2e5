import type { KubeObject } from '@chandler/kube';
import { virtualWorld } from '@chandler/kube/testing';
import { describe, expect, test } from 'vitest';
import { Authenticator } from './authenticator.ts';
import { PolicyStore } from './policy-store.fixture.ts';
import { ISSUER, ServiceAccountTokens } from './service-account-tokens.ts';
import { answerTokenRequest } from './token-request.ts';

const ROBOT: KubeObject = {
  kind: 'ServiceAccount',
  metadata: { name: 'robot', namespace: 'edge', uid: 'u1' },
};
const POD: KubeObject = {
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'edge', uid: 'p1' },
  spec: { serviceAccountName: 'robot', nodeName: 'n' },
};
const NODE: KubeObject = { kind: 'Node', metadata: { name: 'n', uid: 'n1' } };

function aServer() {
  const world = virtualWorld();
  const store = new PolicyStore(ROBOT, POD, NODE);
  const lookup = store.lookup.bind(store);
  const tokens = new ServiceAccountTokens({
    now: () => world.clock.now(),
    uuid: () => world.random.uuid(),
    lookup,
  });
  const authenticator = new Authenticator({
    tokens: { 'alice-token': { username: 'alice', uid: 'a', groups: ['dev'] } },
    serviceAccounts: tokens,
  });
  const now = '2026-01-01T00:00:00Z';
  const request = (spec: object, metadata: KubeObject['metadata'] = {}, name = 'robot') =>
    answerTokenRequest({ metadata, spec }, { namespace: 'edge', name, now, tokens, lookup });
  const tokenFor = (spec: object) => (request(spec)['status'] as { token: string }).token;
  return { world, store, tokens, authenticator, request, tokenFor };
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe('authentication', () => {
  const { authenticator } = aServer();

  test('a known token identifies its user', () => {
    expect(authenticator.authenticate(bearer('alice-token'))).toEqual({
      username: 'alice',
      uid: 'a',
      groups: ['dev', 'system:authenticated'],
    });
    expect(authenticator.authenticate({ authorization: 'bearer alice-token' }).username).toBe('alice');
  });

  test('a request without credentials, or with an unsupported scheme, is anonymous', () => {
    const anonymous = { username: 'system:anonymous', groups: ['system:unauthenticated'] };
    expect(authenticator.authenticate({})).toEqual(anonymous);
    expect(authenticator.authenticate({ authorization: 'Basic YTpi' })).toEqual(anonymous);
  });

  test('a token that is unknown is rejected', () => {
    expect(() => authenticator.authenticate(bearer('nope'))).toThrow(
      expect.objectContaining({ code: 401, reason: 'Unauthorized', message: 'Unauthorized' }),
    );
  });

  test('a client certificate identifies user and groups and takes precedence over a token', () => {
    const certificate = { commonName: 'system:node:n', organizations: ['system:nodes'], fingerprint: 'ab' };
    expect(authenticator.authenticate({ certificate, ...bearer('nope') })).toEqual({
      username: 'system:node:n',
      groups: ['system:nodes', 'system:authenticated'],
      extra: { 'authentication.kubernetes.io/credential-id': ['X509SHA256=ab'] },
    });
  });
});

describe('tokens of service accounts', () => {
  test('identify the account until they expire', async () => {
    const { authenticator, tokenFor, world } = aServer();
    const token = tokenFor({ expirationSeconds: 600 });
    expect(authenticator.authenticate(bearer(token))).toEqual({
      username: 'system:serviceaccount:edge:robot',
      uid: 'u1',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:edge', 'system:authenticated'],
      extra: { 'authentication.kubernetes.io/credential-id': [expect.stringMatching(/^JTI=[0-9a-f-]{36}$/)] },
    });
    await world.clock.advance(599_000);
    expect(authenticator.authenticate(bearer(token)).uid).toBe('u1');
    await world.clock.advance(1000);
    expect(() => authenticator.authenticate(bearer(token))).toThrow('Unauthorized');
    expect(authenticator.reviewToken(token)).toEqual({
      error: '[invalid bearer token, service account token has expired]',
    });
  });

  test('become invalid with the account, even when one of the same name is created', () => {
    const { authenticator, tokenFor, store } = aServer();
    const token = tokenFor({});
    store.remove(ROBOT);
    expect(authenticator.reviewToken(token)).toEqual({
      error: '[invalid bearer token, serviceaccounts "robot" not found]',
    });
    store.put({ ...ROBOT, metadata: { ...ROBOT.metadata, uid: 'u2' } });
    expect(authenticator.reviewToken(token)).toEqual({
      error: '[invalid bearer token, service account UID (u2) does not match claim (u1)]',
    });
  });

  test('bound to a pod contain pod and node, and become invalid with the pod', () => {
    const { authenticator, tokenFor, store } = aServer();
    const token = tokenFor({ boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'p' } });
    expect(authenticator.authenticate(bearer(token)).extra).toMatchObject({
      'authentication.kubernetes.io/node-name': ['n'],
      'authentication.kubernetes.io/node-uid': ['n1'],
      'authentication.kubernetes.io/pod-name': ['p'],
      'authentication.kubernetes.io/pod-uid': ['p1'],
    });
    store.remove(POD);
    expect(authenticator.reviewToken(token)).toEqual({
      error: '[invalid bearer token, service account token has been invalidated]',
    });
  });

  test('are valid for their audiences only', () => {
    const { authenticator, tokenFor } = aServer();
    const token = tokenFor({ audiences: ['x', 'y'] });
    expect(() => authenticator.authenticate(bearer(token))).toThrow('Unauthorized');
    expect(authenticator.reviewToken(token)).toEqual({
      error: `[invalid bearer token, token audiences ["x" "y"] is invalid for the target audiences ["${ISSUER}"]]`,
    });
    expect(authenticator.reviewToken(token, ['y', 'q'])).toMatchObject({ audiences: ['y'] });
  });

  test('are invalid after a modification, and on a server with another key', () => {
    const { authenticator, tokenFor, tokens } = aServer();
    const token = tokenFor({});
    const [header, payload, signature] = token.split('.') as [string, string, string];
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
    const forged = Buffer.from(JSON.stringify({ ...claims, exp: claims.exp + 1 })).toString('base64url');
    const unsigned = Buffer.from('{"alg":"none"}').toString('base64url');
    for (const bad of [
      `${header}.${forged}.${signature}`,
      `${unsigned}.${payload}.`,
      `${header}.${payload}.AAAA`,
      'a.b.c',
    ]) {
      expect(authenticator.reviewToken(bad)).toEqual({ error: 'invalid bearer token' });
    }
    expect(aServer().authenticator.reviewToken(token)).toEqual({ error: 'invalid bearer token' });
    const { world, store } = aServer();
    const options = { now: () => world.clock.now(), uuid: () => 'id', lookup: store.lookup.bind(store) };
    const heir = new ServiceAccountTokens({ ...options, privateKeyPem: tokens.privateKeyPem });
    expect(heir.verify(token)).toMatchObject({ user: { uid: 'u1' } });
  });
});

describe('a token request', () => {
  test('fills in what was left open', () => {
    expect(aServer().request({})).toEqual({
      kind: 'TokenRequest',
      apiVersion: 'authentication.k8s.io/v1',
      metadata: { name: 'robot', namespace: 'edge', uid: 'u1', creationTimestamp: '2026-01-01T00:00:00Z' },
      spec: { audiences: [ISSUER], expirationSeconds: 3600, boundObjectRef: null },
      status: { token: expect.any(String), expirationTimestamp: '2026-01-01T01:00:00Z' },
    });
  });

  test.each([
    [
      { expirationSeconds: 10 },
      {},
      'robot',
      'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 10: may not specify a duration less than 10 minutes',
    ],
    [
      {},
      { name: 'foo' },
      'robot',
      'TokenRequest.authentication.k8s.io "robot" is invalid: metadata.name: Invalid value: "foo": must match the service account name if specified',
    ],
    [{}, {}, 'nope', 'serviceaccounts "nope" not found'],
    [
      { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'nope' } },
      {},
      'robot',
      'pods "nope" not found',
    ],
    [
      { boundObjectRef: { kind: 'Foo', apiVersion: 'v1', name: 'x' } },
      {},
      'robot',
      'cannot bind token to object of type /v1, Kind=Foo',
    ],
    [
      { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'p', uid: 'other' } },
      {},
      'robot',
      'Operation cannot be fulfilled on Pod "p": the UID in the bound object reference (other) does not match the UID in record. The object might have been deleted and then recreated',
    ],
  ])('%j %j for %s is rejected', (spec, metadata, name, message) => {
    expect(() => aServer().request(spec, metadata, name)).toThrow(message);
  });
});
