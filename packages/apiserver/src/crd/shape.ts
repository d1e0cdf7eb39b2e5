/**
 * What reading an object needs to know of its schema: which fields there are, which may be null, and what their
 * defaults are. On reading, undeclared fields and disallowed nulls are removed, and defaults are added.
 */
import { setField } from '../storage/json.ts';
import { isFields } from './correlate.ts';
import type { JsonSchema } from './types.ts';

export interface Shape {
  readonly properties: ReadonlyMap<string, Shape>;
  /** `true` means values of any shape. */
  readonly additional: Shape | true | undefined;
  readonly items: Shape | undefined;
  readonly preserves: boolean;
  readonly embedded: boolean;
  readonly nullable: boolean;
  /** undefined when there is none. */
  readonly default: unknown;
  /** Whether there is a default somewhere below. */
  readonly hasDefaults: boolean;
  readonly hasEmbedded: boolean;
}

export function shapeOf(schema: JsonSchema): Shape {
  const properties = new Map(
    Object.entries(schema.properties ?? {}).map(([name, property]) => [name, shapeOf(property)]),
  );
  const { additionalProperties } = schema;
  const additional =
    typeof additionalProperties === 'object'
      ? shapeOf(additionalProperties)
      : additionalProperties || undefined;
  const items = schema.items === undefined ? undefined : shapeOf(schema.items);
  const below = [...properties.values(), items, additional].filter((shape) => typeof shape === 'object');
  return {
    properties,
    additional,
    items,
    preserves: schema['x-kubernetes-preserve-unknown-fields'] === true,
    embedded: schema['x-kubernetes-embedded-resource'] === true,
    nullable: schema.nullable === true,
    default: schema.default ?? undefined,
    hasDefaults: below.some((shape) => shape.default !== undefined || shape.hasDefaults),
    hasEmbedded: below.some((shape) => shape.embedded || shape.hasEmbedded),
  };
}

/** Removes what the schema does not declare, in place; gives the paths, in order. */
export function pruneUnknown(object: Record<string, unknown>, shape: Shape): string[] {
  const removed: string[] = [];
  pruneNode(object, { ...shape, embedded: true }, '', removed);
  return removed.sort();
}

/** Removes nulls that are not allowed, in place; those that have a default are left for `applyDefaults`. */
export function pruneNulls(value: unknown, shape: Shape | undefined): void {
  if (Array.isArray(value)) {
    for (const item of value) pruneNulls(item, shape?.items);
    return;
  }
  if (!isFields(value)) return;
  for (const [key, item] of Object.entries(value)) {
    const field = fieldShape(shape, key);
    if (item === null && field !== undefined && !field.nullable && field.default === undefined)
      delete value[key];
    else pruneNulls(item, field);
  }
}

/** Fills in the defaults, in place. */
export function applyDefaults(value: unknown, shape: Shape | undefined): void {
  if (shape === undefined || (!shape.hasDefaults && !mayHoldNulls(shape))) return;
  if (Array.isArray(value)) {
    value.forEach((item, index) => {
      value[index] = defaulted(item, shape.items);
      applyDefaults(value[index], shape.items);
    });
    return;
  }
  if (!isFields(value)) return;
  for (const [name, property] of shape.properties) {
    if (property.default === undefined) continue;
    if (!Object.hasOwn(value, name) || (value[name] === null && !property.nullable)) {
      setField(value, name, structuredClone(property.default));
    }
  }
  for (const key of Object.keys(value)) {
    const field = fieldShape(shape, key);
    if (field === undefined) continue;
    if (!shape.properties.has(key)) value[key] = defaulted(value[key], field);
    applyDefaults(value[key], field);
  }
}

// ---------------------------------------------------------------------------------------------------

const META_FIELDS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

function fieldShape(shape: Shape | undefined, key: string): Shape | undefined {
  const property = shape?.properties.get(key);
  if (property !== undefined) return property;
  return typeof shape?.additional === 'object' ? shape.additional : undefined;
}

/** Items and values of maps have their defaults too, for nulls. */
function mayHoldNulls(shape: Shape): boolean {
  return (
    shape.items?.default !== undefined ||
    (typeof shape.additional === 'object' && shape.additional.default !== undefined)
  );
}

function defaulted(value: unknown, shape: Shape | undefined): unknown {
  if (value !== null || shape === undefined || shape.nullable || shape.default === undefined) return value;
  return structuredClone(shape.default);
}

/** A shape of undefined knows nothing: every field goes. */
function pruneNode(value: unknown, shape: Shape | undefined, path: string, removed: string[]): void {
  if (Array.isArray(value)) {
    value.forEach((item, index) => {
      if (shape?.preserves && shape.items === undefined) return;
      pruneNode(item, shape?.items, `${path}[${index}]`, removed);
    });
    return;
  }
  if (!isFields(value)) return;
  for (const [key, item] of Object.entries(value)) {
    if (shape?.embedded && META_FIELDS.has(key)) continue;
    const inner = path === '' ? key : `${path}.${key}`;
    const property = shape?.properties.get(key);
    if (property !== undefined) pruneNode(item, property, inner, removed);
    else if (shape?.additional !== undefined) {
      if (shape.additional !== true) pruneNode(item, shape.additional, inner, removed);
    } else if (!shape?.preserves) {
      removed.push(inner);
      delete value[key];
    }
  }
}
