/**
 * List: which revision is read, which page of it, and the token for the next page. A page that continues is taken
 * from the same revision as the first one, as long as history reaches back.
 */
import type { ListMeta } from '@chandler/kube';
import { jsonSyntaxError } from '../decode/json-syntax.ts';
import { jsonTypeName } from '../decode/parse.ts';
import { ApiError, badRequest, expired, tooLargeResourceVersion } from '../errors.ts';
import type { Resource } from '../resource.ts';
import { idOf, type Store, type Stored } from '../storage/store.ts';
import { resourceVersionProblem } from './go-values.ts';
import { isSelected, type ListOptions, selectsEverything } from './list-options.ts';

export interface ListResult {
  readonly items: Stored[];
  readonly meta: ListMeta;
}

export function listObjects(
  store: Store,
  resource: Resource,
  namespace: string | undefined,
  options: ListOptions,
): ListResult {
  const start = options.continue === '' ? undefined : decodeContinue(options.continue, namespace);
  const revision =
    start === undefined ? wantedRevision(store, options) : continuedRevision(store, start, namespace);
  const { key } = resource.storage;
  const items: Stored[] = [];
  let remaining = 0;
  let last: Stored | undefined;
  for (const item of store.listAt(revision, key, namespace)) {
    if (start !== undefined && idOf(item) < start.from) continue;
    if (options.limit > 0 && items.length >= options.limit) {
      remaining++;
      continue;
    }
    if (!isSelected(options, item.as(resource).object, resource)) continue;
    items.push(item);
    last = item;
  }
  const more = remaining > 0 && last !== undefined;
  return {
    items,
    meta: {
      resourceVersion: String(revision),
      ...(more ? { continue: encodeContinue(`${idOf(last!)}\0`, revision, namespace) } : {}),
      ...(more && selectsEverything(options) ? { remainingItemCount: remaining } : {}),
    },
  };
}

/** Refuses a resourceVersion that is no number, or one that lies ahead. */
export function checkRevision(store: Store, resourceVersion: string, prefix: string): void {
  const problem = resourceVersionProblem(resourceVersion);
  if (problem !== undefined) {
    throw badRequest(
      `${prefix}resourceVersion: Invalid value: ${JSON.stringify(resourceVersion)}: ${problem}`,
    );
  }
  if (Number(resourceVersion) > store.revision)
    throw tooLargeResourceVersion(resourceVersion, store.revision);
}

// ---------------------------------------------------------------------------------------------------

interface Continuation {
  /** The first `namespace/name` of the page. */
  readonly from: string;
  /** -1: whatever is there now. */
  readonly revision: number;
}

function wantedRevision(store: Store, options: ListOptions): number {
  const { resourceVersion, resourceVersionMatch, limit } = options;
  if (resourceVersion === '') return store.revision;
  checkRevision(store, resourceVersion, 'invalid resource version: ');
  const exact =
    resourceVersionMatch === 'Exact' || (resourceVersionMatch === '' && limit > 0 && resourceVersion !== '0');
  if (!exact) return store.revision;
  const revision = Number(resourceVersion);
  if (revision < store.forgotten) throw expired('The resourceVersion for the provided list is too old.');
  return revision;
}

function continuedRevision(store: Store, start: Continuation, namespace: string | undefined): number {
  if (start.revision < 0) return store.revision;
  if (start.revision > store.revision) throw tooLargeResourceVersion(String(start.revision), store.revision);
  if (start.revision >= store.forgotten) return start.revision;
  throw new ApiError(
    410,
    'Expired',
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.',
    undefined,
    encodeContinue(start.from, -1, namespace),
  );
}

/** Relative to the namespace that is listed, as on a real server. */
function encodeContinue(from: string, revision: number, namespace: string | undefined): string {
  const start = namespace !== undefined || from.startsWith('/') ? from.slice(from.indexOf('/') + 1) : from;
  return Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: revision, start })).toString('base64url');
}

function decodeContinue(token: string, namespace: string | undefined): Continuation {
  if (!/^[\w-]*$/.test(token)) {
    const at = token.search(/[^\w-]/);
    throw badContinue(`continue key is not valid: illegal base64 data at input byte ${at}`);
  }
  const bytes = Buffer.from(token, 'base64url');
  const text = bytes.toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Go reports errors about bytes, not about characters.
    throw badContinue(`continue key is not valid: ${jsonSyntaxError(bytes.toString('latin1'))}`);
  }
  const parsed = checkedToken(value);
  if (parsed.v !== 'meta.k8s.io/v1') {
    throw badContinue(
      `continue key is not valid: server does not recognize this encoded version ${parsed.v ?? ''}`,
    );
  }
  if (!parsed.rv) {
    throw badContinue(
      'continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)',
    );
  }
  if (!parsed.start) {
    throw badContinue('continue key is not valid: encoded start key empty (version meta.k8s.io/v1)');
  }
  if (/(^|\/)\.{1,2}(\/|$)|\/\//.test(parsed.start))
    throw badContinue(`continue key is not valid: ${parsed.start}`);
  return { from: placed(parsed.start, namespace), revision: parsed.rv };
}

interface ContinueToken {
  readonly v?: string | null;
  readonly rv?: number | null;
  readonly start?: string | null;
}

/** A token made by someone else may hold anything. */
function checkedToken(value: unknown): ContinueToken {
  const refuse = (what: string, where: string): never => {
    throw badContinue(`continue key is not valid: json: cannot unmarshal ${what} into Go ${where}`);
  };
  if (value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value)) {
    return refuse(jsonTypeName(value), 'value of type storage.continueToken');
  }
  const token = value as Record<string, unknown>;
  for (const [field, type, goType] of TOKEN_FIELDS) {
    const given = token[field] ?? null;
    const where = `struct field continueToken.${field} of type ${goType}`;
    if (given !== null && typeof given !== type) refuse(jsonTypeName(given), where);
    if (type === 'number' && given !== null && !Number.isInteger(given)) refuse(`number ${given}`, where);
  }
  return token as ContinueToken;
}

const TOKEN_FIELDS = [
  ['v', 'string', 'string'],
  ['rv', 'number', 'int64'],
  ['start', 'string', 'string'],
] as const;

function placed(start: string, namespace: string | undefined): string {
  if (namespace !== undefined) return `${namespace}/${start}`;
  return start.includes('/') ? start : `/${start}`;
}

function badContinue(why: string): ApiError {
  return badRequest(`invalid continue token: ${why}`);
}
