/**
 * Prevents privilege escalation: the check that a real server makes when roles and bindings are written.
 * To be called before such a write is stored, for creates and updates alike.
 */
import type { KubeObject } from '@chandler/kube';
import { ApiError, forbidden, notFound } from '../../errors.ts';
import type { UserInfo } from '../../resource.ts';
import { MASTERS } from './attributes.ts';
import { joinErrors, type RbacAuthorizer } from './rbac.ts';
import { describeRules, type PolicyRule, quotedList, uncovered } from './rules.ts';

export const RBAC_GROUP = 'rbac.authorization.k8s.io';

export interface RbacWrite {
  readonly user: UserInfo;
  /** roles, clusterroles, rolebindings or clusterrolebindings; anything else passes. */
  readonly plural: string;
  /** Of the request; empty at cluster scope. */
  readonly namespace: string;
  /** Of the request's path; empty on create. */
  readonly requestName: string;
  readonly object: KubeObject;
  /** What is stored, on an update. */
  readonly previous?: KubeObject;
}

export function checkEscalation(authorizer: RbacAuthorizer, write: RbacWrite): void {
  if (write.user.groups.includes(MASTERS)) return;
  if (write.previous !== undefined && onlyCollectorFieldsDiffer(write.object, write.previous)) return;
  if (write.plural === 'roles' || write.plural === 'clusterroles') checkRole(authorizer, write);
  else if (write.plural === 'rolebindings' || write.plural === 'clusterrolebindings')
    checkBinding(authorizer, write);
}

// ---------------------------------------------------------------------------------------------------

const FULL_AUTHORITY: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

function checkRole(authorizer: RbacAuthorizer, write: RbacWrite): void {
  const mayEscalate = authorizer.authorize({
    user: write.user,
    verb: 'escalate',
    group: RBAC_GROUP,
    resource: write.plural,
    subresource: '',
    namespace: write.namespace,
    name: write.requestName,
  });
  if (mayEscalate.allowed) return;
  refuseUncovered(authorizer, write, (write.object['rules'] ?? []) as PolicyRule[]);
  if (!aggregates(write.object) && !(write.previous !== undefined && aggregates(write.previous))) return;
  if (uncovered(authorizer.rulesFor(write.user, write.namespace).rules, FULL_AUTHORITY).length > 0) {
    throw refusal(write, 'must have cluster-admin privileges to use the aggregationRule');
  }
}

function checkBinding(authorizer: RbacAuthorizer, write: RbacWrite): void {
  const role = write.object['roleRef'] as { apiGroup?: string; kind?: string; name?: string };
  const kind = role.kind ?? '';
  const name = role.name ?? '';
  if (kind === 'Role' || kind === 'ClusterRole') {
    const mayBind = authorizer.authorize({
      user: write.user,
      verb: 'bind',
      group: role.apiGroup ?? '',
      resource: kind === 'Role' ? 'roles' : 'clusterroles',
      subresource: '',
      namespace: write.namespace,
      name,
    });
    if (mayBind.allowed) return;
  } else {
    throw new ApiError(
      500,
      'InternalError',
      `Internal error occurred: unsupported role reference kind: ${JSON.stringify(kind)}`,
    );
  }
  const rules = authorizer.roleRules(kind, name, write.namespace);
  // The real server names the resource of the request here, not that of the role.
  if (rules === undefined) throw notFound({ group: RBAC_GROUP, plural: write.plural }, name);
  refuseUncovered(authorizer, write, rules);
}

function refuseUncovered(authorizer: RbacAuthorizer, write: RbacWrite, wanted: readonly PolicyRule[]): void {
  const held = authorizer.rulesFor(write.user, write.namespace);
  const missing = uncovered(held.rules, wanted);
  if (missing.length === 0) return;
  const { username, groups } = write.user;
  const head = `user ${JSON.stringify(username)} (groups=${quotedList(groups)}) is attempting to grant RBAC permissions not currently held:`;
  const lines = describeRules(missing).join('\n');
  const errors = held.errors.map((error) => error.replace(/^\w+\./, `${write.plural}.`));
  const tail = errors.length === 0 ? '' : `; resolution errors: [${joinErrors(errors)}]`;
  throw refusal(write, `${head}\n${lines}${tail}`);
}

function refusal(write: RbacWrite, why: string): ApiError {
  return forbidden({ group: RBAC_GROUP, plural: write.plural }, write.object.metadata.name ?? '', why);
}

function aggregates(role: KubeObject): boolean {
  const rule = role['aggregationRule'] as { clusterRoleSelectors?: unknown[] } | null | undefined;
  return (rule?.clusterRoleSelectors ?? []).length > 0;
}

/** The garbage collector must be able to remove owner references and finalizers, whatever the object grants. */
function onlyCollectorFieldsDiffer(next: KubeObject, previous: KubeObject): boolean {
  return JSON.stringify(withoutCollectorFields(next)) === JSON.stringify(withoutCollectorFields(previous));
}

function withoutCollectorFields(object: KubeObject): unknown {
  const { ownerReferences, finalizers, managedFields, resourceVersion, ...metadata } = object.metadata;
  return inOrder({ ...object, metadata });
}

/** The same content in the same order of keys, so that texts can be compared. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (value === null || typeof value !== 'object') return value;
  const fields = value as Record<string, unknown>;
  return Object.fromEntries(
    Object.keys(fields)
      .sort()
      .map((key) => [key, inOrder(fields[key])]),
  );
}
