/**
 * Durations as Go writes them (`1h30m`, `-1.5s`, `100ms`), in exact nanoseconds, and Karpenter's
 * "duration or Never". What a duration is allowed to be in a given field, the schemas decide.
 */

/** The text is not a duration. The message is the one Go gives. */
export class DurationError extends Error {
  override readonly name = 'DurationError';
}

/** The text for "never". */
export const NEVER = 'Never';

/** A duration or never, with its original text, so that it is written back unchanged. */
export interface NillableDuration {
  /** Nanoseconds; absent means never. */
  readonly ns: bigint | undefined;
  readonly text: string;
}

/**
 * Nanoseconds of a Go duration.
 * @throws {DurationError} when the text is not one, or does not fit 64 bits.
 */
export function parseDuration(text: string): bigint {
  const negative = text.startsWith('-');
  const body = negative || text.startsWith('+') ? text.slice(1) : text;
  if (body === '0') return 0n;
  if (body === '') throw invalid(text);
  let total = 0n;
  let at = 0;
  while (at < body.length) {
    const term = readTerm(body, at, text);
    total += term.ns;
    if (total > 2n ** 63n) throw invalid(text);
    at = term.end;
  }
  if (!negative && total > MAX_NS) throw invalid(text);
  return negative ? -total : total;
}

/** Milliseconds of a Go duration, a finer fraction cut off. */
export function parseDurationMs(text: string): number {
  return Number(parseDuration(text) / NS_PER_MS);
}

/** Undefined when the text is no duration, or one that does not fit 64 bits: a schema that only has a pattern accepts those. */
export function readDurationMs(text: string): number | undefined {
  return isDuration(text) ? parseDurationMs(text) : undefined;
}

/** As Go's `String()`: `1h30m0s`, `1.5s`, `100ms`, `0s`. */
export function formatDuration(ns: bigint): string {
  if (ns === 0n) return '0s';
  const sign = ns < 0n ? '-' : '';
  const magnitude = ns < 0n ? -ns : ns;
  return sign + (magnitude < NS_PER_S ? smallText(magnitude) : largeText(magnitude));
}

/** @throws {DurationError} when the text is neither a duration nor `Never`. */
export function parseNillableDuration(text: string): NillableDuration {
  return { ns: text === NEVER ? undefined : parseDuration(text), text };
}

export function isDuration(text: unknown): boolean {
  if (typeof text !== 'string') return false;
  try {
    parseDuration(text);
    return true;
  } catch (error) {
    if (error instanceof DurationError) return false;
    throw error;
  }
}

// ---------------------------------------------------------------------------------------------

const NS_PER_US = 1_000n;
const NS_PER_MS = 1_000_000n;
const NS_PER_S = 1_000_000_000n;
const MAX_NS = 2n ** 63n - 1n;

const UNITS: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', NS_PER_US],
  ['µs', NS_PER_US],
  ['μs', NS_PER_US],
  ['ms', NS_PER_MS],
  ['s', NS_PER_S],
  ['m', 60n * NS_PER_S],
  ['h', 3600n * NS_PER_S],
]);

/** A number with an optional fraction, then everything up to the next number as the unit. */
const TERM = /([0-9]*)(?:(\.)([0-9]*))?([^0-9.]*)/y;
/** More decimals than this cannot change a number of nanoseconds. */
const MAX_DECIMALS = 18;

function readTerm(body: string, at: number, whole: string): { ns: bigint; end: number } {
  TERM.lastIndex = at;
  const [matched, digits, , decimals = '', unitText] = TERM.exec(body)!;
  if (digits === '' && decimals === '') throw invalid(whole);
  if (digits!.length > 20) throw invalid(whole);
  if (unitText === '') throw new DurationError(`time: missing unit in duration ${quote(whole)}`);
  const unit = UNITS.get(unitText!);
  if (unit === undefined) {
    throw new DurationError(`time: unknown unit ${quote(unitText!)} in duration ${quote(whole)}`);
  }
  // Go cuts the fraction off after the multiplication, it does not round.
  const kept = decimals.slice(0, MAX_DECIMALS);
  const fraction = kept === '' ? 0n : (BigInt(kept) * unit) / 10n ** BigInt(kept.length);
  return { ns: BigInt(digits || '0') * unit + fraction, end: at + matched.length };
}

function invalid(text: string): DurationError {
  return new DurationError(`time: invalid duration ${quote(text)}`);
}

/** Go's own quoting here: printable ASCII stays, other bytes are shown as `\xNN`. */
function quote(text: string): string {
  let quoted = '"';
  for (const char of text) {
    const code = char.codePointAt(0)!;
    if (char === '"' || char === '\\') quoted += `\\${char}`;
    else if (code >= 0x20 && code < 0x80) quoted += char;
    else
      for (const byte of new TextEncoder().encode(char)) quoted += `\\x${byte.toString(16).padStart(2, '0')}`;
  }
  return `${quoted}"`;
}

function smallText(ns: bigint): string {
  if (ns < NS_PER_US) return `${ns}ns`;
  if (ns < NS_PER_MS) return `${withFraction(ns, NS_PER_US)}µs`;
  return `${withFraction(ns, NS_PER_MS)}ms`;
}

function largeText(ns: bigint): string {
  const seconds = `${withFraction(ns % (60n * NS_PER_S), NS_PER_S)}s`;
  const minutes = ns / (60n * NS_PER_S);
  if (minutes === 0n) return seconds;
  const hours = minutes / 60n;
  return hours === 0n ? `${minutes}m${seconds}` : `${hours}h${minutes % 60n}m${seconds}`;
}

/** `1500`, `1000` → `1.5`: the quotient with just the decimals it needs. */
function withFraction(amount: bigint, unit: bigint): string {
  const rest = amount % unit;
  if (rest === 0n) return String(amount / unit);
  const decimals = String(rest + unit).slice(1);
  return `${amount / unit}.${decimals.replace(/0+$/, '')}`;
}
