/**
 * Reads a parsed value into the shape of a built-in kind, in place and in one walk: types are checked as Go's decoder
 * checks them, unknown fields are taken out and reported, quantities and times are brought into their one form, and
 * what Go would not write is left out, so that the result looks as if it had been read back from a real server.
 * Defaults of a kind and its validation come later.
 */
import { type BuiltinStructure, Op } from '../builtin/structures.ts';
import { jsonTypeName } from './parse.ts';
import { DecodeError, readBytes, readQuantity, readTime } from './scalars.ts';

/** Changes `value`, and returns the paths of the unknown fields that it removed. */
export function decodeTyped(value: Record<string, unknown>, shape: BuiltinStructure): string[] {
  const walk = new Walk();
  walk.struct(value, shape);
  return walk.unknown ?? NOTHING;
}

// ---------------------------------------------------------------------------------------------------

const NOTHING: string[] = [];
/** Marks a value that is not to be written. */
const OMIT = Symbol('omit');

const INT32_MAX = 2 ** 31 - 1;
const INT32_MIN = -(2 ** 31);
const INT64_MAX = 2 ** 63;

/** The maximum number of errors that Go's decoder reports. */
const MAX_UNKNOWN = 100;

class Walk {
  /** Keys and indexes from the root to where we are. */
  readonly #path: (string | number)[] = [];
  /** The structs on that way: the innermost names the field in an error. */
  readonly #structs: BuiltinStructure[] = [];
  unknown: string[] | undefined;

  struct(fields: Record<string, unknown>, shape: BuiltinStructure): void {
    const properties = shape.properties!;
    this.#structs.push(shape);
    for (const key in fields) {
      const property = properties[key];
      if (property === undefined) {
        this.#drop(fields, key);
        continue;
      }
      const before = fields[key];
      if (typeof before === 'string' && property.op === Op.string) {
        if (before === '' && property.omitEmpty && !property.pointer) delete fields[key];
        continue;
      }
      this.#path.push(key);
      const after = before === null ? OMIT : this.#field(before, property);
      this.#path.pop();
      if (after === OMIT) delete fields[key];
      else if (after !== before) fields[key] = after;
    }
    this.#structs.pop();
    for (const fill of shape.fills) {
      if (fields[fill.key] !== undefined) continue;
      fields[fill.key] = fill.shape === undefined ? fill.scalar : fill.shape.zero();
    }
  }

