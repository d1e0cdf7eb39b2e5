/**
 * JSON documents under a patch: copies that may be changed, and objects with keys in order, which is how a real server
 * writes the parts of a document that a patch has touched.
 */

export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function copyValue<T>(value: T): T {
  if (Array.isArray(value)) return value.map(copyValue) as T;
  if (typeof value !== 'object' || value === null) return value;
  const copy: JsonObject = {};
  for (const key of Object.keys(value)) define(copy, key, copyValue((value as JsonObject)[key]));
  return copy as T;
}

export function keysSorted(object: JsonObject): JsonObject {
  const sorted: JsonObject = {};
  for (const key of Object.keys(object).sort()) define(sorted, key, object[key]);
  return sorted;
}

/** Sets a field of any name: `__proto__` is a name like others. */
export function define(object: JsonObject, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  else object[key] = value;
}

export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((item, i) => sameJson(item, b[i]));
  if (!isObject(a) || !isObject(b)) return false;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && sameJson(a[name], b[name]))
  );
}
