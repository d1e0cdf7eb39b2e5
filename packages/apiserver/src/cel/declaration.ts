/**
 * From a schema to what a rule sees: the static type, and a view on the JSON that turns values into CEL values
 * when they are read. Parts of a schema that CEL cannot type (unknown fields that are preserved) are left out of
 * the type, but still take part in equality.
 */
import { parseWordyDuration } from '../crd/formats.ts';
import type { JsonSchema } from '../crd/types.ts';
import { ownField } from '../storage/json.ts';
import { identifiersOf } from './names.ts';
import { offsetIn, parseDateTime } from './time.ts';
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  STRING,
  TIMESTAMP,
} from './types.ts';
import { CelError, CelList, CelMap, type CelValue, Duration, equal, Timestamp, ValueList } from './values.ts';

/** How one node of a schema is seen by rules. */
export interface Declaration {
  readonly type: CelType;
  /** The CEL value of a JSON value that has passed schema validation. */
  read(json: unknown): CelValue;
}

/** undefined where the schema cannot be typed. `root` is true for a resource, also an embedded one. */
export function declarationOf(schema: JsonSchema, root = false): Declaration | undefined {
  if (schema['x-kubernetes-int-or-string']) return nullable(schema, DYN, readIntOrString);
  const scalar = scalarOf(schema);
  if (scalar !== undefined) return nullable(schema, scalar.type, scalar.read);
  if (schema.type === 'array') return arrayOf(schema);
  if (schema.type === 'object') return objectOf(root || isEmbedded(schema) ? withObjectMeta(schema) : schema);
  return undefined;
}

/** apiVersion, kind, metadata.name and metadata.generateName can be read at every resource, declared or not. */
export function withObjectMeta(schema: JsonSchema): JsonSchema {
  const text = { type: 'string' };
  const declared = schema.properties ?? {};
  const meta = declared['metadata']?.properties ?? {};
  const complete = [declared['apiVersion'], declared['kind'], meta['name'], meta['generateName']];
  if (complete.every((property) => property?.type === 'string')) return schema;
  return {
    ...schema,
    properties: {
      ...schema.properties,
      apiVersion: text,
      kind: text,
      metadata: { type: 'object', properties: { name: text, generateName: text } },
    },
  };
}

export function sameJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (Array.isArray(left)) {
    return (
      Array.isArray(right) &&
      left.length === right.length &&
      left.every((item, index) => sameJson(item, right[index]))
    );
  }
  if (Array.isArray(right)) return false;
  const one = left as Record<string, unknown>;
  const two = right as Record<string, unknown>;
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(two).length &&
    keys.every((key) => Object.hasOwn(two, key) && sameJson(one[key], two[key]))
  );
}

// ---------------------------------------------------------------------------------------------------

type Reader = (json: unknown) => CelValue;

function nullable(schema: JsonSchema, type: CelType, read: Reader): Declaration {
  return {
    type,
    read(json) {
      if (json !== null && json !== undefined) return read(json);
      if (schema.nullable) return null;
      throw new CelError('invalid data, got null for schema with nullable=false');
    },
  };
}

function isEmbedded(schema: JsonSchema): boolean {
  return schema['x-kubernetes-embedded-resource'] === true;
}

function scalarOf(schema: JsonSchema): { type: CelType; read: Reader } | undefined {
  switch (schema.type) {
    case 'string':
      return STRING_FORMATS.get(schema.format ?? '') ?? { type: STRING, read: readString };
    case 'boolean':
      return { type: BOOL, read: (json) => expectKind(json, typeof json === 'boolean', 'bool') as boolean };
    case 'number':
      return { type: DOUBLE, read: (json) => Number(expectKind(json, isNumber(json), 'float')) };
    case 'integer':
      return { type: INT, read: readInt };
    default:
      return undefined;
  }
}

