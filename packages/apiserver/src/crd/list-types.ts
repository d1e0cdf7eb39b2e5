/** Lists declared as sets or as maps must not hold the same item, or the same keys, twice. */
import type { FieldError } from '../errors.ts';
import { isFields } from './correlate.ts';
import { sortedKeys } from './findings.ts';
import type { JsonSchema } from './types.ts';

export function checkListTypes(value: unknown, schema: JsonSchema | undefined, path = ''): FieldError[] {
  if (schema === undefined) return [];
  if (Array.isArray(value)) {
    const own = checkList(value, schema, path);
    const items = value.flatMap((item, index) => checkListTypes(item, schema.items, `${path}[${index}]`));
    return [...own, ...items];
  }
  if (!isFields(value)) return [];
  const { properties = {}, additionalProperties } = schema;
  return Object.entries(value).flatMap(([key, item]) => {
    if (typeof additionalProperties === 'object')
      return checkListTypes(item, additionalProperties, `${path}[${key}]`);
    return Object.hasOwn(properties, key)
      ? checkListTypes(item, properties[key], path === '' ? key : `${path}.${key}`)
      : [];
  });
}

// ---------------------------------------------------------------------------------------------------

function checkList(list: readonly unknown[], schema: JsonSchema, path: string): FieldError[] {
  switch (schema['x-kubernetes-list-type']) {
    case 'set':
      return duplicates(list, list, path);
    case 'map':
      return checkKeys(list, schema['x-kubernetes-list-map-keys'] ?? [], path);
    default:
      return [];
  }
}

function checkKeys(list: readonly unknown[], keys: readonly string[], path: string): FieldError[] {
  const stranger = list.findIndex((item) => item !== null && !isFields(item));
  if (stranger >= 0) {
    return [
      {
        reason: 'FieldValueInvalid',
        field: `${path}[${stranger}]`,
        value: list[stranger],
        detail: 'must be an object for an array of list-type map',
      },
    ];
  }
  const identities = list.map((item) => {
    const fields = (item ?? {}) as Record<string, unknown>;
    return Object.fromEntries(
      keys.filter((key) => Object.hasOwn(fields, key)).map((key) => [key, fields[key]]),
    );
  });
  return duplicates(identities, identities, path);
}

/** The second appearance of an item is reported, further ones are not. */
function duplicates(list: readonly unknown[], shown: readonly unknown[], path: string): FieldError[] {
  const seen = new Map<string, number>();
  const errors: FieldError[] = [];
  list.forEach((item, index) => {
    const identity = JSON.stringify(sortedKeys(item));
    const times = (seen.get(identity) ?? 0) + 1;
    seen.set(identity, times);
    if (times !== 2) return;
    errors.push({
      reason: 'FieldValueDuplicate',
      field: `${path}[${index}]`,
      value: sortedKeys(shown[index]),
      detail: '',
    });
  });
  return errors;
}
