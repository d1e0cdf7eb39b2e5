/**
 * The string formats that a schema can ask for, as the API server checks them. A name is taken without its dashes,
 * and a format that is not in the table is ignored; `duration` also takes the long words (`2 hours`, `3 days`).
 */
import { parseCidr, parseIp } from '../cel/library/addresses.ts';
import { parseRequestUrl } from '../cel/library/request-url.ts';
import { parseDateTime, parseGoDuration } from '../cel/time.ts';

export type FormatCheck = (text: string) => boolean;

/** undefined where a format means nothing for a string. */
export function stringFormat(name: string | undefined): FormatCheck | undefined {
  return name === undefined ? undefined : FORMATS[name.replaceAll('-', '')];
}

/** Whether the server knows the format for this type; CRDs with others are accepted with a warning. */
export function isKnownFormat(type: string, format: string): boolean {
  if (type === 'integer') return format === 'int32' || format === 'int64';
  if (type === 'number') return format === 'float' || format === 'double';
  return (type === '' || type === 'string') && stringFormat(format) !== undefined;
}

/** Nanoseconds. */
export function parseWordyDuration(text: string): bigint | undefined {
  const exact = parseGoDuration(text);
  if (exact !== undefined) return exact;
  let total: bigint | undefined;
  for (const [, amount, word] of text.matchAll(/(\d+)\s*([A-Za-zµ]+)/g)) {
    const unit = WORDY_UNITS.find(({ names }) =>
      names.some((name, index) => isUnit(word!.toLowerCase(), name, index === names.length - 1)),
    );
    if (unit !== undefined) total = (total ?? 0n) + BigInt(amount!) * unit.ns;
  }
  return total;
}

// ---------------------------------------------------------------------------------------------------

const NAME_LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const UUID_TAIL = '-?[0-9a-f]{4}-?[0-9a-f]{12}$';
const CHARS = '[a-zA-Z0-9\\p{S}\\p{L}]';

const FORMATS: Readonly<Record<string, FormatCheck>> = {
  bsonobjectid: (text) => /^[0-9a-fA-F]{24}$/.test(text),
  uri: (text) => typeof parseRequestUrl(text) !== 'string',
  email: isEmail,
  hostname: isHostname,
  ipv4: (text) => text.includes('.') && isLooseIp(text),
  ipv6: (text) => text.includes(':') && isLooseIp(text),
  cidr: (text) => parseCidr(withoutLeadingZeros(text)) !== undefined,
  mac: isMac,
  uuid: pattern(`^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}${UUID_TAIL}`),
  uuid3: pattern(`^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}${UUID_TAIL}`),
  uuid4: pattern('^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$'),
  uuid5: pattern('^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$'),
  isbn: (text) => isIsbn10(text) || isIsbn13(text),
  isbn10: isIsbn10,
  isbn13: isIsbn13,
  creditcard: isCreditCard,
  ssn: (text) => text.length === 11 && /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text),
  hexcolor: pattern('^#?([0-9a-f]{3}|[0-9a-f]{6})$'),
  rgbcolor: isRgb,
  byte: (text) =>
    /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/.test(text),
  password: () => true,
  date: isDate,
  duration: (text) => parseWordyDuration(text) !== undefined,
  datetime: isDateTime,
  k8sshortname: (text) => text.length <= 63 && new RegExp(`^${NAME_LABEL}$`).test(text),
  k8slongname: (text) => text.length <= 253 && new RegExp(`^${NAME_LABEL}(\\.${NAME_LABEL})*$`).test(text),
};

const HOUR = 3_600_000_000_000n;
const WORDY_UNITS: readonly { names: readonly string[]; ns: bigint }[] = [
  { names: ['ns', 'nano'], ns: 1n },
  { names: ['us', 'µs', 'micro'], ns: 1000n },
  { names: ['ms', 'milli'], ns: 1_000_000n },
  { names: ['s', 'sec'], ns: 1_000_000_000n },
  { names: ['m', 'min'], ns: 60_000_000_000n },
  { names: ['h', 'hr', 'hour'], ns: HOUR },
  { names: ['d', 'day'], ns: 24n * HOUR },
  { names: ['w', 'wk', 'week'], ns: 168n * HOUR },
];

