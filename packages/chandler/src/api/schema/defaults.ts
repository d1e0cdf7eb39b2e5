/**
 * Fills in the defaults of a schema the way an API server does, for code that reads manifests without one.
 * Validation is left to the API server.
 */
import type { JsonSchema, JsonValue, Schema } from './schema.ts';

/**
 * A copy of `value` in which every missing field that has a default carries it. As on the server, a default inside an
 * object applies only where that object is present (or is itself a default), and a `null` counts as missing.
 */
export function withDefaults<T>(schema: Schema<T>, value: T): T {
  return fill(schema.json, value) as T;
}

// ---------------------------------------------------------------------------------------------------------------

function fill(schema: JsonSchema, value: unknown): unknown {
  if (Array.isArray(value)) {
    const { items } = schema;
    return items === undefined ? structuredClone(value) : value.map((item) => fill(items, item));
  }
  if (value !== null && typeof value === 'object')
    return fillObject(schema, value as Record<string, unknown>);
  return value;
}

function fillObject(schema: JsonSchema, value: Record<string, unknown>): Record<string, unknown> {
  const filled: Record<string, unknown> = {};
  for (const [name, item] of Object.entries(value)) {
    const child = schema.properties?.[name] ?? schema.additionalProperties;
    const missing = item === undefined || (item === null && child?.default !== undefined);
    if (!missing) filled[name] = child === undefined ? structuredClone(item) : fill(child, item);
  }
  for (const [name, child] of Object.entries(schema.properties ?? {})) {
    if (child.default !== undefined && !(name in filled)) filled[name] = fill(child, copy(child.default));
  }
  return filled;
}

function copy(value: JsonValue): unknown {
  return structuredClone(value);
}