const STRING_FORMATS = new Map<string, { type: CelType; read: Reader }>(
  Object.entries({
    byte: { type: BYTES, read: (json) => new Uint8Array(Buffer.from(readString(json), 'base64')) },
    duration: {
      type: DURATION,
      read: (json) => new Duration(orFail(parseWordyDuration(readString(json)), `Invalid duration ${json}`)),
    },
    date: {
      type: TIMESTAMP,
      read: (json) =>
        new Timestamp(
          orFail(parseDateTime(`${readString(json)}T00:00:00Z`), `Invalid date formatted string ${json}`),
        ),
    },
    'date-time': {
      type: TIMESTAMP,
      read: (json) =>
        new Timestamp(
          orFail(parseDateTime(readString(json)), `Invalid date-time formatted string ${json}`),
          offsetIn(readString(json)),
        ),
    },
  }),
);

function readString(json: unknown): string {
  return expectKind(json, typeof json === 'string', 'string') as string;
}

function readInt(json: unknown): bigint {
  if (typeof json === 'bigint') return json;
  expectKind(json, Number.isInteger(json), 'int');
  return BigInt(json as number);
}

function isNumber(json: unknown): boolean {
  return typeof json === 'number' || typeof json === 'bigint';
}

function readIntOrString(json: unknown): CelValue {
  if (typeof json === 'string') return json;
  if (typeof json === 'bigint' || Number.isInteger(json)) return BigInt(json as number);
  throw new CelError('invalid data, expected XIntOrString value to be either a string or integer');
}

function expectKind(json: unknown, isIt: boolean, kind: string): unknown {
  if (!isIt) throw new CelError(`invalid data, expected ${kind}, got ${typeof json}`);
  return json;
}

function orFail(value: bigint | undefined, message: string): bigint {
  if (value === undefined) throw new CelError(message);
  return value;
}

function arrayOf(schema: JsonSchema): Declaration | undefined {
  const items = schema.items === undefined ? undefined : declarationOf(schema.items);
  if (items === undefined) return undefined;
  const listType = schema['x-kubernetes-list-type'];
  const keys = listType === 'map' ? (schema['x-kubernetes-list-map-keys'] ?? []) : undefined;
  return nullable(schema, listOf(items.type), (json) => {
    if (!Array.isArray(json)) {
      throw new CelError('invalid data, expected an array for the provided schema with type=array');
    }
    if (keys !== undefined) return new KeyedList(json, items, (item) => keyOf(item, keys));
    return listType === 'set'
      ? new KeyedList(json, items, (item) => JSON.stringify(item))
      : new JsonList(json, items);
  });
}

function keyOf(item: unknown, keys: readonly string[]): string {
  const fields = (item ?? {}) as Record<string, unknown>;
  return JSON.stringify(keys.map((key) => ownField(fields, key) ?? null));
}

function objectOf(schema: JsonSchema): Declaration | undefined {
  const additional = schema.additionalProperties;
  if (typeof additional === 'object') {
    const value = declarationOf(additional);
    if (value === undefined) return undefined;
    return nullable(schema, mapOf(STRING, value.type), (json) => new JsonMap(asObject(json), value));
  }
  const fields = new Map<string, CelType>();
  const byName = new Map<string, Field>();
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const declaration = declarationOf(property);
    for (const identifier of identifiersOf(name)) {
      if (declaration !== undefined) fields.set(identifier, declaration.type);
      byName.set(identifier, { name, declaration });
    }
  }
  return nullable(schema, { kind: 'object', fields }, (json) => new JsonObject(asObject(json), byName));
}

interface Field {
  readonly name: string;
  readonly declaration: Declaration | undefined;
}

function asObject(json: unknown): Record<string, unknown> {
  if (typeof json !== 'object' || Array.isArray(json) || json === null) {
    throw new CelError('invalid data, expected a map for the provided schema with type=object');
  }
  return json as Record<string, unknown>;
}

class JsonList extends CelList {
  readonly json: readonly unknown[];
  protected readonly declaration: Declaration;

  constructor(json: readonly unknown[], declaration: Declaration) {
    super();
    this.json = json;
    this.declaration = declaration;
  }

  get size(): number {
    return this.json.length;
  }

  at(index: number): CelValue {
    return this.declaration.read(this.json[index]);
  }

  concat(other: CelList): CelList {
    return other instanceof JsonList
      ? new JsonList([...this.json, ...other.json], this.declaration)
      : new ValueList([...this.items(), ...other.items()]);
  }

  equals(other: CelList): boolean {
    if (other.size !== this.size) return false;
    for (let index = 0; index < this.size; index++) {
      if (!equal(this.at(index), other.at(index))) return false;
    }
    return true;
  }
}

