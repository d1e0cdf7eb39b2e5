/** Whether the `x-kubernetes-*` keywords that say how lists and maps merge fit the schema they stand in. */
import type { FieldErrors } from '../builtin/validation/field-errors.ts';
import { ownField } from '../storage/json.ts';
import type { JsonSchema } from './types.ts';

export function checkMergeRules(schema: JsonSchema, path: string, errors: FieldErrors): void {
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    errors.invalid(`${path}.x-kubernetes-preserve-unknown-fields`, false, 'must be true or undefined');
  }
  checkMapType(schema, path, errors);
  const listType = schema['x-kubernetes-list-type'];
  if (listType !== undefined && schema.type !== 'array') {
    wrongType(schema, path, 'must be array if x-kubernetes-list-type is specified', errors);
  } else if (listType === 'set') checkSetItems(schema.items, path, errors);
  if (listType !== undefined && !LIST_TYPES.includes(listType)) {
    errors.notSupported(`${path}.x-kubernetes-list-type`, listType, LIST_TYPES);
  }
  if ((schema['x-kubernetes-list-map-keys'] ?? []).length > 0) {
    const why = 'must be map if x-kubernetes-list-map-keys is non-empty';
    if (listType === undefined) errors.required(`${path}.x-kubernetes-list-type`, why);
    else if (listType !== 'map') errors.invalid(`${path}.x-kubernetes-list-type`, listType, why);
  }
  if (listType === 'map') checkMapItems(schema, path, errors);
}

/** Keys of items must always be there, and never be null. */
export function checkListMapKeys(schema: JsonSchema, path: string, errors: FieldErrors): void {
  const { items } = schema;
  const listType = schema['x-kubernetes-list-type'];
  if (items === undefined || (listType !== 'set' && listType !== 'map')) return;
  if (items.nullable) {
    errors.forbidden(
      `${path}.items.nullable`,
      `cannot be nullable when x-kubernetes-list-type is ${listType}`,
    );
  }
  if (listType !== 'map') return;
  for (const key of schema['x-kubernetes-list-map-keys'] ?? []) {
    const property = ownField(items.properties, key) as JsonSchema | undefined;
    if (property === undefined) continue;
    const at = `${path}.items.properties[${key}]`;
    if (!items.required?.includes(key) && property.default === undefined) {
      const why =
        'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property';
      errors.required(`${at}.default`, why);
    }
    if (property.nullable) {
      errors.forbidden(
        `${at}.nullable`,
        'this property is in x-kubernetes-list-map-keys, so it cannot be nullable',
      );
    }
  }
}

// ---------------------------------------------------------------------------------------------------

const LIST_TYPES = ['atomic', 'set', 'map'];
const MAP_TYPES = ['atomic', 'granular'];

function wrongType(schema: JsonSchema, path: string, why: string, errors: FieldErrors): void {
  if (schema.type) errors.invalid(`${path}.type`, schema.type, why);
  else errors.required(`${path}.type`, why);
}

function checkMapType(schema: JsonSchema, path: string, errors: FieldErrors): void {
  const mapType = schema['x-kubernetes-map-type'];
  if (mapType === undefined) return;
  if (schema.type !== 'object')
    wrongType(schema, path, 'must be object if x-kubernetes-map-type is specified', errors);
  if (!MAP_TYPES.includes(mapType)) errors.notSupported(`${path}.x-kubernetes-map-type`, mapType, MAP_TYPES);
}

function checkSetItems(items: JsonSchema | undefined, path: string, errors: FieldErrors): void {
  if (items === undefined) return;
  const why = 'must be atomic as item of a list with x-kubernetes-list-type=set';
  const listType = items['x-kubernetes-list-type'];
  const mapType = items['x-kubernetes-map-type'];
  if (items.type === 'array' && listType !== undefined && listType !== 'atomic') {
    errors.invalid(`${path}.items.x-kubernetes-list-type`, listType, why);
  }
  if (items.type === 'object' && mapType !== 'atomic') {
    errors.invalid(`${path}.items.x-kubernetes-map-type`, listType ?? null, why);
  }
}

function checkMapItems(schema: JsonSchema, path: string, errors: FieldErrors): void {
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const at = `${path}.x-kubernetes-list-map-keys`;
  if (keys.length === 0) errors.required(at, 'must not be empty if x-kubernetes-list-type is map');
  const { items } = schema;
  if (items === undefined) {
    errors.required(`${path}.items`, 'must have a schema if x-kubernetes-list-type is map');
    return;
  }
  if (items.type !== 'object') {
    const why = "must be object if parent array's x-kubernetes-list-type is map";
    errors.invalid(`${path}.items.type`, items.type ?? '', why);
    return;
  }
  const seen = new Set<string>();
  for (const key of keys) {
    const property = ownField(items.properties, key) as JsonSchema | undefined;
    if (property === undefined) errors.invalid(at, keys, 'entries must all be names of item properties');
    else if (property.type === 'array' || property.type === 'object') {
      const why = "must be a scalar type if parent array's x-kubernetes-list-type is map";
      errors.invalid(`${path}.items.properties[${key}].type`, items.type, why);
    }
    if (seen.has(key)) errors.invalid(at, keys, 'must not contain duplicate entries');
    seen.add(key);
  }
}
