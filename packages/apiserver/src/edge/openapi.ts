/**
 * The server's kinds as OpenAPI v3: an index, and one document per group and version. kubectl takes from it what
 * `explain` prints and whether a kind can be validated and dry-run by the server. A document is rendered on the
 * first request and kept until one of its resources changes; its hash is that of its content, because clients keep
 * documents on disk under it.
 */
import { createHash } from 'node:crypto';
import type { Catalogue, Resource } from '../resource.ts';
import { pathsOf } from './openapi/paths.ts';
import { DefinitionSet } from './openapi/schemas.ts';
import { openApiV2Answer } from './openapi/version-2.ts';

export interface OpenApiAnswer {
  readonly contentType: string;
  readonly body: object | string;
  /** With quotes, ready for the header; the index has none. */
  readonly etag?: string;
}

/** Undefined for a path that does not exist. */
export function openApiAnswer(path: string, catalogue: Catalogue, accept = ''): OpenApiAnswer | undefined {
  if (path === '/openapi/v2') return openApiV2Answer(accept);
  if (path === ROOT || path === `${ROOT}/`)
    return { contentType: 'application/json', body: index(catalogue) };
  if (!path.startsWith(`${ROOT}/`)) return undefined;
  const key = path.slice(ROOT.length + 1);
  const resources = byGroupVersion(catalogue).get(key);
  if (resources === undefined) return undefined;
  const document = documentFor(key, resources, catalogue);
  return { contentType: 'application/json', body: document.body, etag: `"${document.hash}"` };
}

// ---------------------------------------------------------------------------------------------------

const ROOT = '/openapi/v3';

interface Document {
  readonly resources: readonly Resource[];
  readonly body: object;
  readonly hash: string;
}

interface Kept {
  revision: number;
  groupVersions: Map<string, Resource[]>;
  readonly documents: Map<string, Document>;
}

const kept = new WeakMap<Catalogue, Kept>();

function keptFor(catalogue: Catalogue): Kept {
  let found = kept.get(catalogue);
  if (found === undefined) {
    found = { revision: catalogue.revision, groupVersions: group(catalogue), documents: new Map() };
    kept.set(catalogue, found);
  } else if (found.revision !== catalogue.revision) {
    found.revision = catalogue.revision;
    found.groupVersions = group(catalogue);
  }
  return found;
}

/** `api/v1`, `apis/apps/v1`, … to the resources there. */
function byGroupVersion(catalogue: Catalogue): ReadonlyMap<string, readonly Resource[]> {
  return keptFor(catalogue).groupVersions;
}

function group(catalogue: Catalogue): Map<string, Resource[]> {
  const groups = new Map<string, Resource[]>();
  for (const resource of catalogue.all()) {
    const key =
      resource.group === '' ? `api/${resource.version}` : `apis/${resource.group}/${resource.version}`;
    const resources = groups.get(key) ?? [];
    groups.set(key, resources);
    resources.push(resource);
  }
  return groups;
}

function index(catalogue: Catalogue): object {
  const paths: Record<string, object> = {};
  for (const [key, resources] of [...byGroupVersion(catalogue)].sort(([one], [other]) =>
    one < other ? -1 : 1,
  )) {
    const { hash } = documentFor(key, resources, catalogue);
    paths[key] = { serverRelativeURL: `${ROOT}/${key}?hash=${hash}` };
  }
  return { paths };
}

function documentFor(key: string, resources: readonly Resource[], catalogue: Catalogue): Document {
  const { documents } = keptFor(catalogue);
  const found = documents.get(key);
  if (found !== undefined && sameResources(found.resources, resources)) return found;
  const body = render(resources, catalogue);
  const hash = createHash('sha256').update(JSON.stringify(body)).digest('hex').toUpperCase();
  const document = { resources, body, hash };
  documents.set(key, document);
  return document;
}

function sameResources(one: readonly Resource[], other: readonly Resource[]): boolean {
  return one.length === other.length && one.every((resource, position) => resource === other[position]);
}

function render(resources: readonly Resource[], catalogue: Catalogue): object {
  const definitions = new DefinitionSet(catalogue);
  const paths: Record<string, object> = {};
  for (const resource of resources.toSorted((one, other) => (one.plural < other.plural ? -1 : 1))) {
    Object.assign(paths, pathsOf(resource, definitions));
  }
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: 'v1.36.0' },
    paths,
    components: { schemas: definitions.render() },
  };
}
