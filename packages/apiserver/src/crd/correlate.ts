/**
 * Which part of the new object corresponds to which part of the old one, and whether it changed. Fields correspond
 * by name and items of lists with keys by their keys; items of other lists do not. Both ratcheting (what was wrong
 * before may stay) and `oldSelf` of rules stand on this.
 */
import { sameJson } from '../cel/declaration.ts';
import { ownField } from '../storage/json.ts';
import type { JsonSchema } from './types.ts';

export class Correlated {
  readonly value: unknown;
  readonly old: unknown;
  readonly #schema: JsonSchema;
  #equal: boolean | undefined;
  #byKey: ReadonlyMap<string, unknown> | undefined;
  readonly #children = new Map<string | number, Correlated>();

  constructor(value: unknown, old: unknown, schema: JsonSchema) {
    this.value = value;
    this.old = old;
    this.#schema = schema;
  }

  key(field: string): Correlated | undefined {
    const known = this.#children.get(field);
    if (known !== undefined) return known;
    if (!isFields(this.value) || !isFields(this.old)) return undefined;
    if (!Object.hasOwn(this.value, field) || !Object.hasOwn(this.old, field)) return undefined;
    const schema = fieldSchema(this.#schema, field);
    return schema === undefined ? undefined : this.#child(field, this.value[field], this.old[field], schema);
  }

  index(index: number): Correlated | undefined {
    const known = this.#children.get(index);
    if (known !== undefined) return known;
    const { items } = this.#schema;
    if (items === undefined || !Array.isArray(this.value) || index >= this.value.length) return undefined;
    const value: unknown = this.value[index];
    const old = this.#oldItem(value);
    return old === undefined || old === null ? undefined : this.#child(index, value, old, items);
  }

  /** Unchanged, as far as known: what the schema does not describe counts as changed. */
  equal(): boolean {
    this.#equal ??= this.#compare();
    return this.#equal;
  }

  #child(at: string | number, value: unknown, old: unknown, schema: JsonSchema): Correlated {
    const child = new Correlated(value, old, schema);
    this.#children.set(at, child);
    return child;
  }

  #oldItem(value: unknown): unknown {
    if (this.#schema['x-kubernetes-list-type'] !== 'map' || !Array.isArray(this.old)) return undefined;
    this.#byKey ??= itemsByKey(this.#schema, this.old);
    const key = itemKey(this.#schema, value);
    return key === undefined ? undefined : this.#byKey.get(key);
  }

  #compare(): boolean {
    const { value, old } = this;
    if (value === null || value === undefined) return old === null || old === undefined;
    if (Array.isArray(value))
      return Array.isArray(old) && value.length === old.length && this.#sameItems(value, old);
    if (!isFields(value)) return sameJson(value, old);
    if (!isFields(old)) return false;
    const keys = Object.keys(value);
    return keys.length === Object.keys(old).length && keys.every((key) => this.key(key)?.equal() ?? false);
  }

  #sameItems(value: readonly unknown[], old: readonly unknown[]): boolean {
    if (this.#schema['x-kubernetes-list-type'] !== 'map') return sameJson(value, old);
    return value.every((_, index) => this.index(index)?.equal() ?? false);
  }
}

/** Old items of a list with keys, to find the one that an item replaces. */
export function itemsByKey(schema: JsonSchema, items: readonly unknown[]): Map<string, unknown> {
  const byKey = new Map<string, unknown>();
  for (const item of items) {
    const key = itemKey(schema, item);
    if (key !== undefined && !byKey.has(key)) byKey.set(key, item);
  }
  return byKey;
}

/** undefined when the item is no object, or one of its keys is missing or no scalar. */
export function itemKey(schema: JsonSchema, item: unknown): string | undefined {
  if (!isFields(item)) return undefined;
  const keys = (schema['x-kubernetes-list-map-keys'] ?? []).map((key) => ownField(item, key));
  const usable = keys.every((key) => key !== undefined && key !== null && typeof key !== 'object');
  return usable ? JSON.stringify(keys) : undefined;
}

export function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

// ---------------------------------------------------------------------------------------------------

function fieldSchema(schema: JsonSchema, field: string): JsonSchema | undefined {
  const { properties, additionalProperties } = schema;
  if (properties !== undefined && Object.hasOwn(properties, field)) return properties[field];
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}
