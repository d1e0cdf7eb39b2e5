/**
 * ResourceQuota: how much a namespace may hold. What is used is counted from the objects themselves, so a quota
 * works from the moment it exists; its status is kept up by the collector.
 */
import { type KubeObject, parseQuantity } from '@chandler/kube';
import { qualify } from '../../errors.ts';
import type { Resource } from '../../resource.ts';
import { type AdmissionPlugin, type Attributes, isKind, refused } from './admission.ts';
import { addResources, podLimits, podRequests, type ResourceList } from './pod-resources.ts';

export const RESOURCE_QUOTA: AdmissionPlugin = {
  name: 'ResourceQuota',
  validate(attributes) {
    const { call, operation, object } = attributes;
    if (operation !== 'CREATE' || call.subresource !== undefined || !call.resource.namespaced) return;
    for (const quota of call.list('resourcequotas', call.namespace)) {
      if (matchesScopes(quota, call.resource, object!)) charge(attributes, quota);
    }
  },
};

/** What the objects of the quota's namespace use of each resource that it names. */
export function quotaUsage(
  quota: KubeObject,
  list: (storageKey: string, namespace: string) => Iterable<KubeObject>,
  resources: readonly Resource[],
): ResourceList {
  const hard = hardOf(quota);
  let used: ResourceList = Object.fromEntries(Object.keys(hard).map((name) => [name, '0']));
  const counted = new Set<string>();
  for (const resource of resources) {
    if (!resource.namespaced || counted.has(resource.storage.key)) continue;
    if (!Object.keys(hard).some((name) => concerns(name, resource))) continue;
    counted.add(resource.storage.key);
    for (const object of list(resource.storage.key, quota.metadata.namespace ?? '')) {
      if (matchesScopes(quota, resource, object)) used = addResources(used, usageOf(object, resource, hard));
    }
  }
  return used;
}

// ---------------------------------------------------------------------------------------------------

const COMPUTE = ['cpu', 'memory', 'ephemeral-storage'];
/** Kinds that have a short name of their own among quota resources. */
const COUNTED: ReadonlySet<string> = new Set([
  'pods',
  'services',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
]);

function charge(attributes: Attributes, quota: KubeObject): void {
  const { call, object } = attributes;
  const hard = hardOf(quota);
  const delta = usageOf(object!, call.resource, hard);
  if (isKind(call, '', 'pods')) requireDeclared(attributes, quota, hard);
  const names = Object.keys(delta)
    .filter((name) => !parseQuantity(delta[name]!).isZero())
    .sort();
  if (names.length === 0) return;
  const used = quotaUsage(quota, (key, namespace) => call.list(key, namespace), [call.resource]);
  const after = addResources(used, delta);
  const over = names.filter((name) => parseQuantity(after[name]!).compare(parseQuantity(hard[name]!)) > 0);
  if (over.length === 0) return;
  const show = (list: ResourceList) => over.map((name) => `${name}=${list[name] ?? '0'}`).join(',');
  throw refused(
    attributes,
    `exceeded quota: ${quota.metadata.name}, requested: ${show(delta)}, used: ${show(used)}, limited: ${show(hard)}`,
  );
}

/** Under a quota on compute, every container says what it takes. */
function requireDeclared(attributes: Attributes, quota: KubeObject, hard: ResourceList): void {
  const spec = attributes.object!['spec'] as { containers?: Declared[]; initContainers?: Declared[] };
  const missing = new Map<string, string[]>();
  for (const container of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) {
    for (const name of Object.keys(hard)) {
      if (declares(container, name)) continue;
      missing.set(name, [...(missing.get(name) ?? []), container.name]);
    }
  }
  if (missing.size === 0) return;
  const parts = [...missing]
    .sort()
    .map(([name, containers]) => `${name} for: ${containers.sort().join(',')}`);
  throw refused(attributes, `failed quota: ${quota.metadata.name}: must specify ${parts.join('; ')}`);
}

interface Declared {
  readonly name: string;
  readonly resources?: { readonly requests?: ResourceList; readonly limits?: ResourceList };
}

