/**
 * Values that are text on the wire and more than text in meaning: quantities, times, bytes. Each is checked with the
 * words of Go's parser and brought into the one form in which a real server gives it back.
 */
import { canonicalQuantity } from '@chandler/kube';

/** The value does not have the type that its field has; the message is Go's. */
export class DecodeError extends Error {}

/** Canonical text; the same few quantities come again and again, so answers are remembered. */
export function readQuantity(value: unknown): string {
  const text = typeof value === 'string' ? value : quantityText(value);
  const known = quantities.get(text);
  if (known !== undefined) return known;
  let canonical: string;
  try {
    canonical = canonicalQuantity(text);
  } catch (error) {
    throw new DecodeError((error as Error).message);
  }
  if (quantities.size >= REMEMBERED_QUANTITIES) quantities.clear();
  quantities.set(text, canonical);
  return canonical;
}

/** UTC with seconds, or with microseconds. */
export function readTime(value: string, micro: boolean): string {
  if (!micro && NORMAL_TIME.test(value) && !Number.isNaN(Date.parse(value))) return value;
  return parseTime(value, micro);
}

/** Base64 in the standard alphabet with padding; line breaks are allowed and dropped. */
export function readBytes(text: string): string {
  if (NORMAL_BASE64.test(text) && text.length % 4 === 0) return text;
  const plain = text.replace(/[\r\n]/g, '');
  const bad = badBase64At(text);
  if (bad >= 0) throw new DecodeError(`illegal base64 data at input byte ${bad}`);
  return Buffer.from(plain, 'base64').toString('base64');
}

// ---------------------------------------------------------------------------------------------------

const REMEMBERED_QUANTITIES = 5_000;
const quantities = new Map<string, string>();

function quantityText(value: unknown): string {
  if (typeof value === 'number') return String(value);
  // Go hands the raw JSON text to the parser, which then finds no number in it.
  return JSON.stringify(value);
}

const NORMAL_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
const NORMAL_BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

const RFC3339 = '2006-01-02T15:04:05Z07:00';
const MICRO = '2006-01-02T15:04:05.000000Z07:00';

/** What Go's parser looks for, one after the other: the part's name in the layout and what it may hold. */
const TIME_PARTS: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['2006', /^\d{4}/],
  ['-', /^-/],
  ['01', /^\d\d/],
  ['-', /^-/],
  ['02', /^\d\d/],
  ['T', /^T/],
  ['15', /^\d\d?/],
  [':', /^:/],
  ['04', /^\d\d/],
  [':', /^:/],
];

const SECONDS = [['05', /^\d\d(?:[.,]\d+)?/]] as const;
/** Exactly six digits: no more, no fewer. */
const MICROSECONDS = [
  ['05', /^\d\d/],
  ['.000000', /^[.,]\d{6}/],
] as const;

const LIMITS: readonly (readonly [part: number, min: number, max: number, name: string])[] = [
  [2, 1, 12, 'month'],
  [4, 1, 31, 'day'],
  [6, 0, 23, 'hour'],
  [8, 0, 59, 'minute'],
  [10, 0, 59.999999999, 'second'],
];

function parseTime(text: string, micro: boolean): string {
  const layout = micro ? MICRO : RFC3339;
  const found: string[] = [];
  let rest = text;
  const refuse = (part: string): never => {
    throw new DecodeError(
      `parsing time ${JSON.stringify(text)} as "${layout}": cannot parse ${JSON.stringify(rest)} as "${part}"`,
    );
  };
  for (const [name, pattern] of [...TIME_PARTS, ...(micro ? MICROSECONDS : SECONDS)]) {
    const match = pattern.exec(rest)?.[0] ?? refuse(name);
    found.push(match);
    rest = rest.slice(match.length);
  }
  const zone = /^(?:Z|[+-]\d\d:\d\d)/.exec(rest)?.[0] ?? refuse('Z07:00');
  if (zone.length < rest.length) {
    throw new DecodeError(
      `parsing time ${JSON.stringify(text)}: extra text: ${JSON.stringify(rest.slice(zone.length))}`,
    );
  }
  for (const [part, min, max, name] of LIMITS) {
    const number = Number(found[part]!.replace(',', '.'));
    if (number < min || number > max)
      throw new DecodeError(`parsing time ${JSON.stringify(text)}: ${name} out of range`);
  }
  return normalTime(found, zone, text, micro);
}

function normalTime(found: readonly string[], zone: string, text: string, micro: boolean): string {
  const [year, , month, , day, , hour, , minute, , seconds, micros = ''] = found as string[];
  const [second] = seconds!.split(/[.,]/);
  const milliseconds = Date.parse(
    `${year}-${month}-${day}T${hour!.padStart(2, '0')}:${minute}:${second}${zone}`,
  );
  if (
    Number.isNaN(milliseconds) ||
    new Date(Date.parse(`${year}-${month}-${day}T00:00:00Z`)).getUTCDate() !== Number(day)
  ) {
    throw new DecodeError(`parsing time ${JSON.stringify(text)}: day out of range`);
  }
  const whole = new Date(milliseconds).toISOString().slice(0, 19);
  return micro ? `${whole}.${micros.slice(1)}Z` : `${whole}Z`;
}

/** Where Go's decoder stops, or -1. Groups of four; padding only in the last. */
function badBase64At(text: string): number {
  let inGroup = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    if (char === '\n' || char === '\r') continue;
    if (char === '=') return inGroup < 2 ? at : badPaddingAt(text, at, inGroup);
    if (!/[A-Za-z0-9+/]/.test(char)) return at;
    inGroup = (inGroup + 1) % 4;
  }
  return inGroup === 0 ? -1 : text.length - inGroup;
}

function badPaddingAt(text: string, first: number, inGroup: number): number {
  let at = first + 1;
  const skip = (): void => {
    while (text[at] === '\n' || text[at] === '\r') at++;
  };
  skip();
  if (inGroup === 2) {
    if (at >= text.length) return text.length;
    if (text[at] !== '=') return at - 1;
    at++;
    skip();
  }
  return at < text.length ? at : -1;
}
