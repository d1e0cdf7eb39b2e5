/**
 * A small language for writing the shape of a kind once: each builder returns the OpenAPI schema of
 * the CRD and, at the type level, the TypeScript type of the value. It knows nothing of any kind.
 * A description is the first argument everywhere, so no field can be left undocumented.
 */

export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

/** The part of OpenAPI v3 that a structural schema of apiextensions v1 may use, in the order in which it is printed. */
export interface JsonSchema {
  readonly description?: string;
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly JsonSchema[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly default?: JsonValue;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema;
  readonly items?: JsonSchema;
  readonly 'x-kubernetes-int-or-string'?: true;
  readonly 'x-kubernetes-preserve-unknown-fields'?: true;
  readonly 'x-kubernetes-list-type'?: ListType;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: MapType;
  readonly 'x-kubernetes-validations'?: readonly Rule[];
}

export type ListType = 'atomic' | 'set' | 'map';
export type MapType = 'atomic' | 'granular';

/** A CEL rule of `x-kubernetes-validations`: the message is what the user reads when it does not hold. */
export interface Rule {
  readonly message: string;
  readonly rule: string;
  /** The field that an error names, relative to the node of the rule; the node itself when absent. */
  readonly fieldPath?: string;
}

declare const value: unique symbol;

export interface Schema<T, Presence extends 'required' | 'optional' = 'required' | 'optional'> {
  readonly json: JsonSchema;
  readonly presence: Presence;
  /** Only for inference; never there at run time. */
  readonly [value]?: T;
}

export type Required<T> = Schema<T, 'required'>;
export type Optional<T> = Schema<T, 'optional'>;

/** The TypeScript type of a schema. */
export type Static<S> = S extends Schema<infer T> ? T : never;

type Fields = Readonly<Record<string, Schema<unknown>>>;
type RequiredKeys<F extends Fields> = {
  [K in keyof F]: F[K]['presence'] extends 'required' ? K : never;
}[keyof F];
type OptionalKeys<F extends Fields> = Exclude<keyof F, RequiredKeys<F>>;
type Flat<T> = { [K in keyof T]: T[K] };
type ObjectOf<F extends Fields> = Flat<
  { [K in RequiredKeys<F>]: Static<F[K]> } & { [K in OptionalKeys<F>]?: Static<F[K]> }
>;

interface Checked {
  readonly rules?: readonly Rule[];
}

export interface TextOptions extends Checked {
  readonly format?: 'date-time';
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly default?: string;
}

export function text(description: string, options: TextOptions = {}): Required<string> {
  const { rules, ...rest } = options;
  return required({ description, type: 'string', ...rest, ...validations(rules) });
}

/** A string of a closed set. */
export function choice<const V extends string>(
  description: string,
  values: readonly V[],
  options: { readonly default?: NoInfer<V> } = {},
): Required<V> {
  return required({ description, type: 'string', enum: values, ...options });
}

export interface IntegerOptions {
  /** `none` leaves the format out; the default is int32. */
  readonly format?: 'int32' | 'int64' | 'none';
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: number;
}

export function integer(description: string, options: IntegerOptions = {}): Required<number> {
  const { format = 'int32', ...rest } = options;
  return required({ description, type: 'integer', ...(format === 'none' ? {} : { format }), ...rest });
}

export function flag(description: string, options: { readonly default?: boolean } = {}): Required<boolean> {
  return required({ description, type: 'boolean', ...options });
}

/** A number or a string on the wire, such as a quantity or a percentage. */
export function intOrString(
  description: string,
  options: { readonly pattern?: string; readonly minimum?: number; readonly maxLength?: number } = {},
): Required<number | string> {
  return required({
    description,
    anyOf: [{ type: 'integer' }, { type: 'string' }],
    ...options,
    'x-kubernetes-int-or-string': true,
  });
}

export interface ListOptions<T> extends Checked {
  readonly listType?: ListType;
  /** The fields that identify an item; only with listType `map`. */
  readonly keys?: readonly string[];
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly default?: readonly T[];
}

export function list<T>(description: string, item: Schema<T>, options: ListOptions<T> = {}): Required<T[]> {
  const { rules, listType, keys, default: fallback, ...rest } = options;
  return required({
    description,
    type: 'array',
    ...rest,
    ...(fallback === undefined ? {} : { default: fallback as JsonValue }),
    items: item.json,
    ...(listType === undefined ? {} : { 'x-kubernetes-list-type': listType }),
    ...(keys === undefined ? {} : { 'x-kubernetes-list-map-keys': keys }),
    ...validations(rules),
  });
}

export interface MapOptions extends Checked {
  readonly mapType?: MapType;
  readonly minProperties?: number;
  readonly maxProperties?: number;
}

export function map<T>(
  description: string,
  item: Schema<T>,
  options: MapOptions = {},
): Required<Record<string, T>> {
  const { rules, mapType, ...rest } = options;
  return required({
    description,
    type: 'object',
    ...rest,
    additionalProperties: item.json,
    ...(mapType === undefined ? {} : { 'x-kubernetes-map-type': mapType }),
    ...validations(rules),
  });
}

export interface ObjectOptions<F extends Fields> extends Checked {
  readonly default?: Partial<ObjectOf<F>>;
}

export function object<F extends Fields>(
  description: string,
  fields: F,
  options: ObjectOptions<F> = {},
): Required<ObjectOf<F>> {
  return required(objectJson(description, fields, options));
}

/** An object that keeps fields it does not know; only the known ones are checked. */
export function openObject<F extends Fields>(
  description: string,
  fields: F,
  options: ObjectOptions<F> = {},
): Required<ObjectOf<F> & Record<string, unknown>> {
  const { 'x-kubernetes-validations': rules, ...json } = objectJson(description, fields, options);
  return required({ ...json, 'x-kubernetes-preserve-unknown-fields': true, ...validations(rules) });
}

/** The same schema as a field that may be absent. A field with a default is optional in what a user writes. */
export function optional<T>(schema: Schema<T>): Optional<T> {
  return { json: schema.json, presence: 'optional' };
}

/** The same shape under another description. */
export function described<S extends Schema<unknown>>(description: string, schema: S): S {
  return { ...schema, json: { ...schema.json, description } };
}

// ---------------------------------------------------------------------------------------------------------------

function required<T>(json: JsonSchema): Required<T> {
  return { json, presence: 'required' };
}

function validations(rules: readonly Rule[] | undefined): Pick<JsonSchema, 'x-kubernetes-validations'> {
  return rules === undefined || rules.length === 0 ? {} : { 'x-kubernetes-validations': rules };
}

function objectJson<F extends Fields>(description: string, fields: F, options: ObjectOptions<F>): JsonSchema {
  const entries = Object.entries(fields);
  const names = entries.filter(([, field]) => field.presence === 'required').map(([name]) => name);
  return {
    description,
    type: 'object',
    ...(options.default === undefined ? {} : { default: options.default as JsonValue }),
    ...(names.length === 0 ? {} : { required: names.sort() }),
    properties: Object.fromEntries(entries.map(([name, field]) => [name, field.json])),
    ...validations(options.rules),
  };
}
