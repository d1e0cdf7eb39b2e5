import type { KubeObject } from '@chandler/kube';
import { describe, expect, test } from 'vitest';
import { ApiError } from '../../errors.ts';
import { Authenticator } from './authenticator.ts';
import { aBinding, aRole, aStoreWithDefaults, aUser } from './policy-store.fixture.ts';
import { reviewHandlers } from './reviews.ts';

const ALICE = aUser('alice', 'dev');
const GRANT = 'RBAC: allowed by RoleBinding "writer/edge" of Role "writer" to User "alice"';
const { authorizer } = aStoreWithDefaults(
  aRole('writer', 'edge', { verbs: ['get'], apiGroups: [''], resources: ['pods'] }),
  aBinding('writer', 'edge', 'Role/writer', { kind: 'User', name: 'alice' }),
  aBinding('dangling', 'other', 'Role/nope', { kind: 'User', name: 'alice' }),
);
const authenticator = new Authenticator({ tokens: { secret: { username: 'bob', groups: [] } } });

function review(
  what: string,
  spec: object,
  more: { namespace?: string; metadata?: KubeObject['metadata'] } = {},
) {
  const handler = reviewHandlers.get(what)!;
  const object: KubeObject = { metadata: more.metadata ?? {}, spec };
  const namespace = more.namespace ?? '';
  return handler(object, { user: ALICE, namespace, authorizer, authenticator, now: '2026-01-01T00:00:00Z' });
}

function refusal(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    if (error instanceof ApiError) return error.toStatus();
    throw error;
  }
  return undefined;
}

const SELF = 'authorization.k8s.io/selfsubjectaccessreviews';
const SUBJECT = 'authorization.k8s.io/subjectaccessreviews';
const LOCAL = 'authorization.k8s.io/localsubjectaccessreviews';
const RULES = 'authorization.k8s.io/selfsubjectrulesreviews';
const podsIn = (namespace: string, verb = 'get') => ({
  resourceAttributes: { namespace, verb, resource: 'pods' },
});

describe('access reviews', () => {
  test('answer for the caller, for others, and within a namespace', () => {
    expect(review(SELF, podsIn('edge'))['status']).toEqual({ allowed: true, reason: GRANT });
    expect(review(SELF, podsIn('edge', 'list'))['status']).toEqual({ allowed: false });
    expect(review(SELF, podsIn('other'))['status']).toEqual({
      allowed: false,
      reason: 'RBAC: role.rbac.authorization.k8s.io "nope" not found',
    });
    expect(review(SUBJECT, { user: 'alice', ...podsIn('edge') })['status']).toEqual({
      allowed: true,
      reason: GRANT,
    });
    expect(review(SUBJECT, { user: 'u', ...podsIn('edge') })['status']).toEqual({ allowed: false });
    const local = review(LOCAL, { user: 'alice', ...podsIn('edge') }, { namespace: 'edge' });
    expect(local).toMatchObject({ metadata: { namespace: 'edge' }, status: { allowed: true } });
  });

  test('a path is reviewed like a resource, and system:masters may do anything', () => {
    const path = { nonResourceAttributes: { path: '/x', verb: 'get' } };
    expect(review(SUBJECT, { user: 'u', groups: ['system:masters'], ...path })['status']).toEqual({
      allowed: true,
    });
    expect(review(SELF, path)['status']).toEqual({ allowed: false });
  });

  test('all rules of a namespace can be listed', () => {
    const answer = review(RULES, { namespace: 'edge' });
    expect(answer).toMatchObject({ metadata: {}, spec: {}, status: { incomplete: false } });
    const status = answer['status'] as {
      resourceRules: object[];
      nonResourceRules: { nonResourceURLs: string[] }[];
    };
    expect(status.resourceRules).toContainEqual({ verbs: ['get'], apiGroups: [''], resources: ['pods'] });
    expect(status.nonResourceRules.flatMap((rule) => rule.nonResourceURLs)).toContain('/openapi/*');
    expect(status).not.toHaveProperty('evaluationError');
    expect(review(RULES, { namespace: 'other' })['status']).toMatchObject({
      evaluationError: 'role.rbac.authorization.k8s.io "nope" not found',
    });
  });

  const invalid = (message: string, field: string, cause: string) => ({
    message: `.authorization.k8s.io "" is invalid: ${message}`,
    reason: 'Invalid',
    code: 422,
    details: {
      group: 'authorization.k8s.io',
      causes: [{ reason: 'FieldValueInvalid', message: cause, field }],
    },
  });

  test('a review must have exactly one subject', () => {
    const none =
      'Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified';
    expect(refusal(() => review(SELF, {}))).toMatchObject(
      invalid(`spec.resourceAttributes: ${none}`, 'spec.resourceAttributes', none),
    );
    const both =
      'Invalid value: {"Path":"/x","Verb":"get"}: cannot be specified in combination with resourceAttributes';
    const spec = { ...podsIn('a'), nonResourceAttributes: { path: '/x', verb: 'get' } };
    expect(refusal(() => review(SELF, spec))).toMatchObject(
      invalid(`spec.nonResourceAttributes: ${both}`, 'spec.nonResourceAttributes', both),
    );
    expect(refusal(() => review(SUBJECT, {}))).toMatchObject({
      message: `.authorization.k8s.io "" is invalid: [spec.resourceAttributes: ${none}, spec.user: Invalid value: "": at least one of user or group must be specified]`,
    });
    const elsewhere = 'Invalid value: "other": must match metadata.namespace';
    expect(
      refusal(() => review(LOCAL, { user: 'a', ...podsIn('other') }, { namespace: 'edge' })),
    ).toMatchObject(
      invalid(
        `spec.resourceAttributes.namespace: ${elsewhere}`,
        'spec.resourceAttributes.namespace',
        elsewhere,
      ),
    );
  });

  test('a review has no name, and rules are listed for a namespace', () => {
    const named = () => review(SUBJECT, { user: 'u', ...podsIn('edge') }, { metadata: { name: 'x' } });
    expect(refusal(named)).toMatchObject({ message: expect.stringContaining('must be empty'), code: 422 });
    expect(refusal(() => review(RULES, {}))).toMatchObject({ code: 400, message: 'no namespace on request' });
  });
});

describe('authentication reviews', () => {
  test('of the caller', () => {
    expect(review('authentication.k8s.io/selfsubjectreviews', {})).toMatchObject({
      metadata: { creationTimestamp: '2026-01-01T00:00:00Z' },
      status: { userInfo: { username: 'alice', groups: ['dev', 'system:authenticated'] } },
    });
  });

  test('of a token', () => {
    const what = 'authentication.k8s.io/tokenreviews';
    expect(review(what, { token: 'secret' })['status']).toEqual({
      authenticated: true,
      user: { username: 'bob', groups: ['system:authenticated'] },
      audiences: ['https://kubernetes.default.svc'],
    });
    const unknown = { user: {}, error: 'invalid bearer token' };
    expect(review(what, { token: 'nope' })['status']).toEqual(unknown);
    expect(review(what, { token: 'secret', audiences: ['a'] })['status']).toEqual(unknown);
    expect(refusal(() => review(what, {}))).toMatchObject({
      code: 400,
      message: 'token is required for TokenReview in authentication',
    });
  });
});
