/**
 * Parses texts to a value, one reader per type. For an invalid text, a reader returns what it expected; it never falls
 * back to a default.
 */
import { DurationError, formatDuration, parseDuration, withoutSecrets } from '@chandler/kube';
import { closestName } from './closest-name.ts';
import type { OptionRow, OptionTypes } from './option-row.ts';
import { urlProblem } from './value-checks.ts';

export type Reading =
  | { readonly ok: true; readonly value: unknown; readonly doubts: readonly string[] }
  | { readonly ok: false; readonly message: string };

/** The texts of one place: several only where a flag was repeated. */
export function readOption(row: OptionRow, texts: readonly string[]): Reading {
  const reading = READERS[row.type](row, texts);
  if (!reading.ok)
    return { ok: false, message: row.secret === true ? withoutText(reading) : reading.message };
  const { value } = reading;
  if (isEmpty(value)) return reading;
  const expected = row.check?.(value as never);
  if (expected !== undefined) return refuse(row, expected, texts);
  const doubt = row.doubt?.(value as never);
  return doubt === undefined ? reading : { ...reading, doubts: [...reading.doubts, doubt] };
}

/** No value: an empty text, list or map. */
export function isEmpty(value: unknown): boolean {
  if (value === undefined || value === '') return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

/** As it would be written in an environment variable. */
export function optionText(row: Pick<OptionRow, 'type'>, value: unknown): string {
  if (value === undefined) return '';
  if (row.type === 'duration') return formatDuration(BigInt(Math.round(Number(value) * 1e6)));
  if (Array.isArray(value)) return value.join(',');
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value)
      .map(([key, held]) => `${key}=${held}`)
      .join(',');
  }
  return String(value);
}

export function placeholderOf(row: OptionRow): string {
  return (
    row.placeholder ?? row.choices?.map((choice) => choice || '""').join('|') ?? TYPE_PLACEHOLDERS[row.type]
  );
}

// ---------------------------------------------------------------------------------------------------

type Reader = (row: OptionRow, texts: readonly string[]) => Reading;

const READERS: Readonly<Record<keyof OptionTypes, Reader>> = {
  string: readString,
  boolean: readBoolean,
  integer: readInteger,
  number: readNumber,
  duration: readDuration,
  list: (_, texts) => accept(texts.flatMap((part) => part.split(',')).filter((part) => part !== '')),
  map: readMap,
  url: readUrl,
  base64: (_, texts) => accept(texts.at(-1)!.replace(/\s+/g, '')),
  gates: readGates,
};

const TYPE_PLACEHOLDERS: Readonly<Record<keyof OptionTypes, string>> = {
  string: 'TEXT',
  boolean: '',
  integer: 'N',
  number: 'NUMBER',
  duration: 'DURATION',
  list: 'A,B',
  map: 'KEY=VALUE,…',
  url: 'URL',
  base64: 'BASE64',
  gates: 'NAME=true,…',
};

function accept(value: unknown, doubts: readonly string[] = []): Reading {
  return { ok: true, value, doubts };
}

function refuse(row: OptionRow, expected: string, texts: readonly string[]): Reading {
  const got = row.secret === true ? '' : `, got "${withoutSecrets(texts.at(-1)!)}"`;
  return { ok: false, message: `expected ${expected}${got}` };
}

function withoutText(reading: { readonly message: string }): string {
  return reading.message.replace(/, got "[\s\S]*"$/, '');
}

function readString(row: OptionRow, texts: readonly string[]): Reading {
  const text = texts.at(-1)!;
  if (row.choices === undefined || row.choices.includes(text)) return accept(text);
  return refuse(row, row.choices.map((choice) => choice || '""').join(' or '), texts);
}

/** What Go's ParseBool takes, in any case. */
function readBoolean(row: OptionRow, texts: readonly string[]): Reading {
  const text = texts.at(-1)!;
  if (!/^(true|false|t|f|1|0)$/i.test(text)) return refuse(row, 'true or false', texts);
  return accept(/^(true|t|1)$/i.test(text));
}

