/**
 * Compares a value with a schema and names every field that differs, in words that say what to write. It is
 * for people's manifests: types, required fields, closed sets, quantities. The finer rules (CEL) are left to the API server.
 */
import { isQuantity } from '@chandler/kube';
import type { JsonSchema } from '../../api/index.ts';
import { closestName } from '../../settings/index.ts';

import type { FieldPath } from './documents.ts';

export interface Mismatch {
  readonly path: FieldPath;
  readonly message: string;
  /** An unknown field is reported as a warning. */
  readonly warning?: true;
}

export function checkShape(schema: JsonSchema, value: unknown, path: FieldPath = []): Mismatch[] {
  if (value === null || value === undefined) return [];
  if (schema['x-kubernetes-int-or-string']) return checkIntOrString(schema, value, path);
  const expected = schema.type;
  if (expected === undefined) return [];
  if (!TYPE_TESTS[expected](value)) {
    // YAML reads N, no and off as false, and 010 as 8.
    const hint = expected === 'string' && typeof value !== 'object' ? '; put the value in quotes' : '';
    return [{ path, message: `expected ${TYPE_NAMES[expected]}, got ${shown(value)}${hint}` }];
  }
  if (expected === 'array') return checkList(schema, value as unknown[], path);
  if (expected === 'object') return checkObject(schema, value as Record<string, unknown>, path);
  return checkScalar(schema, value as string | number | boolean, path);
}

/** An item of a list. An empty one is no absent field: who reads the list does not expect it. */
export function checkItem(schema: JsonSchema, item: unknown, path: FieldPath): Mismatch[] {
  if (item !== null) return checkShape(schema, item, path);
  const expected = schema['x-kubernetes-int-or-string'] ? 'string' : schema.type;
  return expected === undefined ? [] : [{ path, message: `expected ${TYPE_NAMES[expected]}, got nothing` }];
}

// ---------------------------------------------------------------------------------------------------------------

type TypeName = NonNullable<JsonSchema['type']>;

const TYPE_TESTS: Readonly<Record<TypeName, (value: unknown) => boolean>> = {
  object: (value) => typeof value === 'object' && !Array.isArray(value),
  array: Array.isArray,
  string: (value) => typeof value === 'string',
  integer: Number.isInteger,
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
};

const TYPE_NAMES: Readonly<Record<TypeName, string>> = {
  object: 'fields (name: value)',
  array: 'a list',
  string: 'a text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
};

function checkIntOrString(schema: JsonSchema, value: unknown, path: FieldPath): Mismatch[] {
  if (schema.pattern !== undefined) {
    return isQuantity(value)
      ? []
      : [{ path, message: `expected a quantity such as 500m or 2Gi, got ${shown(value)}` }];
  }
  const fine = typeof value === 'string' || Number.isInteger(value);
  return fine ? [] : [{ path, message: `expected a number or a text, got ${shown(value)}` }];
}

function checkScalar(schema: JsonSchema, value: string | number | boolean, path: FieldPath): Mismatch[] {
  const { enum: choices, pattern, minimum, maximum, minLength } = schema;
  if (choices !== undefined && !choices.includes(String(value))) {
    return [{ path, message: `expected ${choices.join(', ')}; got ${shown(value)}` }];
  }
  if (typeof value === 'number') {
    if (minimum !== undefined && value < minimum)
      return [{ path, message: `expected at least ${minimum}, got ${value}` }];
    if (maximum !== undefined && value > maximum)
      return [{ path, message: `expected at most ${maximum}, got ${value}` }];
  }
  if (typeof value === 'string') {
    if (value.length < (minLength ?? 0)) return [{ path, message: 'may not be empty' }];
    if (pattern !== undefined && !regularExpression(pattern).test(value)) {
      return [{ path, message: `${shown(value)} is not of the form ${pattern}` }];
    }
  }
  return [];
}

/** Patterns are written for RE2. Of what JavaScript reads otherwise, our kinds have only a leading `(?i)`. */
export function regularExpression(pattern: string): RegExp {
  const bare = pattern.replace(/^\(\?i\)/, '');
  return new RegExp(bare, bare === pattern ? '' : 'i');
}

function checkList(schema: JsonSchema, value: readonly unknown[], path: FieldPath): Mismatch[] {
  const few = value.length < (schema.minItems ?? 0);
  return [
    ...(few ? [{ path, message: `expected at least ${schema.minItems} entries` }] : []),
    ...value.flatMap((item, index) => checkItem(schema.items ?? {}, item, [...path, index])),
  ];
}

function checkObject(schema: JsonSchema, value: Record<string, unknown>, path: FieldPath): Mismatch[] {
  const { properties, additionalProperties, required = [] } = schema;
  const missing = required.filter((name) => value[name] === undefined || value[name] === null);
  const mismatches: Mismatch[] = missing.map((name) => ({ path: [...path, name], message: 'is missing' }));
  for (const [name, item] of Object.entries(value)) {
    const known = properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined;
    const child = known ?? additionalProperties;
    if (child !== undefined) mismatches.push(...checkShape(child, item, [...path, name]));
    else if (properties !== undefined && !schema['x-kubernetes-preserve-unknown-fields']) {
      const guess = closestName(name, Object.keys(properties));
      const hint = guess === undefined ? 'it is ignored' : `did you mean ${guess}?`;
      mismatches.push({ path: [...path, name], message: `unknown field; ${hint}`, warning: true });
    }
  }
  return mismatches;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}…`;
}

const MAX_SHOWN = 40;