  /** A field's value, or OMIT when Go would not write it. */
  #field(value: unknown, shape: BuiltinStructure): unknown {
    const read = this.#value(value, shape);
    if (shape.pointer) return read;
    if (shape.omitEmpty) return isZero(read, shape) ? OMIT : read;
    return (shape.op === Op.list || shape.op === Op.map) && isEmptyObject(read as object) ? null : read;
  }

  #value(value: unknown, shape: BuiltinStructure): unknown {
    switch (shape.op) {
      case Op.struct:
        if (typeof value !== 'object' || Array.isArray(value)) this.#mismatch(value, shape.goType);
        this.struct(value as Record<string, unknown>, shape);
        return value;
      case Op.list:
        return this.#list(value, shape);
      case Op.map:
        return this.#map(value, shape);
      case Op.string:
        if (typeof value !== 'string') this.#mismatch(value, shape.goType);
        return value;
      case Op.int32:
        return this.#integer(value, shape, INT32_MIN, INT32_MAX);
      case Op.int64:
        return this.#integer(value, shape, -INT64_MAX, INT64_MAX);
      case Op.number:
        if (typeof value !== 'number') this.#mismatch(value, shape.goType);
        return value;
      case Op.boolean:
        if (typeof value !== 'boolean') this.#mismatch(value, shape.goType);
        return value;
      default:
        return this.#special(value, shape);
    }
  }

  #special(value: unknown, shape: BuiltinStructure): unknown {
    switch (shape.op) {
      case Op.bytes:
        if (typeof value !== 'string') this.#mismatch(value, shape.goType);
        return readBytes(value as string);
      case Op.time:
        if (typeof value !== 'string') this.#mismatch(value, 'string');
        return readTime(value as string, false);
      case Op.microTime:
        if (typeof value !== 'string') this.#mismatch(value, 'string');
        return readTime(value as string, true);
      case Op.quantity:
        return readQuantity(value);
      case Op.intOrString:
        if (typeof value === 'number' && !Number.isInteger(value))
          this.#mismatch(value, 'int32', `number ${value}`);
        if (typeof value !== 'string' && typeof value !== 'number') this.#mismatch(value, 'int32');
        return value;
      default:
        return value;
    }
  }

  #list(value: unknown, shape: BuiltinStructure): unknown {
    if (!Array.isArray(value)) this.#mismatch(value, shape.goType);
    const items = shape.items!;
    const list = value as unknown[];
    for (let index = 0; index < list.length; index++) {
      const before = list[index];
      if (typeof before === 'string' && items.op === Op.string) continue;
      this.#path.push(index);
      const after = before === null ? items.zero() : this.#value(before, items);
      this.#path.pop();
      if (after !== before) list[index] = after;
    }
    return list;
  }

  #map(value: unknown, shape: BuiltinStructure): unknown {
    if (typeof value !== 'object' || Array.isArray(value)) this.#mismatch(value, shape.goType);
    const values = shape.additional!;
    const map = value as Record<string, unknown>;
    for (const key in map) {
      const before = map[key];
      if (typeof before === 'string' && values.op === Op.string) continue;
      this.#path.push(`.${key}`);
      const after = before === null ? mapZero(values) : this.#value(before, values);
      this.#path.pop();
      if (after !== before) map[key] = after;
    }
    return map;
  }

  #integer(value: unknown, shape: BuiltinStructure, least: number, most: number): unknown {
    if (typeof value !== 'number') this.#mismatch(value, shape.goType);
    const number = value as number;
    if (!Number.isInteger(number) || number < least || number > most)
      this.#mismatch(value, shape.goType, `number ${number}`);
    return number;
  }

  #drop(fields: Record<string, unknown>, key: string): void {
    this.#path.push(key);
    this.unknown ??= [];
    if (this.unknown.length < MAX_UNKNOWN) this.unknown.push(unknownPath(this.#path));
    this.#path.pop();
    delete fields[key];
  }

  #mismatch(value: unknown, goType: string, shown = jsonTypeName(value)): never {
    // Positions in lists and keys of maps are not part of Go's field name; embedded structs are.
    const keys = this.#path.filter((step) => typeof step === 'string' && !step.startsWith('.')) as string[];
    const steps = keys.map((key, depth) => {
      const embedded = this.#structs[depth]?.properties?.[key]?.embeddedIn;
      return embedded === undefined ? key : `${embedded}.${key}`;
    });
    const owner = this.#structs.at(-1)?.structName;
    throw new DecodeError(
      `json: cannot unmarshal ${shown} into Go struct field ${owner}.${steps.join('.')} of type ${goType}`,
    );
  }
}

function mapZero(shape: BuiltinStructure): unknown {
  return shape.op === Op.bytes ? '' : shape.zero();
}

function isEmptyObject(value: object): boolean {
  if (Array.isArray(value)) return value.length === 0;
  for (const _ in value) return false;
  return true;
}

function isZero(value: unknown, shape: BuiltinStructure): boolean {
  switch (shape.op) {
    case Op.list:
    case Op.map:
      return isEmptyObject(value as object);
    case Op.any:
      return value === null;
    default:
      return value === '' || value === 0 || value === false;
  }
}

function unknownPath(path: readonly (string | number)[]): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else if (step.startsWith('.')) text += step;
    else text += text === '' ? step : `.${step}`;
  }
  return text;
}
