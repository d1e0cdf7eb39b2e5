/**
 * The operators of CEL and the conversions between its basic types. int and uint are checked for overflow as the
 * 64-bit numbers they stand for.
 */
import { rowOf } from '../../table-row.ts';
import { type FunctionTable, fn, method, type Overload } from '../overloads.ts';
import {
  formatDateTime,
  formatDuration,
  offsetIn,
  parseDateTime,
  parseGoDuration,
  partsIn,
} from '../time.ts';
import {
  TYPE_PARAM_A as A,
  TYPE_PARAM_B as B,
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
  UINT,
} from '../types.ts';
import {
  CelError,
  type CelList,
  type CelMap,
  type CelValue,
  compare,
  Duration,
  equal,
  runtimeType,
  Timestamp,
  TypeValue,
  Uint,
} from '../values.ts';

export function int(value: bigint): bigint {
  if (value > MAX_INT || value < MIN_INT) throw new CelError('integer overflow');
  return value;
}

export function uint(value: bigint): Uint {
  if (value < 0n || value > MAX_UINT) throw new CelError('unsigned integer overflow');
  return new Uint(value);
}

const NUMBERS = [INT, UINT, DOUBLE];

const DATE_PARTS: Readonly<Record<string, (date: Date) => number>> = {
  getFullYear: (date) => date.getUTCFullYear(),
  getMonth: (date) => date.getUTCMonth(),
  getDate: (date) => date.getUTCDate(),
  getDayOfMonth: (date) => date.getUTCDate() - 1,
  getDayOfWeek: (date) => date.getUTCDay(),
  getDayOfYear: (date) => Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / 86_400_000),
  getHours: (date) => date.getUTCHours(),
  getMinutes: (date) => date.getUTCMinutes(),
  getSeconds: (date) => date.getUTCSeconds(),
  getMilliseconds: (date) => date.getUTCMilliseconds(),
};

const DURATION_PARTS: Readonly<Record<string, (ns: bigint) => bigint>> = {
  getHours: (ns) => ns / 3_600_000_000_000n,
  getMinutes: (ns) => ns / 60_000_000_000n,
  getSeconds: (ns) => ns / 1_000_000_000n,
  getMilliseconds: (ns) => (ns % 1_000_000_000n) / 1_000_000n,
};