function readInteger(row: OptionRow, texts: readonly string[]): Reading {
  const text = texts.at(-1)!;
  if (!/^-?\d+$/.test(text) || !Number.isSafeInteger(Number(text))) {
    return refuse(row, 'a whole number', texts);
  }
  return inRange(row, Number(text)) ? accept(Number(text)) : refuse(row, rangeText(row), texts);
}

function readNumber(row: OptionRow, texts: readonly string[]): Reading {
  const text = texts.at(-1)!;
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) || !Number.isFinite(Number(text))) {
    return refuse(row, 'a number', texts);
  }
  return inRange(row, Number(text)) ? accept(Number(text)) : refuse(row, rangeText(row), texts);
}

function readDuration(row: OptionRow, texts: readonly string[]): Reading {
  let ms: number;
  try {
    ms = Number(parseDuration(texts.at(-1)!)) / 1e6;
  } catch (error) {
    if (error instanceof DurationError) return refuse(row, 'a duration such as 1m30s', texts);
    throw error;
  }
  return inRange(row, ms) ? accept(ms) : refuse(row, rangeText(row), texts);
}

function readUrl(row: OptionRow, texts: readonly string[]): Reading {
  const text = texts.at(-1)!;
  const expected = text === '' ? undefined : urlProblem(text);
  return expected === undefined ? accept(text) : refuse(row, expected, texts);
}

/** A value may hold an equals sign, a key may not be there twice. */
function readMap(row: OptionRow, texts: readonly string[]): Reading {
  const pairs = splitPairs(texts);
  if (pairs.some(([key, , equals]) => !equals || key === '')) return refuse(row, 'key=value pairs', texts);
  const twice = pairs.find(([key], index) => pairs.findIndex(([other]) => other === key) < index);
  if (twice !== undefined) return refuse(row, `unique keys (${twice[0]} occurs twice)`, texts);
  return accept(Object.fromEntries(pairs.map(([key, value]) => [key, value])));
}

/** A gate that is not known is of another version, not a mistake that must stop the controller. */
function readGates(row: OptionRow, texts: readonly string[]): Reading {
  const known = (row.default ?? {}) as Readonly<Record<string, boolean>>;
  const gates: Record<string, boolean> = { ...known };
  const doubts: string[] = [];
  for (const [name, value] of splitPairs(texts)) {
    if (!/^(true|false|t|f|1|0)$/i.test(value)) return refuse(row, `true or false for gate ${name}`, texts);
    if (Object.hasOwn(known, name)) gates[name] = /^(true|t|1)$/i.test(value);
    else doubts.push(unknownGate(name, Object.keys(known)));
  }
  return accept(gates, doubts);
}

function unknownGate(name: string, known: readonly string[]): string {
  const guess = closestName(name, known);
  return `unknown feature gate ${name}${guess === undefined ? '' : `; did you mean ${guess}?`}`;
}

type Pair = readonly [key: string, value: string, equals: boolean];

function splitPairs(texts: readonly string[]): Pair[] {
  return texts
    .flatMap((text) => text.split(','))
    .filter((part) => part.trim() !== '')
    .map((part): Pair => {
      const equals = part.indexOf('=');
      if (equals < 0) return [part.trim(), '', false];
      return [part.slice(0, equals).trim(), part.slice(equals + 1).trim(), true];
    });
}

function inRange(row: OptionRow, value: number): boolean {
  return value >= (row.minimum ?? -Infinity) && value <= (row.maximum ?? Infinity);
}

function rangeText(row: OptionRow): string {
  const [minimum, maximum] = [row.minimum, row.maximum].map((limit) =>
    limit === undefined ? undefined : optionText(row, limit),
  );
  if (maximum === undefined) return `at least ${minimum}`;
  return minimum === undefined ? `at most ${maximum}` : `${minimum} to ${maximum}`;
}
