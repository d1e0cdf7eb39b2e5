/** Findings about the roles of Chandler's account: what it needs first of all, by the rules that are bound to it. */
import type { KubeObject } from '@chandler/kube';
import type { Finding } from './findings.table.ts';
import { listed } from './listed.ts';
import type { Picture, RoleObjects } from './picture.ts';
import { accountNameOf } from './side.ts';

interface Needed {
  readonly verbs: readonly string[];
  readonly group: string;
  readonly resource: string;
  readonly name?: string;
}

interface Rule {
  readonly verbs?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
}

export function judgePermissions({ roles, chandlerSide, leases, hashKinds }: Picture): readonly Finding[] {
  if (roles === undefined || chandlerSide === undefined) return [];
  const { namespace } = chandlerSide.deployment.metadata;
  const name = accountNameOf(chandlerSide.deployment);
  const rules = rulesOf(roles, { namespace, name });
  const [classes = []] = hashKinds;
  const needed: readonly Needed[] = [
    ...CLUSTER_WIDE,
    ...classes.flatMap(({ group, plural }) => [
      { verbs: ['list', 'watch', 'patch'], group, resource: plural },
      { verbs: ['patch'], group, resource: `${plural}/status` },
    ]),
  ];
  const lease = { ...LEASE, name: leases.chandler?.name ?? '' };
  const missing = [
    ...needed.flatMap((need) => missingOf(need, rules.everywhere)),
    ...missingOf(lease, [...rules.everywhere, ...rules.inNamespace]),
  ];
  if (missing.length === 0) return [];
  return [
    {
      code: 'PermissionMissing',
      message: `ServiceAccount ${namespace}/${name} of Chandler may not ${listed(missing)}.`,
      fix: 'apply the roles of deploy/, with the namespace of Chandler',
    },
  ];
}

// ---------------------------------------------------------------------------------------------------

/** Without these it cannot start, or a node cannot be launched or removed. The roles of deploy/ hold them and the rest. */
const CLUSTER_WIDE: readonly Needed[] = [
  { verbs: ['list', 'watch', 'patch'], group: 'karpenter.sh', resource: 'nodepools' },
  { verbs: ['list', 'watch', 'create', 'patch', 'delete'], group: 'karpenter.sh', resource: 'nodeclaims' },
  { verbs: ['patch'], group: 'karpenter.sh', resource: 'nodepools/status' },
  { verbs: ['patch'], group: 'karpenter.sh', resource: 'nodeclaims/status' },
  { verbs: ['list', 'watch', 'patch', 'delete'], group: '', resource: 'nodes' },
  { verbs: ['list', 'watch'], group: '', resource: 'pods' },
  { verbs: ['create'], group: '', resource: 'pods/eviction' },
];
const LEASE: Needed = { verbs: ['get', 'update'], group: 'coordination.k8s.io', resource: 'leases' };

function missingOf({ verbs, group, resource, name }: Needed, rules: readonly Rule[]): readonly string[] {
  const has = (list: readonly string[] | undefined, value: string) =>
    list?.includes('*') === true || list?.includes(value) === true;
  const hasResource = (list: readonly string[] | undefined) =>
    has(list, resource) || list?.includes(`*/${resource.split('/')[1]}`) === true;
  const isNamed = (names: readonly string[] | undefined) =>
    names === undefined || names.length === 0 || (name !== undefined && names.includes(name));
  const allowed = (verb: string) =>
    rules.some(
      (rule) =>
        has(rule.verbs, verb) &&
        has(rule.apiGroups, group) &&
        hasResource(rule.resources) &&
        isNamed(rule.resourceNames),
    );
  return verbs.filter((verb) => !allowed(verb)).map((verb) => `${verb} ${resource}`);
}

interface Account {
  readonly namespace: string;
  readonly name: string;
}

interface Binding extends KubeObject {
  readonly subjects?: readonly {
    readonly kind?: string;
    readonly name?: string;
    readonly namespace?: string;
  }[];
  readonly roleRef?: { readonly kind?: string; readonly name?: string };
}

function rulesOf(
  { clusterRoles, clusterBindings, roles, bindings }: RoleObjects,
  account: Account,
): { readonly everywhere: readonly Rule[]; readonly inNamespace: readonly Rule[] } {
  const rules = (binding: Binding): readonly Rule[] => {
    const from = binding.roleRef?.kind === 'Role' ? roles : clusterRoles;
    const role = from.find(({ metadata }) => metadata.name === binding.roleRef?.name);
    return (role?.['rules'] as readonly Rule[] | undefined) ?? [];
  };
  const own = (all: readonly KubeObject[]) =>
    (all as readonly Binding[]).filter((binding) => binds(binding, account)).flatMap(rules);
  return { everywhere: own(clusterBindings), inNamespace: own(bindings) };
}

function binds({ subjects = [], metadata }: Binding, { namespace, name }: Account): boolean {
  return subjects.some((subject) => {
    if (subject.kind === 'ServiceAccount')
      return subject.name === name && (subject.namespace ?? metadata.namespace) === namespace;
    const groups = ['system:authenticated', 'system:serviceaccounts', `system:serviceaccounts:${namespace}`];
    if (subject.kind === 'Group') return groups.includes(subject.name ?? '');
    return subject.name === `system:serviceaccount:${namespace}:${name}`;
  });
}
