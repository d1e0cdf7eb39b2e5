/** For the tests of this folder: an in-memory store of policy objects, with an authorizer that is notified of changes. */
import type { KubeObject, Stored } from '@chandler/kube';
import { stored } from '@chandler/kube/testing';
import type { UserInfo } from '../../resource.ts';
import type { Attributes } from './attributes.ts';
import { bootstrapPolicy } from './bootstrap-policy.ts';
import { type PolicySource, RbacAuthorizer } from './rbac.ts';
import type { PolicyRule } from './rules.ts';

const GROUP = 'rbac.authorization.k8s.io';
const PLURALS: Readonly<Record<string, string>> = {
  Role: `roles.${GROUP}`,
  ClusterRole: `clusterroles.${GROUP}`,
  RoleBinding: `rolebindings.${GROUP}`,
  ClusterRoleBinding: `clusterrolebindings.${GROUP}`,
  ServiceAccount: 'serviceaccounts',
  Pod: 'pods',
  Node: 'nodes',
};

export class PolicyStore implements PolicySource {
  readonly #objects = new Map<string, Stored>();
  readonly authorizer: RbacAuthorizer;

  constructor(...objects: KubeObject[]) {
    for (const object of objects) this.#objects.set(keyOf(object), held(object));
    this.authorizer = new RbacAuthorizer(this);
  }

  lookup(storageKey: string, namespace: string, name: string): Stored | undefined {
    return this.#objects.get(`${storageKey} ${namespace}/${name}`);
  }

  *list(storageKey: string, namespace?: string): Generator<Stored> {
    const prefix = namespace === undefined ? `${storageKey} ` : `${storageKey} ${namespace}/`;
    for (const [key, object] of this.#objects) if (key.startsWith(prefix)) yield object;
  }

  put(object: KubeObject): void {
    this.#objects.set(keyOf(object), held(object));
    this.#notify(object);
  }

  remove(object: KubeObject): void {
    this.#objects.delete(keyOf(object));
    this.#notify(object);
  }

  #notify(object: KubeObject): void {
    const { namespace, name } = object.metadata;
    this.authorizer.changed(PLURALS[object.kind!]!, namespace ?? '', name ?? '');
  }
}

export function aStoreWithDefaults(...objects: KubeObject[]): PolicyStore {
  return new PolicyStore(...bootstrapPolicy(), ...objects);
}

export function aUser(username: string, ...groups: string[]): UserInfo {
  return { username, groups: [...groups, 'system:authenticated'] };
}

export function aRole(name: string, namespace: string, ...rules: PolicyRule[]): KubeObject {
  return { kind: namespace === '' ? 'ClusterRole' : 'Role', metadata: meta(name, namespace), rules };
}

export function aBinding(
  name: string,
  namespace: string,
  role: string,
  ...subjects: { kind: string; name: string; namespace?: string }[]
): KubeObject {
  const [kind, roleName] = role.split('/') as [string, string];
  return {
    kind: namespace === '' ? 'ClusterRoleBinding' : 'RoleBinding',
    metadata: meta(name, namespace),
    roleRef: { apiGroup: GROUP, kind, name: roleName },
    subjects,
  };
}

/** `list pods`, `get apps/deployments/scale`, with namespace and name after it. */
export function wants(user: UserInfo, what: string, namespace = '', name = ''): Attributes {
  const [verb, target] = what.split(' ') as [string, string];
  const grouped = /^([a-z0-9.-]+)\/([a-z]+)(?:\/([a-z]+))?$/.exec(target);
  const core = /^([a-z]+)(?::([a-z]+))?$/.exec(target);
  const [group, resource, subresource] =
    core === null ? [grouped![1]!, grouped![2]!, grouped![3] ?? ''] : ['', core[1]!, core[2] ?? ''];
  return { user, verb, group, resource, subresource, namespace, name };
}

// ---------------------------------------------------------------------------------------------------

function meta(name: string, namespace: string): KubeObject['metadata'] {
  return namespace === '' ? { name } : { name, namespace };
}

function held(object: KubeObject): Stored {
  return stored({ ...object, metadata: { ...object.metadata, name: object.metadata.name! } });
}

function keyOf(object: KubeObject): string {
  return `${PLURALS[object.kind!]} ${object.metadata.namespace ?? ''}/${object.metadata.name}`;
}
