/**
 * Copying, comparing and freezing plain JSON values: what storage and handlers need of an object
 * without knowing its kind.
 */

/** A private copy that the caller may change. */
export function cloneJson<T>(value: T): T {
  return copyOf(value) as T;
}

/** Whether two values would be the same JSON text, were their keys in one order. A field that is undefined is absent. */
export function equalJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (Array.isArray(left) || Array.isArray(right)) {
    return Array.isArray(left) && Array.isArray(right) && equalArrays(left, right);
  }
  return equalRecords(left as Record<string, unknown>, right as Record<string, unknown>);
}

/** A field by a name that a client chose: `constructor` is one only if it is an own property. */
export function ownField(record: Readonly<Record<string, unknown>> | undefined, name: string): unknown {
  const value = record?.[name];
  // JSON holds no functions, so inherited members are recognized at once.
  if (typeof value === 'function') return undefined;
  return name === '__proto__' && record !== undefined && !Object.hasOwn(record, name) ? undefined : value;
}

/** Sets a field of any name. */
export function setField(record: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') record[name] = value;
  else Object.defineProperty(record, name, { value, enumerable: true, writable: true, configurable: true });
}

/** Deeper than any value that is walked by recursion may be. */
export class NestingError extends RangeError {
  constructor() {
    super('the object nests too deep');
    this.name = 'NestingError';
  }
}

/** Makes a value unchangeable, all the way down. What is frozen already is not walked again. */
export function freezeJson<T>(value: T, depth = 0): T {
  if (depth > MAX_DEPTH) throw new NestingError();
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object') freezeJson(item, depth + 1);
  } else {
    const record = value as Record<string, unknown>;
    for (const key in record) if (typeof record[key] === 'object') freezeJson(record[key], depth + 1);
  }
  return Object.freeze(value);
}

// ---------------------------------------------------------------------------------------------------

const MAX_DEPTH = 1000;

function copyOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = new Array<unknown>(value.length);
    for (let index = 0; index < value.length; index++) items[index] = copyOf(value[index]);
    return items;
  }
  const record = value as Record<string, unknown>;
  const copy: Record<string, unknown> = {};
  for (const key in record) {
    const field = record[key];
    if (key === '__proto__') setField(copy, key, copyOf(field));
    else copy[key] = typeof field === 'object' && field !== null ? copyOf(field) : field;
  }
  return copy;
}

function equalArrays(left: readonly unknown[], right: readonly unknown[]): boolean {
  if (left.length !== right.length) return false;
  for (let index = 0; index < left.length; index++) {
    if (!equalJson(left[index], right[index])) return false;
  }
  return true;
}

function equalRecords(left: Record<string, unknown>, right: Record<string, unknown>): boolean {
  let count = 0;
  for (const key in left) {
    if (left[key] === undefined) continue;
    count++;
    if (!equalJson(left[key], right[key])) return false;
  }
  for (const key in right) if (right[key] !== undefined) count--;
  return count === 0;
}
