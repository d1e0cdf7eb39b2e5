/**
 * JSON merge patch (RFC 7386): maps merge, null removes, everything else replaces.
 */
import type { KubeObject } from '@chandler/kube';
import { badRequest } from '../errors.ts';
import { jsonKind } from './go-format.ts';
import { copyValue, define, isObject, type JsonObject, keysSorted } from './json-value.ts';

export function applyMergePatch(current: KubeObject, patch: unknown): KubeObject {
  if (patch === null) throw badRequest('Invalid JSON Patch');
  if (!isObject(patch)) {
    throw badRequest(
      `error decoding patch: json: cannot unmarshal ${jsonKind(patch)} into Go value of type map[string]interface {}`,
    );
  }
  return merged(current, patch) as KubeObject;
}

// ---------------------------------------------------------------------------------------------------

function merged(target: unknown, patch: unknown): unknown {
  // A value that is no map is replaced as a whole, and nulls remove what does not exist.
  if (!isObject(target)) return withoutNulls(patch);
  if (!isObject(patch)) return copyValue(patch);
  const result: JsonObject = {};
  for (const key of Object.keys(target)) {
    if (!Object.hasOwn(patch, key)) define(result, key, copyValue(target[key]));
  }
  for (const key of Object.keys(patch)) {
    const value = patch[key];
    if (value === null) continue;
    define(result, key, Object.hasOwn(target, key) ? merged(target[key], value) : withoutNulls(value));
  }
  return keysSorted(result);
}

/** Nulls inside lists are values; those of maps, in lists too, are not. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  const result: JsonObject = {};
  for (const key of Object.keys(value)) {
    if (value[key] !== null) define(result, key, withoutNulls(value[key]));
  }
  return result;
}