export const operators: FunctionTable = new Map<string, readonly Overload[]>([
  ['_==_', [fn([A, A], BOOL, (x: CelValue, y: CelValue) => equal(x, y))]],
  ['_!=_', [fn([A, A], BOOL, (x: CelValue, y: CelValue) => !equal(x, y))]],
  ['_<_', ordering((order) => order < 0)],
  ['_<=_', ordering((order) => order <= 0)],
  ['_>_', ordering((order) => order > 0)],
  ['_>=_', ordering((order) => order >= 0)],
  [
    '@in',
    [
      fn([A, listOf(A)], BOOL, (item: CelValue, list: CelList) => contains(list, item)),
      fn([A, mapOf(A, B)], BOOL, (key: CelValue, map: CelMap) => map.find(key) !== undefined),
    ],
  ],
  ['!_', [fn([BOOL], BOOL, (value: boolean) => !value)]],
  [
    '-_',
    [
      fn([INT], INT, (value: bigint) => int(-value)),
      fn([DOUBLE], DOUBLE, (value: number) => -value),
      fn([DURATION], DURATION, (value: Duration) => new Duration(-value.ns)),
    ],
  ],
  [
    '_+_',
    [
      ...arithmetic(
        (x, y) => x + y,
        (x, y) => x + y,
      ),
      fn([STRING, STRING], STRING, (x: string, y: string) => x + y),
      fn([BYTES, BYTES], BYTES, (x: Uint8Array, y: Uint8Array) => new Uint8Array([...x, ...y])),
      fn([listOf(A), listOf(A)], listOf(A), (x: CelList, y: CelList) => x.concat(y)),
      fn([DURATION, DURATION], DURATION, (x: Duration, y: Duration) => new Duration(x.ns + y.ns)),
      fn(
        [TIMESTAMP, DURATION],
        TIMESTAMP,
        (x: Timestamp, y: Duration) => new Timestamp(x.ns + y.ns, x.offset),
      ),
      fn(
        [DURATION, TIMESTAMP],
        TIMESTAMP,
        (x: Duration, y: Timestamp) => new Timestamp(x.ns + y.ns, y.offset),
      ),
    ],
  ],
  [
    '_-_',
    [
      ...arithmetic(
        (x, y) => x - y,
        (x, y) => x - y,
      ),
      fn([DURATION, DURATION], DURATION, (x: Duration, y: Duration) => new Duration(x.ns - y.ns)),
      fn(
        [TIMESTAMP, DURATION],
        TIMESTAMP,
        (x: Timestamp, y: Duration) => new Timestamp(x.ns - y.ns, x.offset),
      ),
      fn([TIMESTAMP, TIMESTAMP], DURATION, (x: Timestamp, y: Timestamp) => new Duration(x.ns - y.ns)),
    ],
  ],
  [
    '_*_',
    arithmetic(
      (x, y) => x * y,
      (x, y) => x * y,
    ),
  ],
  [
    '_/_',
    arithmetic(
      (x, y) => x / nonZero(y, 'division by zero'),
      (x, y) => x / y,
    ),
  ],
  ['_%_', arithmetic((x, y) => x % nonZero(y, 'modulus by zero'), undefined)],
  ['size', sizes()],
  ['type', [fn([A], { kind: 'type', of: DYN }, (value: CelValue) => new TypeValue(runtimeType(value)))]],
  ['dyn', [fn([A], DYN, (value: CelValue) => value)]],
  ['int', conversions(INT, [INT, UINT, DOUBLE, STRING, TIMESTAMP, DURATION], toInt)],
  ['uint', conversions(UINT, [INT, UINT, DOUBLE, STRING], toUint)],
  ['double', conversions(DOUBLE, [INT, UINT, DOUBLE, STRING], toDouble)],
  ['string', conversions(STRING, [INT, UINT, DOUBLE, STRING, BOOL, BYTES, TIMESTAMP, DURATION], toText)],
  ['bool', conversions(BOOL, [BOOL, STRING], toBool)],
  [
    'bytes',
    conversions(BYTES, [BYTES, STRING], (value) => (value instanceof Uint8Array ? value : utf8(value))),
  ],
  ['duration', conversions(DURATION, [DURATION, STRING, INT], toDuration)],
  ['timestamp', conversions(TIMESTAMP, [TIMESTAMP, STRING, INT], toTimestamp)],
  ...timeParts(),
]);

// ---------------------------------------------------------------------------------------------------

const MAX_INT = 9223372036854775807n;
const MIN_INT = -9223372036854775808n;
const MAX_UINT = 18446744073709551615n;

function ordering(holds: (order: number) => boolean): Overload[] {
  const run = (x: CelValue, y: CelValue) => holds(compare(x, y));
  const same = [BOOL, STRING, BYTES, TIMESTAMP, DURATION].map((type) => fn([type, type], BOOL, run));
  return [...NUMBERS.flatMap((one) => NUMBERS.map((two) => fn([one, two], BOOL, run))), ...same];
}

function arithmetic(
  integers: (x: bigint, y: bigint) => bigint,
  doubles: ((x: number, y: number) => number) | undefined,
): Overload[] {
  const whole = [
    fn([INT, INT], INT, (x: bigint, y: bigint) => int(integers(x, y))),
    fn([UINT, UINT], UINT, (x: Uint, y: Uint) => uint(integers(x.value, y.value))),
  ];
  return doubles === undefined ? whole : [...whole, fn([DOUBLE, DOUBLE], DOUBLE, doubles)];
}

function nonZero(value: bigint, message: string): bigint {
  if (value === 0n) throw new CelError(message);
  return value;
}

function contains(list: CelList, item: CelValue): boolean {
  for (let index = 0; index < list.size; index++) if (equal(list.at(index), item)) return true;
  return false;
}

function sizes(): Overload[] {
  const of: [CelType, (value: never) => number][] = [
    [STRING, (value: string) => characters(value)],
    [BYTES, (value: Uint8Array) => value.length],
    [listOf(A), (value: CelList) => value.size],
    [mapOf(A, B), (value: CelMap) => value.size],
  ];
  return of.flatMap(([type, count]) => {
    const run = (value: never) => BigInt(count(value));
    return [fn([type], INT, run), method([type], INT, run)];
  });
}

/** Characters are Unicode code points. */
export function characters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

function conversions(to: CelType, from: readonly CelType[], run: (value: CelValue) => CelValue): Overload[] {
  return from.map((type) => fn([type], to, run));
}

