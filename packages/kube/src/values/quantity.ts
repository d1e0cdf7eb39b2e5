/**
 * Kubernetes quantities (`100m`, `1.5Gi`, `3e6`): exact values, and the text an API server would print.
 * An amount is a whole number of billionths, since Kubernetes rounds anything finer up to one of them.
 * Which resources exist and what a sensible amount is, others decide.
 */

export type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent';

/** The text is not a quantity. The message is the one a Kubernetes API server gives. */
export class QuantityError extends Error {
  override readonly name = 'QuantityError';
}

export class Quantity {
  static readonly zero: Quantity = new Quantity(0n, 'DecimalSI');

  /** The amount in billionths of one unit. */
  readonly nanos: bigint;
  /** The family of suffixes the quantity was written in, and is printed in again. */
  readonly format: QuantityFormat;
  #text: string | undefined;

  constructor(nanos: bigint, format: QuantityFormat, text?: string) {
    this.nanos = nanos;
    this.format = format;
    this.#text = text;
  }

  /** So many whole units: bytes, cores, pods. */
  static of(value: bigint | number, format: QuantityFormat = 'DecimalSI'): Quantity {
    return new Quantity(BigInt(value) * NANOS, format);
  }

  /** So many thousandths of a unit, as CPU is counted. */
  static ofMilli(milli: bigint | number, format: QuantityFormat = 'DecimalSI'): Quantity {
    return new Quantity(BigInt(milli) * NANOS_PER_MILLI, format);
  }

  isZero(): boolean {
    return this.nanos === 0n;
  }

  sign(): -1 | 0 | 1 {
    return this.compare(Quantity.zero);
  }

  compare(other: Quantity): -1 | 0 | 1 {
    if (this.nanos === other.nanos) return 0;
    return this.nanos < other.nanos ? -1 : 1;
  }

  equals(other: Quantity): boolean {
    return this.nanos === other.nanos;
  }

  /** The sum keeps this quantity's format; a zero takes the other's. */
  add(other: Quantity): Quantity {
    return new Quantity(this.nanos + other.nanos, this.isZero() ? other.format : this.format);
  }

  /** The difference keeps this quantity's format; a zero takes the other's. */
  sub(other: Quantity): Quantity {
    return new Quantity(this.nanos - other.nanos, this.isZero() ? other.format : this.format);
  }

  negate(): Quantity {
    return new Quantity(-this.nanos, this.format);
  }

  /** Whole units, a fraction rounded away from zero. */
  value(): bigint {
    return divideAwayFromZero(this.nanos, NANOS);
  }

  /** Thousandths of a unit, a finer fraction rounded away from zero. */
  milli(): bigint {
    return divideAwayFromZero(this.nanos, NANOS_PER_MILLI);
  }

  /** The nearest double. Exact for whole units up to 2^53. */
  toNumber(): number {
    return this.nanos % NANOS === 0n ? Number(this.nanos / NANOS) : Number(this.nanos) / 1e9;
  }

  toString(): string {
    this.#text ??= canonicalText(this.nanos, this.format);
    return this.#text;
  }

  toJSON(): string {
    return this.toString();
  }
}

/** @throws {QuantityError} when the text is not a quantity. */
export function parseQuantity(text: string | number): Quantity {
  const source = typeof text === 'number' ? String(text) : text;
  if (source === '') throw new QuantityError(FORMAT_WRONG);
  const parts = scan(source);
  const suffix = interpretSuffix(parts.suffix);
  if (parts.whole.length + parts.fraction.length > MAX_DIGITS) throw new QuantityError(NUMERIC_WRONG);
  return suffix.format === 'BinarySI'
    ? binaryQuantity(source, parts, suffix.exponent)
    : decimalQuantity(source, parts, suffix);
}

/**
 * The text a Kubernetes API server stores for the one it was given, as its JSON decoder does:
 * spaces around it are tolerated there.
 * @throws {QuantityError} when the text is not a quantity.
 */
export function canonicalQuantity(text: string | number): string {
  const source = typeof text === 'number' ? String(text) : text;
  return isPlainlyCanonical(source) ? source : parseQuantity(source.trim()).toString();
}

