/**
 * What a CEL expression computes with. int is a bigint, double a number, bytes a Uint8Array; lists and maps come
 * either from an object (a view on the JSON that converts items when they are read, see `declaration.ts`) or from
 * the expression itself. A failed evaluation is thrown as `CelError`.
 */

export type CelValue =
  | null
  | boolean
  | string
  | bigint
  | number
  | Uint8Array
  | Uint
  | Timestamp
  | Duration
  | Optional
  | CelList
  | CelMap
  | TypeValue
  | Opaque;

/** `no such key: x`, `index out of bounds: 3`, … Caught by `&&`, `||` and the quantifiers. */
export class CelError extends Error {}

export function noSuchOverload(): CelError {
  return new CelError('no such overload');
}

export abstract class CelList {
  abstract readonly size: number;
  abstract at(index: number): CelValue;
  /** `+`: sets unite and lists with keys merge, so the left side decides. */
  abstract concat(other: CelList): CelList;
  abstract equals(other: CelList): boolean;

  items(): CelValue[] {
    return Array.from({ length: this.size }, (_, index) => this.at(index));
  }
}

export class ValueList extends CelList {
  readonly #items: readonly CelValue[];

  constructor(items: readonly CelValue[]) {
    super();
    this.#items = items;
  }

  get size(): number {
    return this.#items.length;
  }

  at(index: number): CelValue {
    return this.#items[index]!;
  }

