/**
 * Strategic merge patch: a merge patch that knows the kind, so that lists merge by key, and that carries directives
 * (`$patch`, `$retainKeys`, `$setElementOrder/…`, `$deleteFromPrimitiveList/…`) for what a merge cannot say.
 * This file merges maps; lists are in strategic-list.ts.
 */
import type { KubeObject } from '@chandler/kube';
import { badRequest } from '../errors.ts';
import type { Structure } from '../structure.ts';
import { goPlain, goType, jsonKind } from './go-format.ts';
import { copyValue, define, isObject, type JsonObject } from './json-value.ts';
import { unforeseen } from './patch-error.ts';
import { arrange, deleteScalars, mergeItems, validateOrder } from './strategic-list.ts';
import { listItemOf, mergesLists, structFieldOf } from './strategic-schema.ts';

export function applyStrategicPatch(current: KubeObject, patch: unknown, structure: Structure): KubeObject {
  if (patch === null) return copyValue(current);
  if (!isObject(patch)) {
    throw badRequest(
      `json: cannot unmarshal ${jsonKind(patch)} into Go value of type map[string]interface {}`,
    );
  }
  return mergeMap(copyValue(current), copyValue(patch), structure) as unknown as KubeObject;
}

// ---------------------------------------------------------------------------------------------------

/** Works `patch` into `original`; both are ours to change. */
function mergeMap(original: JsonObject, patch: JsonObject, structure: Structure | undefined): JsonObject {
  const directive = patch['$patch'];
  if (directive !== undefined) return byDirective(directive, patch);
  applyRetainKeys(original, patch);
  applyElementOrders(original, patch, structure);
  for (const key of Object.keys(patch)) mergeField(original, key, patch[key], structure);
  return original;
}

/** A value that is new to the object, without directives; undefined when a directive says that there is to be none. */
function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDirectives).filter((item) => item !== undefined);
  if (!isObject(value)) return value;
  if (value['$patch'] !== undefined) return undefined;
  for (const key of Object.keys(value)) {
    const kept = withoutDirectives(value[key]);
    if (kept === undefined) delete value[key];
    else value[key] = kept;
  }
  return value;
}

const RETAIN_KEYS = '$retainKeys';
const DELETE_FROM_LIST = '$deleteFromPrimitiveList';
const ELEMENT_ORDER = '$setElementOrder';

const BAD_RETAIN_KEYS = 'invalid patch format of retainKeys';
const BAD_FORMAT: Readonly<Record<string, string>> = {
  [DELETE_FROM_LIST]: 'invalid patch format of primitive list',
  [ELEMENT_ORDER]: 'invalid patch format of setElementOrder list',
};

function byDirective(directive: unknown, patch: JsonObject): JsonObject {
  if (directive === 'delete') return {};
  if (directive !== 'replace')
    throw unforeseen(`unknown patch type: ${goPlain(directive)} in map: ${goPlain(patch)}`);
  const { $patch: _, ...replacement } = patch;
  return replacement;
}

/** `$retainKeys` names the only keys that may stay: a union changes its member by it. */
function applyRetainKeys(original: JsonObject, patch: JsonObject): void {
  const retained = patch[RETAIN_KEYS];
  if (retained === undefined) return;
  delete patch[RETAIN_KEYS];
  if (!Array.isArray(retained)) throw badRequest(BAD_RETAIN_KEYS);
  const keys = new Set<unknown>(retained);
  for (const key of Object.keys(patch)) {
    if (patch[key] === null || key.startsWith(DELETE_FROM_LIST) || key.startsWith(ELEMENT_ORDER)) continue;
    if (!keys.has(key)) throw badRequest(BAD_RETAIN_KEYS);
  }
  for (const key of Object.keys(original)) if (!keys.has(key)) delete original[key];
}

/** Lists that come with the order of their items are merged first, and put in that order. */
function applyElementOrders(original: JsonObject, patch: JsonObject, structure: Structure | undefined): void {
  for (const key of Object.keys(patch)) {
    if (!key.startsWith(ELEMENT_ORDER)) continue;
    const order = asList(patch[key]);
    delete patch[key];
    const field = fieldNamed(key, ELEMENT_ORDER);
    const live = original[field] === undefined ? undefined : asList(original[field]);
    const wanted = patch[field] === undefined ? undefined : asList(patch[field]);
    const list = listItemOf(structure, field);
    validateOrder(wanted ?? [], order, list.mergeKey);
    const merged = mergedBeforeOrder(live, wanted, list);
    if (merged === undefined) continue;
    original[field] = arrange(merged, {
      order,
      live: live ?? [],
      wanted: wanted ?? [],
      mergeKey: list.mergeKey,
    });
    delete patch[field];
  }
}

function mergedBeforeOrder(
  live: unknown[] | undefined,
  wanted: unknown[] | undefined,
  list: ReturnType<typeof listItemOf>,
): unknown[] | undefined {
  if (wanted === undefined) return live;
  if (live === undefined) return withoutDirectives(wanted) as unknown[];
  return mergesLists(list.strategy) ? mergeItems(live, wanted, list, mergeMap) : wanted;
}

function mergeField(
  original: JsonObject,
  patchKey: string,
  value: unknown,
  structure: Structure | undefined,
): void {
  const isDeletion = patchKey.startsWith(DELETE_FROM_LIST);
  const key = isDeletion ? fieldNamed(patchKey, DELETE_FROM_LIST) : patchKey;
  if (value === null) {
    delete original[key];
    return;
  }
  const live = Object.hasOwn(original, key) ? original[key] : undefined;
  const both = live !== undefined && goType(live) === goType(value);
  if (both && isObject(live) && isObject(value)) {
    const field = structFieldOf(structure, key);
    define(original, key, field?.patchStrategy === 'replace' ? value : mergeMap(live, value, field));
  } else if (both && Array.isArray(live) && Array.isArray(value)) {
    define(original, key, mergedList(live, value, isDeletion, structure, key));
  } else if (both || !isDeletion) putNew(original, key, value, !both);
}

function mergedList(
  live: unknown[],
  value: unknown[],
  isDeletion: boolean,
  structure: Structure | undefined,
  key: string,
): unknown[] {
  const list = listItemOf(structure, key);
  if (isDeletion) return deleteScalars(live, value, list, mergeMap);
  return mergesLists(list.strategy) ? mergeItems(live, value, list, mergeMap) : value;
}

function putNew(original: JsonObject, key: string, value: unknown, dropNulls: boolean): void {
  const kept = withoutDirectives(dropNulls ? withoutNulls(value) : value);
  if (kept === undefined) delete original[key];
  else define(original, key, kept);
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  for (const key of Object.keys(value)) {
    if (value[key] === null) delete value[key];
    else withoutNulls(value[key]);
  }
  return value;
}

/** `finalizers` of `$setElementOrder/finalizers`. */
function fieldNamed(key: string, prefix: string): string {
  const slash = key.indexOf('/');
  if (slash < 0 || key.slice(0, slash) !== prefix) throw badRequest(BAD_FORMAT[prefix] as string);
  return key.slice(slash + 1);
}

function asList(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  throw unforeseen(
    `expected a []interface {}, but received a ${value === null ? '%!s(<nil>)' : goType(value)}`,
  );
}