export function isQuantity(text: unknown): boolean {
  if (typeof text !== 'string' && typeof text !== 'number') return false;
  try {
    parseQuantity(text);
    return true;
  } catch (error) {
    if (error instanceof QuantityError) return false;
    throw error;
  }
}

// ---------------------------------------------------------------------------------------------

const NANOS = 1_000_000_000n;
const NANOS_PER_MILLI = 1_000_000n;
const NANO_EXPONENT = -9;
/** Binary quantities are capped here; decimal ones are not. */
const MAX_BINARY_NANOS = (2n ** 63n - 1n) * NANOS;
/** Digits that surely fit the 64 bits in which Kubernetes first tries to hold a number. */
const FAST_DIGITS = 18;
/** Our limits: a number that no cluster needs must not take seconds of arithmetic. */
const MAX_DIGITS = 1_000;
const MAX_EXPONENT = 10_000;

const FORMAT_WRONG =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const NUMERIC_WRONG = 'unable to parse numeric part of quantity';
const SUFFIX_WRONG = "unable to parse quantity's suffix";

const DECIMAL_SUFFIXES = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const BINARY_SUFFIXES = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const DECIMAL_EXPONENTS = new Map(DECIMAL_SUFFIXES.map((suffix, index) => [suffix, index * 3 - 9]));
const BINARY_EXPONENTS = new Map(BINARY_SUFFIXES.slice(1).map((suffix, index) => [suffix, (index + 1) * 10]));

interface Parts {
  readonly negative: boolean;
  /** Digits before the point without leading zeros; `0` when there are none. */
  readonly whole: string;
  readonly fraction: string;
  readonly suffix: string;
  /** QUIRK, kept for the wire: a sign, point or suffix alone is a zero, unless it takes the long way. */
  readonly digitless: boolean;
}

interface Suffix {
  readonly exponent: number;
  readonly format: QuantityFormat;
}

function scan(text: string): Parts {
  let at = text[0] === '-' || text[0] === '+' ? 1 : 0;
  while (text[at] === '0') at++;
  const wholeEnd = skipDigits(text, at);
  const whole = text.slice(at, wholeEnd) || '0';
  let fraction = '';
  let suffixStart = wholeEnd;
  if (text[wholeEnd] === '.') {
    suffixStart = skipDigits(text, wholeEnd + 1);
    fraction = text.slice(wholeEnd + 1, suffixStart);
  }
  let end = suffixStart;
  while (end < text.length && 'eEinumkKMGTP'.includes(text[end]!)) end++;
  if (text[end] === '-' || text[end] === '+') end++;
  if (skipDigits(text, end) !== text.length) throw new QuantityError(FORMAT_WRONG);
  const digitless = !/[0-9]/.test(text.slice(0, suffixStart));
  return { negative: text[0] === '-', whole, fraction, suffix: text.slice(suffixStart), digitless };
}