/** A list of type set or map: order does not count, and adding replaces what has the same key. */
class KeyedList extends JsonList {
  readonly #keyOf: (item: unknown) => string;

  constructor(json: readonly unknown[], declaration: Declaration, key: (item: unknown) => string) {
    super(json, declaration);
    this.#keyOf = key;
  }

  override concat(other: CelList): CelList {
    const added = other instanceof JsonList ? other.json : scalarsOf(other);
    if (added === undefined) return super.concat(other);
    const byKey = new Map(this.json.map((item) => [this.#keyOf(item), item]));
    for (const item of added) byKey.set(this.#keyOf(item), item);
    return new KeyedList([...byKey.values()], this.declaration, this.#keyOf);
  }

  override equals(other: CelList): boolean {
    if (other.size !== this.size) return false;
    if (!(other instanceof JsonList)) return this.#equalsLiteral(other);
    const byKey = new Map(this.json.map((item) => [this.#keyOf(item), item]));
    return other.json.every((item) => {
      const key = this.#keyOf(item);
      return byKey.has(key) && equal(this.declaration.read(byKey.get(key)), this.declaration.read(item));
    });
  }

  #equalsLiteral(other: CelList): boolean {
    const mine = this.items();
    return other.items().every((item) => mine.some((own) => equal(own, item)));
  }
}

/** A literal list as JSON, where it holds nothing but scalars: what a set is added to. */
function scalarsOf(list: CelList): unknown[] | undefined {
  const items = list.items().map((item) => (typeof item === 'bigint' ? Number(item) : item));
  return items.every((item) => ['string', 'number', 'boolean'].includes(typeof item)) ? items : undefined;
}

class JsonMap extends CelMap {
  readonly json: Readonly<Record<string, unknown>>;
  readonly #value: Declaration;

  constructor(json: Readonly<Record<string, unknown>>, value: Declaration) {
    super();
    this.json = json;
    this.#value = value;
  }

  get size(): number {
    return Object.keys(this.json).length;
  }

  find(key: CelValue): CelValue | undefined {
    if (typeof key !== 'string' || !Object.hasOwn(this.json, key)) return undefined;
    return this.#value.read(this.json[key]);
  }

  keys(): CelValue[] {
    return Object.keys(this.json).sort();
  }

  equals(other: CelMap): boolean {
    if (other.size !== this.size) return false;
    return Object.keys(this.json).every((key) => {
      const theirs = other.find(key);
      return theirs !== undefined && equal(this.find(key)!, theirs);
    });
  }
}

/** Fields are selected by their escaped names; a field that is null counts as absent. */
class JsonObject extends CelMap {
  readonly json: Readonly<Record<string, unknown>>;
  readonly #fields: ReadonlyMap<string, Field>;

  constructor(json: Readonly<Record<string, unknown>>, fields: ReadonlyMap<string, Field>) {
    super();
    this.json = json;
    this.#fields = fields;
  }

  get size(): number {
    return Object.keys(this.json).length;
  }

  find(key: CelValue): CelValue | undefined {
    const field = typeof key === 'string' ? this.#fields.get(key) : undefined;
    if (field?.declaration === undefined) return undefined;
    const json = ownField(this.json, field.name);
    return json === undefined || json === null ? undefined : field.declaration.read(json);
  }

  keys(): CelValue[] {
    return [...this.#fields.keys()].filter((key) => this.find(key) !== undefined);
  }

  equals(other: CelMap): boolean {
    if (other.size !== this.size || !(other instanceof JsonObject)) return false;
    for (const [key, field] of this.#fields) {
      if (field.declaration === undefined) continue;
      const mine = this.find(key);
      const theirs = other.find(key);
      if (mine === undefined || theirs === undefined ? mine !== theirs : !equal(mine, theirs)) return false;
    }
    return this.#undeclared().every(
      (name) => !Object.hasOwn(other.json, name) || sameJson(this.json[name], other.json[name]),
    );
  }

  #undeclared(): string[] {
    const declared = new Set(
      [...this.#fields.values()].filter((field) => field.declaration).map(({ name }) => name),
    );
    return Object.keys(this.json).filter((name) => !declared.has(name));
  }
}
