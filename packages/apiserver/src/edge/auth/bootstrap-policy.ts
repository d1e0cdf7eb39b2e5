/**
 * The roles and bindings of a fresh cluster as objects, ready to be stored where they do not exist yet.
 */
import type { KubeObject } from '@chandler/kube';
import { BOOTSTRAP_BINDINGS, BOOTSTRAP_ROLES } from './bootstrap-policy.table.ts';

/** ClusterRoles first, then the ClusterRoleBindings that refer to them. */
export function bootstrapPolicy(): readonly KubeObject[] {
  return [...BOOTSTRAP_ROLES.map(roleObject), ...BOOTSTRAP_BINDINGS.map(bindingObject)];
}

// ---------------------------------------------------------------------------------------------------

const GROUP = 'rbac.authorization.k8s.io';
const ANNOTATIONS = { 'rbac.authorization.kubernetes.io/autoupdate': 'true' };
const LABELS = { 'kubernetes.io/bootstrapping': 'rbac-defaults' };

function roleObject(role: (typeof BOOTSTRAP_ROLES)[number]): KubeObject {
  const gathered = role.gathers === undefined ? undefined : { matchLabels: { [role.gathers]: 'true' } };
  return {
    apiVersion: `${GROUP}/v1`,
    kind: 'ClusterRole',
    metadata: { name: role.name, labels: { ...LABELS, ...role.labels }, annotations: { ...ANNOTATIONS } },
    ...(gathered === undefined ? {} : { aggregationRule: { clusterRoleSelectors: [gathered] } }),
    rules: structuredClone(role.rules ?? null),
  };
}

function bindingObject(binding: (typeof BOOTSTRAP_BINDINGS)[number]): KubeObject {
  const subject = (kind: string) => (name: string) => ({ apiGroup: GROUP, kind, name });
  const subjects = [
    ...(binding.groups ?? []).map(subject('Group')),
    ...(binding.users ?? []).map(subject('User')),
  ];
  return {
    apiVersion: `${GROUP}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name: binding.name, labels: { ...LABELS }, annotations: { ...ANNOTATIONS } },
    roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name: binding.name },
    ...(subjects.length === 0 ? {} : { subjects }),
  };
}