function skipDigits(text: string, from: number): number {
  let at = from;
  while (isDigit(text.charCodeAt(at))) at++;
  return at;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function interpretSuffix(suffix: string): Suffix {
  const decimal = DECIMAL_EXPONENTS.get(suffix);
  if (decimal !== undefined) return { exponent: decimal, format: 'DecimalSI' };
  const binary = BINARY_EXPONENTS.get(suffix);
  if (binary !== undefined) return { exponent: binary, format: 'BinarySI' };
  if (!/^[eE][-+]?[0-9]+$/.test(suffix)) throw new QuantityError(SUFFIX_WRONG);
  const exponent = Number(suffix.slice(1));
  if (Math.abs(exponent) > MAX_EXPONENT) throw new QuantityError(SUFFIX_WRONG);
  return { exponent, format: 'DecimalExponent' };
}

function decimalQuantity(source: string, parts: Parts, suffix: Suffix): Quantity {
  const digits = parts.whole + parts.fraction;
  const scale = suffix.exponent - parts.fraction.length;
  const fast = digits.length <= FAST_DIGITS && scale >= NANO_EXPONENT;
  if (!fast && parts.digitless) throw new QuantityError(NUMERIC_WRONG);
  const nanos = signed(scaleUp(BigInt(digits), scale - NANO_EXPONENT), parts.negative);
  // QUIRK, kept for the wire: what looks canonical is kept exactly, so `+1`, `01` and
  // `1.500` are printed unchanged. Only results of arithmetic are always canonical.
  const kept = fast && scale % 3 === 0 && !digits.endsWith('000') && digits[0] !== '0';
  return new Quantity(nanos, suffix.format, kept ? source : undefined);
}

function binaryQuantity(source: string, parts: Parts, exponent: number): Quantity {
  const amount = BigInt(parts.whole + parts.fraction) << BigInt(exponent);
  const exact = scaleUp(amount, -parts.fraction.length - NANO_EXPONENT);
  const capped = cap(exact);
  const nanos = signed(capped, parts.negative);
  const fast = parts.fraction === '' && 14 - parts.whole.length - (exponent / 10) * 3 >= 0;
  if (!fast && parts.digitless) throw new QuantityError(NUMERIC_WRONG);
  // The same quirk as above, with its own test: the number is no multiple of eight.
  if (fast && Number(parts.whole) % 8 !== 0) return new Quantity(nanos, 'BinarySI', source);
  return new Quantity(nanos, !fast && capped > 0n && capped < NANOS ? 'DecimalSI' : 'BinarySI');
}

function cap(magnitude: bigint): bigint {
  if (magnitude > MAX_BINARY_NANOS) return MAX_BINARY_NANOS;
  return magnitude;
}

function signed(magnitude: bigint, negative: boolean): bigint {
  return negative ? -magnitude : magnitude;
}

/** Times a power of ten; what a negative power cuts off is rounded up, so that a little is never nothing. */
function scaleUp(magnitude: bigint, power: number): bigint {
  if (power >= 0) return magnitude * 10n ** BigInt(power);
  return divideAwayFromZero(magnitude, 10n ** BigInt(-power));
}

function divideAwayFromZero(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  if (quotient * divisor === dividend) return quotient;
  return dividend < 0n ? quotient - 1n : quotient + 1n;
}

function canonicalText(nanos: bigint, format: QuantityFormat): string {
  if (nanos === 0n) return '0';
  if (format === 'BinarySI' && nanos % NANOS === 0n) {
    const units = nanos / NANOS;
    if (units >= 1024n || units <= -1024n) return binaryText(units);
  }
  return decimalText(nanos, format === 'DecimalExponent');
}

function binaryText(units: bigint): string {
  let number = units;
  let step = 0;
  while (step < BINARY_SUFFIXES.length - 1 && number % 1024n === 0n) {
    number /= 1024n;
    step++;
  }
  return `${number}${BINARY_SUFFIXES[step]}`;
}

function decimalText(nanos: bigint, asExponent: boolean): string {
  // Kubernetes forgets the suffix of a decimal quantity beyond `E` and so prints 1000E as `1`.
  // We stop at the largest suffix: a correct value matters more than the same text.
  const lastStep = asExponent ? Number.POSITIVE_INFINITY : DECIMAL_SUFFIXES.length - 1;
  let number = nanos;
  let step = 0;
  while (step < lastStep && number % 1000n === 0n) {
    number /= 1000n;
    step++;
  }
  if (!asExponent) return `${number}${DECIMAL_SUFFIXES[step]}`;
  const exponent = step * 3 + NANO_EXPONENT;
  return exponent === 0 ? String(number) : `${number}e${exponent}`;
}

/**
 * A cheap "yes" for the texts that nearly every pod carries (`100m`, `2`, `128Mi`); "no" only means
 * that the long way must be taken.
 */
function isPlainlyCanonical(text: string): boolean {
  const first = text.charCodeAt(0);
  if (!(first >= 49 && first <= 57)) return false;
  const end = skipDigits(text, 1);
  if (end > 6) return false;
  if (end === text.length) return !endsInThousands(text, end);
  if (end + 1 === text.length) return 'mkMGTPE'.includes(text[end]!) && !endsInThousands(text, end);
  if (end + 2 !== text.length || text[end + 1] !== 'i') return false;
  return 'KMGT'.includes(text[end]!) && Number(text.slice(0, end)) % 1024 !== 0;
}

function endsInThousands(text: string, end: number): boolean {
  return text.slice(end - 3, end) === '000';
}