function failed(value: CelValue, to: string): CelError {
  return new CelError(`type conversion error from '${runtimeType(value)}' to '${to}' (${String(value)})`);
}

function toInt(value: CelValue): CelValue {
  if (typeof value === 'bigint') return value;
  if (value instanceof Uint) return int(value.value);
  if (value instanceof Timestamp) return value.ns / 1_000_000_000n;
  if (value instanceof Duration) return value.ns;
  if (typeof value === 'number' && Number.isFinite(value) && Math.abs(value) < 2 ** 63)
    return BigInt(Math.trunc(value));
  if (typeof value === 'number') throw new CelError('integer overflow');
  if (typeof value === 'string' && /^[+-]?\d+$/.test(value)) return int(BigInt(value));
  throw failed(value, 'int');
}

function toUint(value: CelValue): CelValue {
  if (value instanceof Uint) return value;
  if (typeof value === 'bigint') return uint(value);
  if (typeof value === 'number' && Number.isFinite(value)) return uint(BigInt(Math.trunc(value)));
  if (typeof value === 'string' && /^\+?\d+$/.test(value)) return uint(BigInt(value));
  throw failed(value, 'uint');
}

function toDouble(value: CelValue): CelValue {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Uint) return Number(value.value);
  const text = String(value);
  const plain = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isFinite(plain)) return plain;
  const named = NAMED_DOUBLES[text.replace(/^\+/, '').toLowerCase()];
  if (named !== undefined) return named;
  throw failed(value, 'double');
}

const NAMED_DOUBLES: Readonly<Record<string, number>> = {
  inf: Number.POSITIVE_INFINITY,
  infinity: Number.POSITIVE_INFINITY,
  '-inf': Number.NEGATIVE_INFINITY,
  '-infinity': Number.NEGATIVE_INFINITY,
  nan: Number.NaN,
};

export function toText(value: CelValue): string {
  if (typeof value === 'string') return value;
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Timestamp) return formatDateTime(value.ns, value.offset);
  if (value instanceof Duration) return formatDuration(value.ns);
  if (typeof value === 'number') return doubleText(value);
  if (!(value instanceof Uint8Array)) return String(value);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(value);
  } catch {
    throw new CelError('invalid UTF-8 in bytes, cannot convert to string');
  }
}

/** Go's %g for a float64: an exponent below 1e-4 and from 1e6 on. */
export function doubleText(value: number): string {
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : Number.isNaN(value) ? 'NaN' : '-Inf';
  const magnitude = Math.abs(value);
  if (magnitude !== 0 && (magnitude < 1e-4 || magnitude >= 1e6)) {
    return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
  }
  return String(value);
}

function toBool(value: CelValue): CelValue {
  if (typeof value === 'boolean') return value;
  if (/^(1|t|T|TRUE|true|True)$/.test(String(value))) return true;
  if (/^(0|f|F|FALSE|false|False)$/.test(String(value))) return false;
  throw failed(value, 'bool');
}

function utf8(value: CelValue): Uint8Array {
  return new TextEncoder().encode(String(value));
}

function toDuration(value: CelValue): CelValue {
  if (value instanceof Duration) return value;
  if (typeof value === 'bigint') return new Duration(value);
  const ns = parseGoDuration(String(value));
  if (ns === undefined) throw failed(value, 'duration');
  return new Duration(ns);
}

function toTimestamp(value: CelValue): CelValue {
  if (value instanceof Timestamp) return value;
  if (typeof value === 'bigint') return new Timestamp(value * 1_000_000_000n);
  const ns = parseDateTime(String(value));
  if (ns === undefined) throw failed(value, 'timestamp');
  return new Timestamp(ns, offsetIn(String(value)));
}

function timeParts(): [string, Overload[]][] {
  return Object.entries(DATE_PARTS).map(([name, part]) => {
    const read = (time: Timestamp, zone = 'UTC') => {
      const date = partsIn(time.ns, zone);
      if (date === undefined) throw new CelError(`unknown time zone ${zone}`);
      return BigInt(part(date));
    };
    const ofDuration = rowOf(DURATION_PARTS, name);
    return [
      name,
      [
        method([TIMESTAMP], INT, (time: Timestamp) => read(time)),
        method([TIMESTAMP, STRING], INT, read),
        ...(ofDuration === undefined
          ? []
          : [method([DURATION], INT, (value: Duration) => ofDuration(value.ns))]),
      ],
    ];
  });
}
