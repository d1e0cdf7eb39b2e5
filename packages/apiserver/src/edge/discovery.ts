/**
 * What the server offers, as clients ask for it: the plain lists under /api and /apis, and the aggregated form
 * that answers everything at once. Rendered from the catalogue and kept until the catalogue changes.
 */
import { apiVersionOf } from '@chandler/kube';
import type { Catalogue, Resource, Subresource, Verb } from '../resource.ts';
import { compareVersions } from './version-order.ts';

export interface Answer {
  readonly contentType: string;
  readonly body: object;
}

/** Undefined when the path is none of discovery's, or names a group or version that is not served. */
export function discoveryAnswer(
  path: string,
  accept: string | undefined,
  catalogue: Catalogue,
): Answer | undefined {
  const plainPath = path.endsWith('/') ? path.slice(0, -1) : path;
  const aggregated = (plainPath === '/api' || plainPath === '/apis') && wantsAggregated(accept);
  const kept = keptAnswers(catalogue);
  const key = aggregated ? `${plainPath} aggregated` : plainPath;
  let answer = kept.get(key);
  if (answer === undefined && !kept.has(key)) {
    answer = aggregated ? aggregatedAnswer(plainPath, catalogue) : plainAnswer(plainPath, catalogue);
    if (answer !== undefined) kept.set(key, answer);
  }
  return answer;
}

export const AGGREGATED_TYPE = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

// ---------------------------------------------------------------------------------------------------

/** The order in which a real server lists its own groups; all others follow by name. */
const GROUP_ORDER = [
  'apiregistration.k8s.io',
  'apps',
  'events.k8s.io',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'autoscaling',
  'batch',
  'certificates.k8s.io',
  'networking.k8s.io',
  'policy',
  'rbac.authorization.k8s.io',
  'storage.k8s.io',
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'scheduling.k8s.io',
  'coordination.k8s.io',
  'node.k8s.io',
  'discovery.k8s.io',
  'resource.k8s.io',
  'flowcontrol.apiserver.k8s.io',
];

const CUSTOM_VERBS: readonly Verb[] = [
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'create',
  'update',
  'watch',
];

/** A group with its versions, the preferred one first, each with its resources by name. */
interface Group {
  readonly name: string;
  readonly versions: readonly { readonly version: string; readonly resources: readonly Resource[] }[];
}

const kept = new WeakMap<Catalogue, { revision: number; answers: Map<string, Answer> }>();

function keptAnswers(catalogue: Catalogue): Map<string, Answer> {
  const found = kept.get(catalogue);
  if (found !== undefined && found.revision === catalogue.revision) return found.answers;
  const fresh = { revision: catalogue.revision, answers: new Map<string, Answer>() };
  kept.set(catalogue, fresh);
  return fresh.answers;
}

/** Media types are taken in the order in which the client names them. */
function wantsAggregated(accept: string | undefined): boolean {
  for (const range of (accept ?? '').split(',')) {
    const [type, ...parameters] = range.split(';').map((part) => part.trim());
    if (type !== 'application/json' && type !== '*/*' && type !== 'application/*') continue;
    const named = new Set(parameters);
    if (!parameters.some((parameter) => parameter.startsWith('as='))) return false;
    if (named.has('g=apidiscovery.k8s.io') && named.has('v=v2') && named.has('as=APIGroupDiscoveryList'))
      return true;
  }
  return false;
}

function groupsOf(catalogue: Catalogue): readonly Group[] {
  const byGroup = new Map<string, Map<string, Resource[]>>();
  for (const resource of catalogue.all()) {
    const versions = byGroup.get(resource.group) ?? new Map<string, Resource[]>();
    byGroup.set(resource.group, versions);
    const resources = versions.get(resource.version) ?? [];
    versions.set(resource.version, resources);
    resources.push(resource);
  }
  const groups = [...byGroup].map(([name, versions]) => ({
    name,
    versions: [...versions]
      .map(([version, resources]) => ({ version, resources: resources.sort(byPlural) }))
      .sort((one, other) => compareVersions(one.version, other.version)),
  }));
  return groups.sort(byGroupOrder);
}

function byPlural(one: Resource, other: Resource): number {
  return one.plural < other.plural ? -1 : 1;
}

function byGroupOrder(one: Group, other: Group): number {
  const rank = (group: Group) => {
    const index = GROUP_ORDER.indexOf(group.name);
    return index < 0 ? GROUP_ORDER.length : index;
  };
  return rank(one) - rank(other) || (one.name < other.name ? -1 : 1);
}

function plainAnswer(path: string, catalogue: Catalogue): Answer | undefined {
  const body = plainBody(path, groupsOf(catalogue));
  return body === undefined ? undefined : { contentType: 'application/json', body };
}

