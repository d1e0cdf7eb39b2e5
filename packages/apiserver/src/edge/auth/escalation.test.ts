import type { KubeObject } from '@chandler/kube';
import { describe, expect, test } from 'vitest';
import { checkEscalation, type RbacWrite } from './escalation.ts';
import { aBinding, aRole, aStoreWithDefaults, aUser, type PolicyStore } from './policy-store.fixture.ts';
import type { PolicyRule } from './rules.ts';

const ALICE = aUser('alice', 'dev');
const toAlice = { kind: 'User', name: 'alice' };
const RBAC = 'rbac.authorization.k8s.io';
const WRITER: readonly PolicyRule[] = [
  { verbs: ['create', 'update', 'get'], apiGroups: [RBAC], resources: ['roles', 'rolebindings'] },
  { verbs: ['get'], apiGroups: [''], resources: ['pods'] },
];

function aStore(...more: KubeObject[]): PolicyStore {
  return aStoreWithDefaults(
    aRole('edge-writer', 'edge', ...WRITER),
    aBinding('edge-writer', 'edge', 'Role/edge-writer', toAlice),
    ...more,
  );
}

function write(plural: string, object: KubeObject, more: Partial<RbacWrite> = {}): RbacWrite {
  return { user: ALICE, plural, namespace: 'edge', requestName: '', object, ...more };
}

describe('roles', () => {
  test('may grant what their writer may do', () => {
    const role = aRole('r', 'edge', {
      verbs: ['get'],
      apiGroups: [''],
      resources: ['pods'],
      resourceNames: ['one'],
    });
    expect(() => checkEscalation(aStore().authorizer, write('roles', role))).not.toThrow();
  });

  test('may not grant more, and the answer lists what is missing', () => {
    const role = aRole(
      'esc',
      'edge',
      { apiGroups: ['', 'apps'], resources: ['pods', 'deployments'], verbs: ['get', 'list', 'watch'] },
      { apiGroups: [''], resources: ['secrets'], verbs: ['get'], resourceNames: ['a', 'b'] },
    );
    const store = aStore(
      aBinding('d1', 'edge', 'Role/edge-nope', toAlice),
      aBinding('d2', 'edge', 'ClusterRole/edge-nope', toAlice),
    );
    expect(() => checkEscalation(store.authorizer, write('roles', role))).toThrow(
      [
        'roles.rbac.authorization.k8s.io "esc" is forbidden: user "alice" (groups=["dev" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:',
        '{APIGroups:[""], Resources:["deployments"], Verbs:["get" "list" "watch"]}',
        '{APIGroups:[""], Resources:["pods"], Verbs:["list" "watch"]}',
        '{APIGroups:[""], Resources:["secrets"], ResourceNames:["a"], Verbs:["get"]}',
        '{APIGroups:[""], Resources:["secrets"], ResourceNames:["b"], Verbs:["get"]}',
        '{APIGroups:["apps"], Resources:["deployments"], Verbs:["get" "list" "watch"]}',
        '{APIGroups:["apps"], Resources:["pods"], Verbs:["get" "list" "watch"]}; resolution errors: [roles.rbac.authorization.k8s.io "edge-nope" not found]',
      ].join('\n'),
    );
  });

  test('may grant more when the writer may escalate, or is in system:masters', () => {
    const role = aRole('r', 'edge', { verbs: ['*'], apiGroups: ['*'], resources: ['*'] });
    const allowed = aStore(
      aRole('escalator', 'edge', { verbs: ['escalate'], apiGroups: [RBAC], resources: ['roles'] }),
      aBinding('escalator', 'edge', 'Role/escalator', toAlice),
    );
    expect(() => checkEscalation(allowed.authorizer, write('roles', role))).not.toThrow();
    const byMaster = write('roles', role, { user: aUser('root', 'system:masters') });
    expect(() => checkEscalation(aStore().authorizer, byMaster)).not.toThrow();
  });

  test('may lose their owner references by any writer, because the garbage collector removes them', () => {
    const previous = aRole('r', 'edge', { verbs: ['*'], apiGroups: ['*'], resources: ['*'] });
    const owned = {
      ...previous,
      metadata: { ...previous.metadata, finalizers: ['x'], resourceVersion: '1' },
    };
    const update = write('roles', previous, { requestName: 'r', previous: owned });
    expect(() => checkEscalation(aStore().authorizer, update)).not.toThrow();
    const labelled = { ...previous, metadata: { ...previous.metadata, labels: { a: 'b' } } };
    const change = write('roles', labelled, { requestName: 'r', previous: owned });
    expect(() => checkEscalation(aStore().authorizer, change)).toThrow(/not currently held/);
  });

  test('may aggregate others only when their writer may do everything', () => {
    const role = {
      ...aRole('g', ''),
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] },
    };
    expect(() =>
      checkEscalation(aStore().authorizer, write('clusterroles', role, { namespace: '' })),
    ).toThrow(
      'clusterroles.rbac.authorization.k8s.io "g" is forbidden: must have cluster-admin privileges to use the aggregationRule',
    );
    const admin = aStore(aBinding('boss', '', 'ClusterRole/cluster-admin', toAlice));
    expect(() =>
      checkEscalation(admin.authorizer, write('clusterroles', role, { namespace: '' })),
    ).not.toThrow();
  });
});

describe('bindings', () => {
  const toBob = { kind: 'User', name: 'bob' };

  test('may grant a role whose permissions the writer has', () => {
    const binding = aBinding('b', 'edge', 'Role/edge-writer', toBob);
    expect(() => checkEscalation(aStore().authorizer, write('rolebindings', binding))).not.toThrow();
  });

  test('may not grant a larger one, unless the writer may bind it', () => {
    const binding = aBinding('b', 'edge', 'ClusterRole/view', toBob);
    expect(() => checkEscalation(aStore().authorizer, write('rolebindings', binding))).toThrow(
      /^rolebindings.rbac.authorization.k8s.io "b" is forbidden: user "alice" .* not currently held:\n\{APIGroups:\[""\], Resources:\["bindings"\], Verbs:\["get" "list" "watch"\]\}/,
    );
    const binder = aStore(
      aRole('binder', 'edge', {
        verbs: ['bind'],
        apiGroups: [RBAC],
        resources: ['clusterroles'],
        resourceNames: ['view'],
      }),
      aBinding('binder', 'edge', 'Role/binder', toAlice),
    );
    expect(() => checkEscalation(binder.authorizer, write('rolebindings', binding))).not.toThrow();
  });

  test('to a role that does not exist are answered with 404 in the name of the binding', () => {
    const binding = aBinding('b', 'edge', 'ClusterRole/nope', toBob);
    expect(() => checkEscalation(aStore().authorizer, write('rolebindings', binding))).toThrow(
      'rolebindings.rbac.authorization.k8s.io "nope" not found',
    );
  });
});