  override items(): CelValue[] {
    return [...this.#items];
  }

  concat(other: CelList): CelList {
    return new ValueList([...this.#items, ...other.items()]);
  }

  equals(other: CelList): boolean {
    if (other.size !== this.size) return false;
    return this.#items.every((item, index) => equal(item, other.at(index)));
  }
}

export abstract class CelMap {
  abstract readonly size: number;
  /** undefined when there is no such key. */
  abstract find(key: CelValue): CelValue | undefined;
  abstract keys(): CelValue[];
  abstract equals(other: CelMap): boolean;
}

export class ValueMap extends CelMap {
  readonly #entries = new Map<string, [CelValue, CelValue]>();

  constructor(entries: Iterable<[CelValue, CelValue]>) {
    super();
    for (const [key, value] of entries) {
      const id = keyId(key);
      if (this.#entries.has(id)) throw new CelError(`Failed with repeated key`);
      this.#entries.set(id, [key, value]);
    }
  }

  get size(): number {
    return this.#entries.size;
  }

  find(key: CelValue): CelValue | undefined {
    return this.#entries.get(keyId(key))?.[1];
  }

  keys(): CelValue[] {
    return [...this.#entries.values()].map(([key]) => key);
  }

  equals(other: CelMap): boolean {
    if (other.size !== this.size) return false;
    for (const [key, value] of this.#entries.values()) {
      const theirs = other.find(key);
      if (theirs === undefined || !equal(value, theirs)) return false;
    }
    return true;
  }
}

export class Uint {
  readonly value: bigint;
  constructor(value: bigint) {
    this.value = value;
  }
}

/** Nanoseconds since the epoch. The offset, in minutes, only shows when it is written. */
export class Timestamp {
  readonly ns: bigint;
  readonly offset: number;
  constructor(ns: bigint, offset = 0) {
    this.ns = ns;
    this.offset = offset;
  }
}

export class Duration {
  readonly ns: bigint;
  constructor(ns: bigint) {
    this.ns = ns;
  }
}

export class Optional {
  static readonly NONE = new Optional(undefined);
  readonly value: CelValue | undefined;
  constructor(value: CelValue | undefined) {
    this.value = value;
  }
}

export class TypeValue {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** A value of one of the Kubernetes libraries: quantity, IP, URL, … It knows its type and its equals. */
export abstract class Opaque {
  abstract readonly typeName: string;
  abstract equals(other: Opaque): boolean;
}

/** `==`. Different kinds of number are compared by value; other kinds are never equal to each other. */
export function equal(left: CelValue, right: CelValue): boolean {
  if (left === right) return true;
  if (left === null || right === null) return false;
  if (isNumeric(left)) return isNumeric(right) && compareNumbers(left, right) === 0;
  if (typeof left !== 'object' || typeof right !== 'object') return false;
  if (left instanceof CelList) return right instanceof CelList && left.equals(right);
  if (left instanceof CelMap) return right instanceof CelMap && left.equals(right);
  if (left instanceof Timestamp) return right instanceof Timestamp && left.ns === right.ns;
  if (left instanceof Duration) return right instanceof Duration && left.ns === right.ns;
  if (left instanceof Uint8Array) return right instanceof Uint8Array && compareBytes(left, right) === 0;
  if (left instanceof TypeValue) return right instanceof TypeValue && left.name === right.name;
  if (left instanceof Opaque) return right instanceof Opaque && left.equals(right);
  return left instanceof Optional && right instanceof Optional && sameOptional(left, right);
}

/** `<`, `<=`, `>`, `>=`: below zero, zero, above zero, or NaN where there is no order. */
export function compare(left: CelValue, right: CelValue): number {
  if (typeof left === 'string' && typeof right === 'string') return compareStrings(left, right);
  if (isNumeric(left) && isNumeric(right)) return compareNumbers(left, right);
  if (typeof left === 'boolean' && typeof right === 'boolean') return Number(left) - Number(right);
  if (left instanceof Timestamp && right instanceof Timestamp) return compareBigints(left.ns, right.ns);
  if (left instanceof Duration && right instanceof Duration) return compareBigints(left.ns, right.ns);
  if (left instanceof Uint8Array && right instanceof Uint8Array) return compareBytes(left, right);
  throw noSuchOverload();
}

export function isNumeric(value: CelValue): value is bigint | number | Uint {
  return typeof value === 'bigint' || typeof value === 'number' || value instanceof Uint;
}

/** The name of a value's type, as `type(x)` and overload resolution of dynamic arguments see it. */
export function runtimeType(value: CelValue): string {
  switch (typeof value) {
    case 'string':
    case 'number':
    case 'bigint':
    case 'boolean':
      return PRIMITIVE_TYPES[typeof value]!;
  }
  if (value === null) return 'null_type';
  if (value instanceof CelList) return 'list';
  if (value instanceof CelMap) return 'map';
  if (value instanceof Opaque) return value.typeName;
  for (const [type, name] of CLASS_TYPES) if (value instanceof type) return name;
  return 'optional_type';
}

// ---------------------------------------------------------------------------------------------------

const PRIMITIVE_TYPES: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'double',
  bigint: 'int',
  boolean: 'bool',
};

const CLASS_TYPES: readonly [abstract new (...args: never[]) => object, string][] = [
  [Uint, 'uint'],
  [Uint8Array, 'bytes'],
  [Timestamp, 'google.protobuf.Timestamp'],
  [Duration, 'google.protobuf.Duration'],
  [TypeValue, 'type'],
];

function sameOptional(left: Optional, right: Optional): boolean {
  if (left.value === undefined || right.value === undefined) return left.value === right.value;
  return equal(left.value, right.value);
}

/** A bigint and a number compare by value in JavaScript too. */
function compareNumbers(left: bigint | number | Uint, right: bigint | number | Uint): number {
  const one = left instanceof Uint ? left.value : left;
  const two = right instanceof Uint ? right.value : right;
  if (one < two) return -1;
  if (one > two) return 1;
  return Number.isNaN(one) || Number.isNaN(two) ? Number.NaN : 0;
}

function compareBigints(left: bigint, right: bigint): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** By code point, as comparing the UTF-8 bytes gives; code units differ for characters beyond the first plane. */
function compareStrings(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index++) {
    const one = left.charCodeAt(index);
    const two = right.charCodeAt(index);
    if (one !== two) return rank(one) - rank(two);
  }
  return left.length - right.length;
}

function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

function compareBytes(left: Uint8Array, right: Uint8Array): number {
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index++) {
    if (left[index] !== right[index]) return left[index]! - right[index]!;
  }
  return left.length - right.length;
}

function keyId(key: CelValue): string {
  if (typeof key === 'string') return `s${key}`;
  if (typeof key === 'boolean') return `b${key}`;
  if (isNumeric(key)) {
    const value = key instanceof Uint ? key.value : key;
    if (typeof value === 'bigint' || Number.isInteger(value)) return `n${BigInt(value)}`;
  }
  throw new CelError(`unsupported key type: ${runtimeType(key)}`);
}
