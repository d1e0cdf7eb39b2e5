/**
 * Walks a JSON object the way Go's hashstructure (format V2; slices as sets, zero values ignored, nil
 * as zero) walks the Go struct it would be decoded into. The tables say what that struct looks like;
 * a field no table lists is never hashed. Which objects are hashed, `drift-hash.ts` decides.
 */
import { canonicalQuantity, parseDuration, parseNillableDuration } from '@chandler/kube';
import { type Hash64, hashBytes, hashPair, hashString, rehash, xor, ZERO } from './fnv.ts';

/** A Go type, as far as its hash depends on it. */
export interface GoType {
  hash(value: unknown): Hash64;
  /** Whether Go would call the decoded value zero; such a field is skipped. An absent value always is. */
  isZero(value: unknown): boolean;
}

export interface GoField {
  readonly json: string;
  /** Ignored fields are not hashed, but a struct that has one set is not zero. */
  readonly goName: string | undefined;
  readonly type: GoType;
  /** A pointer counts as soon as it is set, even to a zero value. */
  readonly pointer: boolean;
}

/** The object cannot be what its kind says: the API server would not have let it in. */
export class HashError extends Error {
  override readonly name = 'HashError';
}

/** A field held by value. */
export function field(goName: string, json: string, type: GoType): GoField {
  return { json, goName, type, pointer: false };
}

/** A field held by a pointer. */
export function pointer(goName: string, json: string, type: GoType): GoField {
  return { json, goName, type, pointer: true };
}

/** A list or map that Go's struct carries but the hash leaves out. */
export function ignored(json: string): GoField {
  return { json, goName: undefined, type: anything, pointer: true };
}

export function struct(goName: string, fields: readonly GoField[]): GoType {
  const start = hashString(goName);
  const named = fields.filter((each) => each.goName !== undefined);
  const nameHashes = named.map((each) => hashString(each.goName!));
  return {
    hash(value) {
      const source = isSet(value) ? asRecord(value, goName) : {};
      let sum = start;
      for (const [index, each] of named.entries()) {
        const inner = source[each.json];
        if (fieldIsZero(each, inner)) continue;
        sum = rehash(xor(sum, hashPair(nameHashes[index]!, each.type.hash(inner))));
      }
      return sum;
    },
    isZero(value) {
      if (!isSet(value)) return true;
      const source = asRecord(value, goName);
      return fields.every((each) => fieldIsZero(each, source[each.json]));
    },
  };
}

/** An empty list is not zero; equal items cancel each other out, as upstream's do. */
export function list(item: GoType): GoType {
  return {
    hash(value) {
      if (!Array.isArray(value)) throw mismatch('a list', value);
      return value.reduce((sum: Hash64, each: unknown) => xor(sum, item.hash(each)), ZERO);
    },
    isZero: (value) => !isSet(value),
  };
}

/** An empty map is not zero. */
export function map(item: GoType): GoType {
  return {
    hash(value) {
      let sum = ZERO;
      for (const [key, each] of Object.entries(asRecord(value, 'a map'))) {
        sum = xor(sum, hashPair(hashString(key), item.hash(each)));
      }
      return rehash(sum);
    },
    isZero: (value) => !isSet(value),
  };
}

export const string: GoType = {
  hash: (value) => hashString(asText(value ?? '')),
  isZero: (value) => !isSet(value) || value === '',
};

export const bool: GoType = {
  hash(value) {
    if (typeof value !== 'boolean') throw mismatch('true or false', value);
    return hashBytes(Uint8Array.of(value ? 1 : 0));
  },
  isZero: (value) => !isSet(value) || value === false,
};

export const int32: GoType = integer(4);
export const int64: GoType = integer(8);

/** `metav1.Duration`: a struct around a number of nanoseconds, hashed without its field when that is 0. */
export const duration: GoType = {
  hash: (value) => durationHash('Duration', parseDuration(asText(value)), false),
  isZero: (value) => !isSet(value) || parseDuration(asText(value)) === 0n,
};

/** Karpenter's duration or `Never`. Never is zero; a duration of 0 is not, being behind a pointer. */
export const nillableDuration: GoType = {
  hash: (value) => durationHash('NillableDuration', parseNillableDuration(asText(value)).ns, true),
  isZero: (value) => !isSet(value) || parseNillableDuration(asText(value)).ns === undefined,
};

/** A quantity hashed by its printed text. */
export const quantityText: GoType = {
  hash: (value) => hashString(canonicalQuantity(typeof value === 'number' ? value : asText(value))),
  isZero: (value) => !isSet(value),
};

/** `metav1.Time` as a process in UTC reads it: a struct around Go's binary form of a moment. */
export const time: GoType = {
  hash(value) {
    const inner = hashPair(hashString('Time'), hashBytes(binaryTime(asText(value))));
    return rehash(xor(hashString('Time'), inner));
  },
  isZero: (value) => !isSet(value),
};

// ---------------------------------------------------------------------------------------------

const anything: GoType = { hash: () => ZERO, isZero: (value) => !isSet(value) };

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function fieldIsZero(each: GoField, value: unknown): boolean {
  return each.pointer ? !isSet(value) : each.type.isZero(value);
}

function integer(bytes: 4 | 8): GoType {
  return {
    hash(value) {
      if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw mismatch('a whole number', value);
      return hashBytes(littleEndian(BigInt(value)).subarray(0, bytes));
    },
    isZero: (value) => !isSet(value) || value === 0,
  };
}

function littleEndian(value: bigint): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigInt64(0, value, true);
  return bytes;
}

function durationHash(goName: string, ns: bigint | undefined, zeroCounts: boolean): Hash64 {
  const start = hashString(goName);
  if (ns === undefined || (ns === 0n && !zeroCounts)) return start;
  return rehash(xor(start, hashPair(hashString('Duration'), hashBytes(littleEndian(ns)))));
}

/** Seconds from the first of January of year 1 to the epoch of Unix. */
const SECONDS_TO_1970 = 62_135_596_800n;

/** Version 1, seconds since year 1, nanoseconds, minutes east of UTC: big-endian, 15 bytes. */
function binaryTime(text: string): Uint8Array {
  const whole = Date.parse(text.replace(/\.\d+/, ''));
  if (Number.isNaN(whole)) throw mismatch('a time', text);
  const decimals = /\.(\d+)/.exec(text)?.[1] ?? '';
  const view = new DataView(new ArrayBuffer(15));
  view.setUint8(0, 1);
  view.setBigInt64(1, BigInt(whole / 1000) + SECONDS_TO_1970);
  view.setInt32(9, Number(decimals.slice(0, 9).padEnd(9, '0')));
  return new Uint8Array(view.buffer);
}

function asRecord(value: unknown, what: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw mismatch(what, value);
  return value as Record<string, unknown>;
}

function asText(value: unknown): string {
  if (typeof value !== 'string') throw mismatch('a text', value);
  return value;
}

function mismatch(expected: string, value: unknown): HashError {
  return new HashError(`cannot hash: expected ${expected}, found ${JSON.stringify(value)}`);
}
