/**
 * The paths of a resource with their operations. kubectl looks for the PATCH operation of a kind and, among its
 * parameters, for `fieldValidation` and `dryRun`; the rest is there for people and code generators.
 */
import type { Resource, Subresource, Verb } from '../../resource.ts';
import { DELETE_OPTIONS, type DefinitionSet, gvk, PATCH, type Schema } from './schemas.ts';

export function pathsOf(resource: Resource, definitions: DefinitionSet): Record<string, object> {
  const root =
    resource.group === '' ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`;
  const collection = resource.namespaced
    ? `${root}/namespaces/{namespace}/${resource.plural}`
    : `${root}/${resource.plural}`;
  const scope = resource.namespaced ? 'Namespaced' : '';
  const target = { resource, definitions, spoken: definitions.kind(resource), kind: ownKind(resource) };
  const paths: Record<string, object> = {};
  addPath(
    paths,
    collection,
    scopeParameters(resource, false),
    operations(COLLECTION, target, resource.verbs, scope),
  );
  addPath(
    paths,
    `${collection}/{name}`,
    scopeParameters(resource, true),
    operations(ITEM, target, resource.verbs, scope),
  );
  for (const subresource of resource.subresources) {
    const suffix = subresource.name[0]!.toUpperCase() + subresource.name.slice(1);
    const subtarget = subresourceTarget(resource, subresource, definitions);
    addPath(
      paths,
      `${collection}/{name}/${subresource.name}`,
      scopeParameters(resource, true),
      operations([...ITEM, SUBRESOURCE_CREATE], subtarget, subresource.verbs, scope, suffix),
    );
  }
  if (resource.namespaced && resource.verbs.includes('list')) {
    const list = operations(COLLECTION.slice(0, 1), target, resource.verbs, '', 'ForAllNamespaces');
    addPath(paths, `${root}/${resource.plural}`, [PRETTY], list);
  }
  return paths;
}

// ---------------------------------------------------------------------------------------------------

interface Target {
  readonly resource: Resource;
  readonly definitions: DefinitionSet;
  /** The schema that goes in and out. */
  readonly spoken: Schema;
  readonly kind: Schema;
}

type Parameter = Schema;
type Body = 'none' | 'object' | 'patch' | 'options';

interface OperationRow {
  readonly verb: Verb;
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** The first word of the operation's id. */
  readonly word: string;
  readonly action: string;
  readonly parameters: readonly Parameter[];
  readonly body: Body;
  readonly codes: readonly string[];
  readonly list?: boolean;
}

const query = (name: string, type: string): Parameter => ({
  name,
  in: 'query',
  schema: { type, uniqueItems: true },
});
const inPath = (name: string): Parameter => ({
  name,
  in: 'path',
  required: true,
  schema: { type: 'string', uniqueItems: true },
});

const PRETTY = query('pretty', 'string');
const WRITE = [
  query('dryRun', 'string'),
  query('fieldManager', 'string'),
  query('fieldValidation', 'string'),
];
const SELECT = [
  query('allowWatchBookmarks', 'boolean'),
  query('continue', 'string'),
  query('fieldSelector', 'string'),
  query('labelSelector', 'string'),
  query('limit', 'integer'),
  query('resourceVersion', 'string'),
  query('resourceVersionMatch', 'string'),
  query('sendInitialEvents', 'boolean'),
  query('timeoutSeconds', 'integer'),
];
const DELETE = [
  query('dryRun', 'string'),
  query('gracePeriodSeconds', 'integer'),
  query('orphanDependents', 'boolean'),
  query('propagationPolicy', 'string'),
];

const COLLECTION: readonly OperationRow[] = [
  {
    verb: 'list',
    method: 'get',
    word: 'list',
    action: 'list',
    parameters: [...SELECT, query('watch', 'boolean')],
    body: 'none',
    codes: ['200'],
    list: true,
  },
  {
    verb: 'create',
    method: 'post',
    word: 'create',
    action: 'post',
    parameters: WRITE,
    body: 'object',
    codes: ['200', '201', '202'],
  },
  {
    verb: 'deletecollection',
    method: 'delete',
    word: 'deleteCollection',
    action: 'deletecollection',
    parameters: [...SELECT, ...DELETE],
    body: 'options',
    codes: ['200'],
  },
];

const ITEM: readonly OperationRow[] = [
  { verb: 'get', method: 'get', word: 'read', action: 'get', parameters: [], body: 'none', codes: ['200'] },
  {
    verb: 'update',
    method: 'put',
    word: 'replace',
    action: 'put',
    parameters: WRITE,
    body: 'object',
    codes: ['200', '201'],
  },
  {
    verb: 'delete',
    method: 'delete',
    word: 'delete',
    action: 'delete',
    parameters: DELETE,
    body: 'options',
    codes: ['200', '202'],
  },
  {
    verb: 'patch',
    method: 'patch',
    word: 'patch',
    action: 'patch',
    parameters: [...WRITE, query('force', 'boolean')],
    body: 'patch',
    codes: ['200', '201'],
  },
];

const SUBRESOURCE_CREATE: OperationRow = { ...COLLECTION[1]! };

const PATCH_TYPES = [
  'application/apply-patch+yaml',
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
];

const MEANINGS: Readonly<Record<string, string>> = { 200: 'OK', 201: 'Created', 202: 'Accepted' };

function ownKind(resource: Resource): Schema {
  return gvk(resource.group, resource.version, resource.kind);
}

function subresourceTarget(resource: Resource, subresource: Subresource, definitions: DefinitionSet): Target {
  const own = subresource.group === undefined && subresource.kind === resource.kind;
  const group = subresource.group ?? resource.group;
  const version = subresource.version ?? resource.version;
  return {
    resource,
    definitions,
    spoken: own ? definitions.kind(resource) : definitions.spoken(group, version, subresource.kind),
    kind: gvk(group, version, subresource.kind),
  };
}

function scopeParameters(resource: Resource, named: boolean): Parameter[] {
  return [...(named ? [inPath('name')] : []), ...(resource.namespaced ? [inPath('namespace')] : []), PRETTY];
}

function addPath(
  paths: Record<string, object>,
  path: string,
  parameters: readonly Parameter[],
  found: Record<string, object>,
): void {
  if (Object.keys(found).length > 0) paths[path] = { ...found, parameters };
}

function operations(
  rows: readonly OperationRow[],
  target: Target,
  verbs: readonly Verb[],
  scope: string,
  suffix = '',
): Record<string, object> {
  const found: Record<string, object> = {};
  for (const row of rows) {
    if (verbs.includes(row.verb)) found[row.method] = operation(row, target, scope, suffix);
  }
  return found;
}

function operation(row: OperationRow, target: Target, scope: string, suffix: string): object {
  const { resource } = target;
  const group = groupWord(resource.group);
  const version = capital(resource.version);
  const id =
    row.word === 'deleteCollection'
      ? `delete${capital(group)}${version}Collection${scope}${resource.kind}`
      : `${row.word}${capital(group)}${version}${scope}${resource.kind}${suffix}`;
  const schema = row.list ? target.definitions.list(resource) : target.spoken;
  const content = { 'application/json': { schema }, 'application/yaml': { schema } };
  return {
    tags: [`${group}_${resource.version}`],
    operationId: id,
    ...(row.parameters.length === 0 ? {} : { parameters: row.parameters }),
    ...requestBody(row.body, target),
    responses: {
      ...Object.fromEntries(row.codes.map((code) => [code, { description: MEANINGS[code], content }])),
      401: { description: 'Unauthorized' },
    },
    'x-kubernetes-action': row.action,
    'x-kubernetes-group-version-kind': target.kind,
  };
}

function requestBody(body: Body, target: Target): object {
  if (body === 'none') return {};
  if (body === 'object')
    return { requestBody: { content: { '*/*': { schema: target.spoken } }, required: true } };
  if (body === 'options') {
    return { requestBody: { content: { '*/*': { schema: target.definitions.named(DELETE_OPTIONS) } } } };
  }
  const schema = target.definitions.named(PATCH);
  const types = target.resource.structure.name === undefined ? PATCH_TYPES.slice(0, 3) : PATCH_TYPES;
  const content = Object.fromEntries(types.map((type) => [type, { schema }]));
  return { requestBody: { content, required: true } };
}

/** `core`, `apps`, `rbacAuthorization`, `edgeExampleCom`. */
function groupWord(group: string): string {
  if (group === '') return 'core';
  const [first, ...rest] = group.replace(/\.k8s\.io$/, '').split('.');
  return first! + rest.map(capital).join('');
}

function capital(word: string): string {
  return word[0]!.toUpperCase() + word.slice(1);
}