function declares({ resources }: Declared, quotaName: string): boolean {
  if (COMPUTE.includes(quotaName)) return resources?.requests?.[quotaName] !== undefined;
  const [side, name] = splitName(quotaName);
  if (name === undefined || !COMPUTE.includes(name)) return true;
  return resources?.[side === 'requests' ? 'requests' : 'limits']?.[name] !== undefined;
}

function splitName(quotaName: string): [string, string | undefined] {
  const dot = quotaName.indexOf('.');
  const side = quotaName.slice(0, dot);
  return side === 'requests' || side === 'limits' ? [side, quotaName.slice(dot + 1)] : [quotaName, undefined];
}

function hardOf(quota: KubeObject): ResourceList {
  return (quota['spec'] as { hard?: ResourceList } | undefined)?.hard ?? {};
}

function concerns(quotaName: string, resource: Resource): boolean {
  const qualified = qualify(resource);
  if (quotaName === `count/${qualified}`) return true;
  if (resource.group !== '') return false;
  if (quotaName === resource.plural && COUNTED.has(quotaName)) return true;
  const [, name] = splitName(quotaName);
  if (resource.plural === 'persistentvolumeclaims') return quotaName === 'requests.storage';
  return (
    resource.plural === 'pods' &&
    (COMPUTE.includes(quotaName) || (name !== undefined && quotaName !== 'requests.storage'))
  );
}

function usageOf(object: KubeObject, resource: Resource, hard: ResourceList): ResourceList {
  const usage: ResourceList = {};
  const isPod = resource.group === '' && resource.plural === 'pods';
  const ended =
    isPod && /^(Succeeded|Failed)$/.test((object['status'] as { phase?: string } | undefined)?.phase ?? '');
  for (const quotaName of Object.keys(hard)) {
    if (!concerns(quotaName, resource)) continue;
    if (quotaName.startsWith('count/') || quotaName === resource.plural) {
      if (!ended || quotaName.startsWith('count/')) usage[quotaName] = '1';
    } else if (!ended) {
      const amount = isPod ? podAmount(object, quotaName) : claimAmount(object);
      if (amount !== undefined) usage[quotaName] = amount;
    }
  }
  return usage;
}

function podAmount(pod: KubeObject, quotaName: string): string | undefined {
  const [side, name] = splitName(quotaName);
  if (name === undefined) return podRequests(pod)[quotaName];
  return side === 'requests' ? podRequests(pod)[name] : podLimits(pod)[name];
}

function claimAmount(claim: KubeObject): string | undefined {
  const spec = claim['spec'] as { resources?: { requests?: ResourceList } } | undefined;
  return spec?.resources?.requests?.['storage'];
}

/** Scopes narrow a quota to some pods; a quota without them is about everything. */
function matchesScopes(quota: KubeObject, resource: Resource, object: KubeObject): boolean {
  const spec = (quota['spec'] ?? {}) as { scopes?: string[]; scopeSelector?: { matchExpressions?: Scope[] } };
  const scopes: Scope[] = [
    ...(spec.scopes ?? []).map((scopeName) => ({ scopeName, operator: 'Exists' })),
    ...(spec.scopeSelector?.matchExpressions ?? []),
  ];
  if (scopes.length === 0) return true;
  return resource.plural === 'pods' && scopes.every((scope) => matchesScope(scope, object));
}

interface Scope {
  readonly scopeName: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

function matchesScope({ scopeName, operator, values = [] }: Scope, pod: KubeObject): boolean {
  const spec = (pod['spec'] ?? {}) as { activeDeadlineSeconds?: number; priorityClassName?: string };
  const bestEffort = Object.keys(podRequests(pod)).length + Object.keys(podLimits(pod)).length === 0;
  switch (scopeName) {
    case 'Terminating':
      return spec.activeDeadlineSeconds !== undefined;
    case 'NotTerminating':
      return spec.activeDeadlineSeconds === undefined;
    case 'BestEffort':
      return bestEffort;
    case 'NotBestEffort':
      return !bestEffort;
    default:
      return scopeName === 'PriorityClass' && matchesPriority(operator, values, spec.priorityClassName ?? '');
  }
}

function matchesPriority(operator: string, values: readonly string[], name: string): boolean {
  if (operator === 'Exists') return name !== '';
  if (operator === 'DoesNotExist') return name === '';
  return values.includes(name) === (operator === 'In');
}
