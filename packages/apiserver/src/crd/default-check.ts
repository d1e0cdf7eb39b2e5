/** Whether the defaults in a schema would pass it: type, unknown fields, embedded objects, and rules. */
import { sameJson } from '../cel/declaration.ts';
import { DecodeError } from '../decode/scalars.ts';
import type { FieldError } from '../errors.ts';
import { isFields } from './correlate.ts';
import { checkEmbedded, readEmbedded } from './embedded.ts';
import { sortedKeys } from './findings.ts';
import { compileRules } from './rules.ts';
import { compileSchema } from './schema-check.ts';
import { pruneUnknown, shapeOf } from './shape.ts';
import type { JsonSchema } from './types.ts';

export function defaultErrors(schema: JsonSchema, path: string, isRoot = true): FieldError[] {
  const errors =
    schema.default === undefined || schema.default === null
      ? []
      : checkDefault(schema, `${path}.default`, isRoot);
  if (schema.items !== undefined) errors.push(...defaultErrors(schema.items, `${path}.items`, false));
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    errors.push(...defaultErrors(property, `${path}.properties[${name}]`, false));
  }
  return errors;
}

// ---------------------------------------------------------------------------------------------------

function checkDefault(schema: JsonSchema, path: string, isRoot: boolean): FieldError[] {
  const value = structuredClone(schema.default);
  const shape = shapeOf(schema);
  const errors: FieldError[] = [];
  if (hasUnknown(value, schema)) {
    errors.push({
      reason: 'FieldValueInvalid',
      field: path,
      value: sortedKeys(schema.default),
      detail: 'must not have unknown fields',
    });
  }
  try {
    readEmbedded(value, shape, path);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    return [
      ...errors,
      { reason: 'FieldValueInvalid', field: path, value: sortedKeys(schema.default), detail: error.message },
    ];
  }
  const embedded = checkEmbedded(value, shape, path);
  if (embedded.length > 0) return [...errors, ...embedded];
  const invalid = compileSchema(schema)(value, path);
  if (invalid.length > 0) return [...errors, ...invalid];
  const rules = compileRules(schema, isRoot);
  if (rules === undefined) return errors;
  const broken = rules({ value, old: value, path });
  return [...errors, ...(broken.length > 0 ? broken : rules({ value, path }))];
}

function hasUnknown(value: unknown, schema: JsonSchema): boolean {
  const wrapped = { value: structuredClone(value) };
  pruneUnknown(wrapped, shapeOf({ type: 'object', properties: { value: schema } }));
  return (isFields(value) || Array.isArray(value)) && !sameJson(wrapped.value, value);
}
