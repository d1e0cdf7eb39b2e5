/**
 * `"%s has %d".format([…])`: the verbs of CEL's strings extension in the version that Kubernetes uses. Inside lists and
 * maps values are written as CEL literals; `%f` groups thousands and `%e` writes its exponent raised.
 */
import { rowOf } from '../../table-row.ts';
import {
  CelError,
  CelList,
  CelMap,
  type CelValue,
  Duration,
  Opaque,
  Optional,
  runtimeType,
  Timestamp,
  Uint,
} from '../values.ts';
import { toText } from './operators.ts';

export function formatString(pattern: string, list: CelList): string {
  const args = list.items();
  let used = 0;
  const text = pattern.replace(/%(%|(?:\.(\d+))?([a-zA-Z]))?/g, (_clause, kind, precision, verb) => {
    if (kind === '%') return '%';
    if (verb === undefined) throw new CelError('unexpected end of string');
    if (used >= args.length) throw new CelError(`index ${used} out of range`);
    return written(verb, precision === undefined ? 6 : Number(precision), args[used++]!);
  });
  if (used < args.length) {
    throw new CelError(`too many arguments supplied to string.format (expected ${used}, got ${args.length})`);
  }
  return text;
}

// ---------------------------------------------------------------------------------------------------

function written(verb: string, precision: number, arg: CelValue): string {
  const write = rowOf(VERBS, verb);
  if (write === undefined) {
    throw new CelError(`could not parse formatting clause: unrecognized formatting clause "${verb}"`);
  }
  const text = write(arg, precision);
  if (text === undefined)
    throw new CelError(`error during formatting: %${verb} cannot write a ${runtimeType(arg)}`);
  return text;
}

/** undefined where a verb does not go with the type. */
const VERBS: Readonly<Record<string, (arg: CelValue, precision: number) => string | undefined>> = {
  s: plain,
  d: (arg) => whole(arg)?.toString(),
  f: (arg, precision) => real(arg, (value) => grouped(fixed(value, precision))),
  e: (arg) => real(arg, scientific),
  b: (arg) => (typeof arg === 'boolean' ? String(Number(arg)) : whole(arg)?.toString(2)),
  o: (arg) => whole(arg)?.toString(8),
  x: hexadecimal,
  X: (arg) => hexadecimal(arg)?.toUpperCase(),
};

function plain(value: CelValue): string {
  if (value === null) return 'null';
  if (value instanceof CelList) return `[${value.items().map(literal).join(', ')}]`;
  if (value instanceof CelMap) return mapText(value);
  if (value instanceof Opaque || value instanceof Optional) {
    throw new CelError(
      `error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given ${runtimeType(value)}`,
    );
  }
  return runtimeType(value) === 'type' ? (value as { name: string }).name : toText(value);
}

function mapText(map: CelMap): string {
  const entries = map.keys().map((key) => [literal(key), literal(map.find(key) ?? null)] as const);
  entries.sort(([one], [two]) => (one < two ? -1 : Number(one > two)));
  return `{${entries.map((entry) => entry.join(':')).join(', ')}}`;
}

function literal(value: CelValue): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number')
    return Number.isFinite(value) ? fixed(value, 6) : JSON.stringify(toText(value));
  if (value instanceof Uint8Array) return `b${JSON.stringify(toText(value))}`;
  if (value instanceof Timestamp) return `timestamp(${JSON.stringify(toText(value))})`;
  if (value instanceof Duration) return `duration(${JSON.stringify(toText(value))})`;
  return plain(value);
}

function whole(value: CelValue): bigint | undefined {
  if (value instanceof Uint) return value.value;
  return typeof value === 'bigint' ? value : undefined;
}

function real(value: CelValue, write: (value: number) => string): string | undefined {
  if (value === 'NaN' || value === 'Infinity' || value === '-Infinity') return value.replace('Infinity', '∞');
  if (typeof value !== 'number') return undefined;
  if (Number.isNaN(value)) return 'NaN';
  return Number.isFinite(value) ? write(value) : value > 0 ? '∞' : '-∞';
}

/** Halves go to the even neighbour, as in Go; JavaScript rounds them up. */
function fixed(value: number, precision: number): string {
  const digits = Math.min(precision, 60);
  const exact = Math.abs(value).toFixed(Math.min(100, digits + 40));
  const point = exact.indexOf('.') + 1 + digits;
  const tie = /^50*$/.test(exact.slice(point));
  const kept = exact.slice(0, digits === 0 ? point - 1 : point);
  const even = Number(kept.at(-1)) % 2 === 0;
  return tie && even ? `${value < 0 ? '-' : ''}${kept}` : value.toFixed(digits);
}

function grouped(text: string): string {
  const [integer = '', fraction] = text.split('.');
  const withCommas = integer.replace(/(\d)(?=(\d{3})+$)/g, '$1,');
  return fraction === undefined ? withCommas : `${withCommas}.${fraction}`;
}

const RAISED = '⁰¹²³⁴⁵⁶⁷⁸⁹';

function scientific(value: number): string {
  const [mantissa, exponent = '+0'] = value.toExponential(6).split('e');
  const digits = exponent.slice(1).padStart(2, '0');
  const raised = [...digits].map((digit) => RAISED[Number(digit)]).join('');
  return `${mantissa}×10${exponent.startsWith('-') ? '⁻' : ''}${raised}`;
}

function hexadecimal(value: CelValue): string | undefined {
  if (typeof value === 'string') return Buffer.from(value, 'utf8').toString('hex');
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  return whole(value)?.toString(16);
}
