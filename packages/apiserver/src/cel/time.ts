/**
 * Points in time and durations as Go reads and writes them, in nanoseconds. Time zones are UTC and fixed offsets:
 * named zones need a database that differs from machine to machine.
 */

const SECOND = 1_000_000_000n;
const MILLISECOND = 1_000_000n;

/** RFC 3339, upper or lower case T, with up to nine digits of a second. */
export function parseDateTime(text: string): bigint | undefined {
  const match = DATE_TIME.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction, zone] = match;
  const numbers = [year, month, day, hour, minute, second].map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  if (!isCalendarDate(numbers[0], numbers[1], numbers[2])) return undefined;
  if (numbers[3] > 23 || numbers[4] > 59 || numbers[5] > 59) return undefined;
  const offset = parseOffset(zone!);
  if (offset === undefined) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(numbers[0], numbers[1] - 1, numbers[2]);
  date.setUTCHours(numbers[3], numbers[4], numbers[5]);
  const nanos = fraction === undefined ? 0n : BigInt(fraction.slice(0, 9).padEnd(9, '0'));
  return BigInt(date.getTime()) * MILLISECOND + nanos - BigInt(offset) * 60n * SECOND;
}

/** Minutes east of UTC at the end of an RFC 3339 text. */
export function offsetIn(text: string): number {
  return parseOffset(/(?:[Zz]|[+-]\d\d:\d\d)$/.exec(text)?.[0] ?? 'Z') ?? 0;
}

/** RFC 3339 with as many digits of a second as needed. */
export function formatDateTime(ns: bigint, offset = 0): string {
  const local = ns + BigInt(offset) * 60n * SECOND;
  const nanos = ((local % SECOND) + SECOND) % SECOND;
  const date = new Date(Number((local - nanos) / MILLISECOND));
  const seconds = date.toISOString().slice(0, 19);
  const fraction = nanos === 0n ? '' : `.${String(nanos).padStart(9, '0').replace(/0+$/, '')}`;
  return `${seconds}${fraction}${zoneText(offset)}`;
}

/** Go's `time.ParseDuration`: `1h30m`, `-1.5s`, `0`. */
export function parseGoDuration(text: string): bigint | undefined {
  const sign = text.startsWith('-') ? -1n : 1n;
  const rest = text.replace(/^[+-]/, '');
  if (rest === '0') return 0n;
  if (!/^(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/.test(rest)) return undefined;
  let total = 0n;
  for (const [, amount, unit] of rest.matchAll(/(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g)) {
    const [whole = '', fraction = ''] = amount!.split('.');
    const scale = UNITS[unit!]!;
    total += BigInt(whole || '0') * scale;
    if (fraction !== '') total += (BigInt(fraction) * scale) / 10n ** BigInt(fraction.length);
  }
  return total > 9223372036854775807n ? undefined : sign * total;
}

/** `3600s`, `1.5s`: how CEL writes a duration. */
export function formatDuration(ns: bigint): string {
  return `${Number(ns) / 1e9}s`;
}

/** The parts of a point in time in a zone given as `UTC` or an offset (`+05:30`, `-08:00`). */
export function partsIn(ns: bigint, zone: string): Date | undefined {
  const offset = zone === '' || zone === 'UTC' ? 0 : parseOffset(/^\d/.test(zone) ? `+${zone}` : zone);
  if (offset === undefined) return undefined;
  const local = ns + BigInt(offset) * 60n * SECOND;
  const nanos = ((local % MILLISECOND) + MILLISECOND) % MILLISECOND;
  return new Date(Number((local - nanos) / MILLISECOND));
}

// ---------------------------------------------------------------------------------------------------

const DATE_TIME = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(Z|z|[+-]\d\d:\d\d)$/;

const UNITS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1000n,
  µs: 1000n,
  μs: 1000n,
  ms: MILLISECOND,
  s: SECOND,
  m: 60n * SECOND,
  h: 3600n * SECOND,
};

function isCalendarDate(year: number, month: number, day: number): boolean {
  if (month < 1 || month > 12 || day < 1) return false;
  const date = new Date(0);
  date.setUTCFullYear(year, month, 0);
  return day <= date.getUTCDate();
}

function zoneText(offset: number): string {
  if (offset === 0) return 'Z';
  const minutes = Math.abs(offset);
  const pad = (part: number) => String(part).padStart(2, '0');
  return `${offset < 0 ? '-' : '+'}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`;
}

/** Minutes east of UTC. */
function parseOffset(zone: string): number | undefined {
  if (zone === 'Z' || zone === 'z') return 0;
  const match = /^([+-])(\d\d):(\d\d)$/.exec(zone);
  if (match === null) return undefined;
  const minutes = Number(match[2]) * 60 + Number(match[3]);
  return match[1] === '-' ? -minutes : minutes;
}