function plainBody(path: string, groups: readonly Group[]): object | undefined {
  const [, root, ...rest] = path.split('/');
  const named = groups.filter((group) => group.name !== '');
  if (root === 'api') {
    const core = groups.find((group) => group.name === '');
    const versions = core?.versions.map(({ version }) => version) ?? [];
    if (rest.length === 0) return { kind: 'APIVersions', versions, serverAddressByClientCIDRs: [] };
    return rest.length === 1 && core !== undefined ? resourceList(core, rest[0]!) : undefined;
  }
  if (root !== 'apis') return undefined;
  if (rest.length === 0) return { kind: 'APIGroupList', apiVersion: 'v1', groups: named.map(groupBody) };
  const group = named.find(({ name }) => name === rest[0]);
  if (group === undefined || rest.length > 2) return undefined;
  if (rest.length === 1) return { kind: 'APIGroup', apiVersion: 'v1', ...groupBody(group) };
  return resourceList(group, rest[1]!);
}

function groupBody(group: Group): object {
  const versions = group.versions.map(({ version }) => ({
    groupVersion: `${group.name}/${version}`,
    version,
  }));
  return { name: group.name, versions, preferredVersion: versions[0] };
}

function resourceList(group: Group, version: string): object | undefined {
  const found = group.versions.find((candidate) => candidate.version === version);
  if (found === undefined) return undefined;
  return {
    kind: 'APIResourceList',
    ...(group.name === '' ? {} : { apiVersion: 'v1' }),
    groupVersion: apiVersionOf(group.name, version),
    resources: found.resources.flatMap((resource) => [
      {
        name: resource.plural,
        singularName: resource.singular,
        namespaced: resource.namespaced,
        kind: resource.kind,
        ...sharedFields(resource),
      },
      ...subresourcesOf(resource).map((subresource) => ({
        name: `${resource.plural}/${subresource.name}`,
        singularName: '',
        namespaced: resource.namespaced,
        ...(subresource.group === undefined ? {} : { group: subresource.group }),
        ...(subresource.version === undefined ? {} : { version: subresource.version }),
        kind: subresource.kind,
        verbs: [...subresource.verbs].sort(),
      })),
    ]),
  };
}

function aggregatedAnswer(path: string, catalogue: Catalogue): Answer {
  const groups = groupsOf(catalogue).filter((group) => (group.name === '') === (path === '/api'));
  return {
    contentType: AGGREGATED_TYPE,
    body: {
      kind: 'APIGroupDiscoveryList',
      apiVersion: 'apidiscovery.k8s.io/v2',
      metadata: {},
      items: groups.map((group) => ({
        metadata: group.name === '' ? {} : { name: group.name },
        versions: group.versions.map(({ version, resources }) => ({
          version,
          resources: resources.map(aggregatedResource),
          freshness: 'Current',
        })),
      })),
    },
  };
}

function aggregatedResource(resource: Resource): object {
  const subresources = subresourcesOf(resource).map((subresource) => ({
    subresource: subresource.name,
    responseKind: responseKind(resource, subresource),
    verbs: [...subresource.verbs].sort(),
  }));
  return {
    resource: resource.plural,
    responseKind: responseKind(resource, { kind: resource.kind }),
    scope: resource.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: resource.singular,
    ...sharedFields(resource),
    ...(subresources.length === 0 ? {} : { subresources }),
  };
}

/** Built-in kinds leave group and version empty where they are the list's own; custom resources name them. */
function responseKind(resource: Resource, spoken: Pick<Subresource, 'group' | 'version' | 'kind'>): object {
  const own = isCustom(resource) ? resource : { group: '', version: '' };
  return { group: spoken.group ?? own.group, version: spoken.version ?? own.version, kind: spoken.kind };
}

function sharedFields(resource: Resource): object {
  const verbs = isCustom(resource)
    ? CUSTOM_VERBS.filter((verb) => resource.verbs.includes(verb))
    : [...resource.verbs].sort();
  return {
    verbs,
    ...(resource.shortNames.length === 0 ? {} : { shortNames: resource.shortNames }),
    ...(resource.categories.length === 0 ? {} : { categories: resource.categories }),
  };
}

function subresourcesOf(resource: Resource): readonly Subresource[] {
  if (isCustom(resource)) {
    return resource.subresources.toSorted((one, other) => (one.name > other.name ? -1 : 1));
  }
  return resource.subresources.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/** Only the structures of built-in kinds come from named definitions. */
function isCustom(resource: Resource): boolean {
  return resource.structure.name === undefined;
}
