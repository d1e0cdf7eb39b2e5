/**
 * What a JSON value is in the eyes of its type. An absent value is `undefined`; null is a value and fits every type.
 */
import { ownField } from '../storage/json.ts';
import type { FieldType, MapType } from './field-type.ts';

export type JsonMap = Record<string, unknown>;

export type Form = 'map' | 'scalar' | 'list';

/** The form in which a value is to be read. A value that fits none is read in the first form the type has. */
export function formOf(type: FieldType, value: unknown): Form | undefined {
  if (value !== null && value !== undefined) {
    if (typeof value !== 'object') {
      if (type.scalar !== undefined) return 'scalar';
    } else if (Array.isArray(value)) {
      if (type.list !== undefined) return 'list';
    } else if (type.map !== undefined) return 'map';
  }
  if (type.map !== undefined) return 'map';
  if (type.scalar !== undefined) return 'scalar';
  return type.list === undefined ? undefined : 'list';
}

/** The value if it is a map, else undefined: null, absent and wrongly typed values have no entries. */
export function asMap(value: unknown): JsonMap | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonMap)
    : undefined;
}

export function asList(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

export function isEmptyMap(map: JsonMap | undefined): boolean {
  if (map === undefined) return true;
  for (const key in map) if (map[key] !== undefined) return false;
  return true;
}

/** The type of what a map holds under a name. */
export function typeWithin(map: MapType, name: string): FieldType | undefined {
  return map.fields?.get(name)?.type ?? map.element;
}

export function sameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, i) => sameValue(item, b[i]));
  }
  return !Array.isArray(b) && sameMap(a as JsonMap, b as JsonMap);
}

// ---------------------------------------------------------------------------------------------------

function sameMap(a: JsonMap, b: JsonMap): boolean {
  let size = 0;
  for (const key in a) {
    if (a[key] === undefined) continue;
    size++;
    const other = ownField(b, key);
    if (other === undefined || !sameValue(a[key], other)) return false;
  }
  for (const key in b) if (b[key] !== undefined) size--;
  return size === 0;
}
