/**
 * What a request is about, read from its method and path: the real server's rules, which also decide what
 * an authorizer is asked.
 */
import { badRequest } from '../errors.ts';
import type { Verb } from '../resource.ts';
import { rowOf } from '../table-row.ts';

export interface ResourceRoute {
  readonly verb: Verb | '';
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
  /** More path behind the subresource: only proxies have that. */
  readonly rest: readonly string[];
  /** The deprecated form /watch/…. */
  readonly watchByPath: boolean;
}

export interface Target {
  readonly path: string;
  readonly query: URLSearchParams | undefined;
}

export function splitTarget(target: string): Target {
  const mark = target.indexOf('?');
  if (mark < 0) return { path: decoded(target), query: undefined };
  return { path: decoded(target.slice(0, mark)), query: new URLSearchParams(target.slice(mark + 1)) };
}

/** Undefined for paths that name no resource: discovery, health, version. */
export function routeOf(method: string, { path, query }: Target): ResourceRoute | undefined {
  const parts = path.split('/').filter((part) => part !== '');
  const prefix = parts[0];
  let at: number;
  if (prefix === 'api' && parts.length >= 3) at = 1;
  else if (prefix === 'apis' && parts.length >= 4) at = 2;
  else return undefined;
  const group = at === 1 ? '' : parts[1]!;
  const version = parts[at]!;
  let below = parts.slice(at + 1);
  const watchByPath = below[0] === 'watch' && below.length > 1;
  if (watchByPath) below = below.slice(1);
  const { namespace, target } = namespaceOf(below);
  const [plural = '', name, subresource, ...rest] = target;
  return {
    verb: watchByPath ? 'watch' : verbOf(method, name, query),
    group,
    version,
    plural,
    namespace,
    name,
    subresource,
    rest,
    watchByPath,
  };
}

// ---------------------------------------------------------------------------------------------------

const VERBS: Readonly<Record<string, Verb>> = {
  POST: 'create',
  GET: 'get',
  HEAD: 'get',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

const NAMESPACE_SUBRESOURCES: ReadonlySet<string> = new Set(['status', 'finalize']);

function verbOf(method: string, name: string | undefined, query: URLSearchParams | undefined): Verb | '' {
  const verb = rowOf(VERBS, method) ?? '';
  if (name !== undefined) return verb;
  if (verb === 'delete') return 'deletecollection';
  if (verb !== 'get') return verb;
  const watch = query?.get('watch')?.toLowerCase();
  return watch === undefined || watch === 'false' || watch === '0' ? 'list' : 'watch';
}

/** `namespaces/x/pods/y` lies in x; `namespaces/x` and `namespaces/x/status` are the namespace itself. */
function namespaceOf(parts: readonly string[]): { namespace: string | undefined; target: readonly string[] } {
  if (parts[0] !== 'namespaces' || parts.length < 3 || NAMESPACE_SUBRESOURCES.has(parts[2]!)) {
    return { namespace: undefined, target: parts };
  }
  return { namespace: parts[1], target: parts.slice(2) };
}

/** Before it is parted: a slash in disguise is a slash, to the authorizer and the handler alike. */
function decoded(path: string): string {
  if (!path.includes('%')) return path;
  if (/%(?![\dA-Fa-f]{2})/.test(path)) throw badRequest('invalid URL escape');
  try {
    return decodeURIComponent(path);
  } catch {
    // Bytes that are no UTF-8.
    return path.replace(/(?:%[\dA-Fa-f]{2})+/g, (bytes) =>
      Buffer.from(bytes.replaceAll('%', ''), 'hex').toString('utf8'),
    );
  }
}
