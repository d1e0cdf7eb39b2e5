import type { KubeObject } from '@chandler/kube';
import { describe, expect, test } from 'vitest';
import { effectiveUser, type RequestHeaders } from './impersonation.ts';
import { aBinding, aRole, aStoreWithDefaults, aUser, wants } from './policy-store.fixture.ts';
import type { PolicyRule } from './rules.ts';

const ALICE = aUser('alice', 'dev');
const ROOT = aUser('root', 'system:masters');

function granted(...rules: PolicyRule[]): KubeObject[] {
  return [aRole('r', '', ...rules), aBinding('b', '', 'ClusterRole/r', { kind: 'User', name: 'alice' })];
}

function actAs(headers: RequestHeaders, options: { user?: typeof ALICE; grants?: KubeObject[] } = {}) {
  const { authorizer } = aStoreWithDefaults(...(options.grants ?? []));
  return effectiveUser(authorizer, headers, wants(options.user ?? ALICE, 'list nodes'));
}

describe('impersonation', () => {
  test('without headers the caller is the user', () => {
    expect(actAs({ accept: '*/*' })).toBe(ALICE);
  });

  test.each([
    [{ 'impersonate-user': 'bob' }, { username: 'bob', groups: ['system:authenticated'] }],
    [
      { 'impersonate-user': 'system:serviceaccount:edge:robot' },
      {
        username: 'system:serviceaccount:edge:robot',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:edge', 'system:authenticated'],
      },
    ],
    [
      { 'impersonate-user': 'system:node:n1' },
      { username: 'system:node:n1', groups: ['system:nodes', 'system:authenticated'] },
    ],
    [
      { 'impersonate-user': 'system:anonymous' },
      { username: 'system:anonymous', groups: ['system:unauthenticated'] },
    ],
    [
      { 'impersonate-user': 'bob', 'impersonate-group': ['system:masters'] },
      { username: 'bob', groups: ['system:masters', 'system:authenticated'] },
    ],
    [
      {
        'impersonate-user': 'bob',
        'impersonate-group': ['x', 'y'],
        'impersonate-uid': '5',
        'impersonate-extra-acme.com%2fscopes': 'v',
      },
      {
        username: 'bob',
        uid: '5',
        groups: ['x', 'y', 'system:authenticated'],
        extra: { 'acme.com/scopes': ['v'] },
      },
    ],
  ])('a master becomes whom %j name', (headers, user) => {
    expect(actAs(headers, { user: ROOT })).toEqual(user);
  });

  test('the unconstrained permission to impersonate one user suffices for that user', () => {
    const grants = granted({
      verbs: ['impersonate'],
      apiGroups: [''],
      resources: ['users'],
      resourceNames: ['bob'],
    });
    expect(actAs({ 'impersonate-user': 'bob' }, { grants }).username).toBe('bob');
    expect(() => actAs({ 'impersonate-user': 'carol' }, { grants })).toThrow(/forbidden/);
    expect(() => actAs({ 'impersonate-user': 'bob', 'impersonate-group': 'x' }, { grants })).toThrow(
      /forbidden/,
    );
  });

  test('constrained impersonation requires permission for the user and the action', () => {
    const who = {
      verbs: ['impersonate:user-info'],
      apiGroups: ['authentication.k8s.io'],
      resources: ['users'],
    };
    const deed = { verbs: ['impersonate-on:user-info:list'], apiGroups: [''], resources: ['nodes'] };
    expect(actAs({ 'impersonate-user': 'bob' }, { grants: granted(who, deed) }).username).toBe('bob');
    expect(() => actAs({ 'impersonate-user': 'bob' }, { grants: granted(who) })).toThrow(
      /impersonate-on:user-info:list/,
    );
    expect(() => actAs({ 'impersonate-user': 'bob' }, { grants: granted(deed) })).toThrow(
      'users.authentication.k8s.io "bob" is forbidden: User "alice" cannot impersonate:user-info resource "users" in API group "authentication.k8s.io" at the cluster scope',
    );
  });

  test.each([
    [
      { 'impersonate-user': 'system:serviceaccount:edge:robot' },
      'nodes is forbidden: User "alice" cannot impersonate-on:serviceaccount:list resource "nodes" in API group "" at the cluster scope',
    ],
    [
      { 'impersonate-user': 'system:node:n1', 'impersonate-group': 'g' },
      'users "system:node:n1" is forbidden: User "alice" cannot impersonate resource "users" in API group "" at the cluster scope',
    ],
    [
      { 'impersonate-group': 'bob' },
      'requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string{"bob"}, Extra:map[string][]string(nil)} without impersonating a user name',
    ],
    [
      { 'impersonate-uid': '4', 'impersonate-extra-foo': 'a' },
      'requested &user.DefaultInfo{Name:"", UID:"4", Groups:[]string(nil), Extra:map[string][]string{"foo":[]string{"a"}}} without impersonating a user name',
    ],
  ])('%j is rejected in the wording of a real server', (headers, message) => {
    expect(() => actAs(headers)).toThrow(message);
  });

  test('a path outside of the API is rejected as a path', () => {
    const { authorizer } = aStoreWithDefaults();
    const attributes = { user: ALICE, verb: 'get', path: '/healthz' };
    expect(() => effectiveUser(authorizer, { 'impersonate-user': 'system:node:n1' }, attributes)).toThrow(
      'forbidden: User "alice" cannot impersonate-on:arbitrary-node:get path "/healthz"',
    );
  });
});