/** The last name of a unit is a beginning: `hours`, `seconds`. */
function isUnit(word: string, name: string, isLast: boolean): boolean {
  return word === name || (isLast && word.startsWith(name));
}

function pattern(source: string): FormatCheck {
  const compiled = new RegExp(source, 'i');
  return (text) => compiled.test(text);
}

function isDate(text: string): boolean {
  return parseDateTime(`${text}T00:00:00Z`) !== undefined;
}

function isDateTime(text: string): boolean {
  const [date, time] = text.toLowerCase().split('t');
  if (time === undefined || !isDate(date!)) return false;
  const match = /^(\d\d):(\d\d):(\d\d)(.\d+)?(z|[+-]\d\d:\d\d)$/.exec(time);
  return match !== null && match[1]! <= '23' && match[2]! <= '59' && match[3]! <= '59';
}

/** Old clients wrote octets with leading zeros; IPv4 in IPv6 is fine here. */
function isLooseIp(text: string): boolean {
  return parseIp(withoutLeadingZeros(text)) !== undefined || /^::ffff:\d+\.\d+\.\d+\.\d+$/i.test(text);
}

function withoutLeadingZeros(text: string): string {
  return text.includes(':') ? text : text.replace(/(^|\.)0+(?=\d)/g, '$1');
}

const HOSTNAME = new RegExp(
  `^(${CHARS}((-?${CHARS}{0,62})?)|(${CHARS}(([a-zA-Z0-9\\-\\p{S}\\p{L}]{0,61}${CHARS})?)(\\.)){1,}([a-zA-Z\\p{L}]){2,63})$`,
  'u',
);

function isHostname(text: string): boolean {
  return (
    HOSTNAME.test(text) &&
    Buffer.byteLength(text) <= 255 &&
    text.split('.').every((part) => part.length <= 63)
  );
}

function isEmail(text: string): boolean {
  const inner = /<([^<>]+)>\s*$/.exec(text)?.[1] ?? text;
  return /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@(\[[^\]]+\]|[^\s@<>,;:"()[\]\\]+)$/.test(
    inner.trim(),
  );
}

function isMac(text: string): boolean {
  const bytes = '[0-9a-fA-F]{2}';
  const counts = [6, 8, 20];
  return counts.some((count) =>
    [
      new RegExp(`^${bytes}(:${bytes}){${count - 1}}$`),
      new RegExp(`^${bytes}(-${bytes}){${count - 1}}$`),
      new RegExp(`^[0-9a-fA-F]{4}(\\.[0-9a-fA-F]{4}){${count / 2 - 1}}$`),
    ].some((shape) => shape.test(text)),
  );
}

function isIsbn10(text: string): boolean {
  const digits = text.replace(/[\s-]+/g, '');
  if (!/^(?:\d{9}X|\d{10})$/.test(digits)) return false;
  const sum = [...digits].reduce(
    (total, digit, index) => total + (index + 1) * (digit === 'X' ? 10 : Number(digit)),
    0,
  );
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = text.replace(/[\s-]+/g, '');
  if (!/^\d{13}$/.test(digits)) return false;
  const sum = [...digits]
    .slice(0, 12)
    .reduce((total, digit, index) => total + (index % 2 === 0 ? 1 : 3) * Number(digit), 0);
  return Number(digits[12]) === (10 - (sum % 10)) % 10;
}

function isCreditCard(text: string): boolean {
  const digits = text.replace(/\D+/g, '');
  const known =
    /^(?:4\d{12}(?:\d{3})?|5[1-5]\d{14}|6(?:011|5\d\d)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:2131|1800|35\d{3})\d{11})$/;
  if (!known.test(digits)) return false;
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const value = index % 2 === 0 ? Number(digit) : Number(digit) * 2;
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}

function isRgb(text: string): boolean {
  const part = '\\s*(0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])\\s*';
  return new RegExp(`^rgb\\(${part},${part},${part}\\)$`).test(text);
}
