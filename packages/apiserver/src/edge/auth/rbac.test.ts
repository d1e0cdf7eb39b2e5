import { describe, expect, test } from 'vitest';
import { ApiError } from '../../errors.ts';
import { ANONYMOUS, mustAuthorize } from './attributes.ts';
import { aBinding, aRole, aStoreWithDefaults, aUser, PolicyStore, wants } from './policy-store.fixture.ts';

const ALICE = aUser('alice', 'dev');
const toAlice = { kind: 'User', name: 'alice' };
const READ_PODS = { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'] };

function statusOf(run: () => void): unknown {
  try {
    run();
  } catch (error) {
    if (error instanceof ApiError) return error.toStatus();
    throw error;
  }
  return 'allowed';
}

describe('authorization by roles', () => {
  test('a role binding grants within its namespace only', () => {
    const { authorizer } = new PolicyStore(
      aRole('reader', 'team', READ_PODS),
      aBinding('reader', 'team', 'Role/reader', toAlice),
    );
    expect(authorizer.authorize(wants(ALICE, 'list pods', 'team'))).toEqual({
      allowed: true,
      reason: 'RBAC: allowed by RoleBinding "reader/team" of Role "reader" to User "alice"',
    });
    expect(authorizer.authorize(wants(ALICE, 'list pods', 'other')).allowed).toBe(false);
    expect(authorizer.authorize(wants(ALICE, 'list pods')).allowed).toBe(false);
    expect(authorizer.authorize(wants(ALICE, 'delete pods', 'team')).allowed).toBe(false);
    expect(authorizer.authorize(wants(aUser('bob'), 'list pods', 'team')).allowed).toBe(false);
  });

  test('a cluster role can be bound in one namespace, or everywhere', () => {
    const store = new PolicyStore(
      aRole('reader', '', READ_PODS),
      aBinding('here', 'team', 'ClusterRole/reader', { kind: 'Group', name: 'dev' }),
    );
    expect(store.authorizer.authorize(wants(ALICE, 'get pods', 'team')).allowed).toBe(true);
    expect(store.authorizer.authorize(wants(ALICE, 'get pods', 'other')).allowed).toBe(false);
    store.put(aBinding('all', '', 'ClusterRole/reader', { kind: 'Group', name: 'dev' }));
    expect(store.authorizer.authorize(wants(ALICE, 'get pods', 'other'))).toEqual({
      allowed: true,
      reason: 'RBAC: allowed by ClusterRoleBinding "all" of ClusterRole "reader" to Group "dev"',
    });
  });

  test('a service account is meant by its namespace, which may be left out in a role binding', () => {
    const { authorizer } = new PolicyStore(
      aRole('reader', 'team', READ_PODS),
      aBinding('b', 'team', 'Role/reader', { kind: 'ServiceAccount', name: 'robot' }),
    );
    const robot = aUser('system:serviceaccount:team:robot');
    expect(authorizer.authorize(wants(robot, 'get pods', 'team'))).toEqual({
      allowed: true,
      reason: 'RBAC: allowed by RoleBinding "b/team" of Role "reader" to ServiceAccount "robot/team"',
    });
    expect(
      authorizer.authorize(wants(aUser('system:serviceaccount:x:robot'), 'get pods', 'team')).allowed,
    ).toBe(false);
  });

  test.each([
    [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }, 'create apps/deployments/scale', '', true],
    [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }, 'get pods:log', '', false],
    [{ verbs: ['get'], apiGroups: [''], resources: ['pods/log'] }, 'get pods:log', '', true],
    [{ verbs: ['get'], apiGroups: ['apps'], resources: ['*/scale'] }, 'get apps/deployments/scale', '', true],
    [{ verbs: ['get'], apiGroups: ['apps'], resources: ['*/scale'] }, 'get apps/deployments', '', false],
    [{ verbs: ['get'], apiGroups: ['apps'], resources: ['pods'] }, 'get pods', '', false],
    [{ verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: ['a'] }, 'get pods', 'a', true],
    [{ verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: ['a'] }, 'get pods', 'b', false],
    [{ verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: ['a'] }, 'get pods', '', false],
  ])('rule %j, asked to %s %s: %s', (rule, what, name, allowed) => {
    const store = new PolicyStore(aRole('r', '', rule), aBinding('b', '', 'ClusterRole/r', toAlice));
    expect(store.authorizer.authorize(wants(ALICE, what, 'ns', name)).allowed).toBe(allowed);
  });

  test('paths outside of the API are granted by their beginning', () => {
    const rule = { verbs: ['get'], nonResourceURLs: ['/metrics', '/debug/*'] };
    const { authorizer } = new PolicyStore(aRole('r', '', rule), aBinding('b', '', 'ClusterRole/r', toAlice));
    const may = (path: string, verb = 'get') => authorizer.authorize({ user: ALICE, verb, path }).allowed;
    expect([may('/metrics'), may('/debug/pprof'), may('/metrics/x'), may('/metrics', 'post')]).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  test('changes take effect at once: roles, bindings, and their deletion', () => {
    const store = new PolicyStore();
    const role = aRole('r', 'ns', READ_PODS);
    const binding = aBinding('b', 'ns', 'Role/r', toAlice);
    const may = () => store.authorizer.authorize(wants(ALICE, 'get pods', 'ns')).allowed;
    const seen = [may()];
    store.put(role);
    store.put(binding);
    seen.push(may());
    store.put({ ...binding, subjects: [{ kind: 'User', name: 'bob' }] });
    seen.push(may());
    store.put(binding);
    seen.push(may());
    store.remove(binding);
    seen.push(may());
    expect(seen).toEqual([false, true, false, true, false]);
  });

  test('an aggregated cluster role follows the labels of others', () => {
    const gatherer = {
      ...aRole('all', ''),
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { to: 'all' } }] },
    };
    const part = aRole('part', '', READ_PODS);
    const store = new PolicyStore(gatherer, part, aBinding('b', '', 'ClusterRole/all', toAlice));
    const may = () => store.authorizer.authorize(wants(ALICE, 'get pods', 'ns')).allowed;
    const seen = [may()];
    store.put({ ...part, metadata: { name: 'part', labels: { to: 'all' } } });
    seen.push(may());
    store.remove(part);
    seen.push(may());
    expect(seen).toEqual([false, true, false]);
  });
});

describe('what every cluster starts with', () => {
  const { authorizer } = aStoreWithDefaults(
    aBinding('v', 'team', 'ClusterRole/view', toAlice),
    aBinding('e', 'team', 'ClusterRole/edit', { kind: 'User', name: 'bob' }),
  );

  test('system:masters may do anything, others nothing beyond discovery', () => {
    const root = aUser('root', 'system:masters');
    expect(authorizer.authorize(wants(root, 'delete nodes', '', 'x'))).toEqual({ allowed: true, reason: '' });
    expect(authorizer.authorize(wants(aUser('carol'), 'list nodes')).allowed).toBe(false);
    expect(authorizer.authorize({ user: aUser('carol'), verb: 'get', path: '/apis/apps' }).allowed).toBe(
      true,
    );
    expect(authorizer.authorize({ user: ANONYMOUS, verb: 'get', path: '/version' }).allowed).toBe(true);
    expect(authorizer.authorize({ user: ANONYMOUS, verb: 'get', path: '/apis' }).allowed).toBe(false);
    const self = wants(aUser('carol'), 'create authorization.k8s.io/selfsubjectaccessreviews');
    expect(authorizer.authorize(self).allowed).toBe(true);
  });

  test('view reads, edit writes, and edit holds what view holds', () => {
    const bob = aUser('bob');
    expect(authorizer.authorize(wants(ALICE, 'list apps/deployments', 'team')).allowed).toBe(true);
    expect(authorizer.authorize(wants(ALICE, 'get secrets', 'team')).allowed).toBe(false);
    expect(authorizer.authorize(wants(ALICE, 'create apps/deployments', 'team')).allowed).toBe(false);
    expect(authorizer.authorize(wants(bob, 'create apps/deployments', 'team')).allowed).toBe(true);
    expect(authorizer.authorize(wants(bob, 'list resourcequotas', 'team')).allowed).toBe(true);
    expect(authorizer.authorize(wants(bob, 'create rbac.authorization.k8s.io/roles', 'team')).allowed).toBe(
      false,
    );
  });

  test('a kubelet may report its node', () => {
    const kubelet = aUser('system:node:one', 'system:nodes');
    expect(authorizer.authorize(wants(kubelet, 'patch nodes:status', '', 'one')).allowed).toBe(true);
    expect(authorizer.authorize(wants(kubelet, 'delete nodes', '', 'one')).allowed).toBe(false);
    expect(
      authorizer.authorize(wants(aUser('system:node:one'), 'patch nodes:status', '', 'one')).allowed,
    ).toBe(false);
  });
});

describe('the words of an error', () => {
  const { authorizer } = new PolicyStore();
  test.each([
    [
      wants(ALICE, 'list pods', 'default'),
      'pods is forbidden: User "alice" cannot list resource "pods" in API group "" in the namespace "default"',
      { kind: 'pods' },
    ],
    [
      wants(ALICE, 'list pods'),
      'pods is forbidden: User "alice" cannot list resource "pods" in API group "" at the cluster scope',
      { kind: 'pods' },
    ],
    [
      wants(ALICE, 'get pods:log', 'default', 'x'),
      'pods "x" is forbidden: User "alice" cannot get resource "pods/log" in API group "" in the namespace "default"',
      { name: 'x', kind: 'pods' },
    ],
    [
      wants(aUser('<b>'), 'create apps/deployments', 'd'),
      'deployments.apps is forbidden: User "&lt;b&gt;" cannot create resource "deployments" in API group "apps" in the namespace "d"',
      { group: 'apps', kind: 'deployments' },
    ],
    [
      { user: ANONYMOUS, verb: 'get', path: '/metrics' },
      'forbidden: User "system:anonymous" cannot get path "/metrics"',
      {},
    ],
  ])('%j', (attributes, message, details) => {
    expect(statusOf(() => mustAuthorize(authorizer, attributes))).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      reason: 'Forbidden',
      details,
      code: 403,
    });
  });

  test('name the missing roles of bindings', () => {
    const dangling = new PolicyStore(
      aBinding('one', 'edge', 'Role/edge-nope', toAlice),
      aBinding('two', 'edge', 'ClusterRole/edge-nope', toAlice),
    );
    expect(
      statusOf(() => mustAuthorize(dangling.authorizer, wants(ALICE, 'list pods', 'edge'))),
    ).toMatchObject({
      message:
        'pods is forbidden: User "alice" cannot list resource "pods" in API group "" in the namespace "edge": RBAC: [role.rbac.authorization.k8s.io "edge-nope" not found, clusterrole.rbac.authorization.k8s.io "edge-nope" not found]',
    });
  });
});
