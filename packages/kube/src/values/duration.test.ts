import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  DurationError,
  formatDuration,
  isDuration,
  parseDuration,
  parseDurationMs,
  parseNillableDuration,
} from './duration.ts';

const HOUR = 3_600_000_000_000n;

describe('a duration is read as in Go', () => {
  test.each([
    ['0', 0n],
    ['0s', 0n],
    ['720h', 720n * HOUR],
    ['1h30m', (3n * HOUR) / 2n],
    ['1.5h', (3n * HOUR) / 2n],
    ['.5s', 500_000_000n],
    ['1.s', 1_000_000_000n],
    ['-1.5s', -1_500_000_000n],
    ['+5m', 300_000_000_000n],
    ['100ms', 100_000_000n],
    ['1us2µs3μs', 6_000n],
    ['7ns', 7n],
    ['0.3ns', 0n],
    ['2562047h47m16.854775807s', 2n ** 63n - 1n],
    ['-9223372036854775808ns', -(2n ** 63n)],
  ])('%s', (text, ns) => {
    expect(parseDuration(text)).toBe(ns);
  });

  test.each([
    ['', 'time: invalid duration ""'],
    ['-', 'time: invalid duration "-"'],
    ['.s', 'time: invalid duration ".s"'],
    ['5', 'time: missing unit in duration "5"'],
    ['5d', 'time: unknown unit "d" in duration "5d"'],
    ['1h ', 'time: unknown unit "h " in duration "1h "'],
    ['1日', 'time: unknown unit "\\xe6\\x97\\xa5" in duration "1\\xe6\\x97\\xa5"'],
    ['"1"', 'time: invalid duration "\\"1\\""'],
    ['9223372036854775808ns', 'time: invalid duration "9223372036854775808ns"'],
    ['99999999999999999999999h', 'time: invalid duration "99999999999999999999999h"'],
    ['Never', 'time: invalid duration "Never"'],
  ])('%j is rejected', (text, message) => {
    expect(() => parseDuration(text)).toThrow(new DurationError(message));
    expect(isDuration(text)).toBe(false);
  });

  test('in milliseconds', () => {
    expect(parseDurationMs('1.5s')).toBe(1500);
    expect(isDuration('1.5s')).toBe(true);
    expect(isDuration(1500)).toBe(false);
  });
});

describe('a duration is printed as in Go', () => {
  test.each([
    [0n, '0s'],
    [1n, '1ns'],
    [1_100n, '1.1µs'],
    [100_000_000n, '100ms'],
    [1_500_000_000n, '1.5s'],
    [60_000_000_000n, '1m0s'],
    [(3n * HOUR) / 2n, '1h30m0s'],
    [-720n * HOUR, '-720h0m0s'],
    [HOUR + 1n, '1h0m0.000000001s'],
  ])('%d nanoseconds as %s', (ns, text) => {
    expect(formatDuration(ns)).toBe(text);
  });

  test('and reading it again gives the same value', () => {
    const limit = 2n ** 63n - 1n;
    fc.assert(
      fc.property(fc.bigInt({ min: -limit, max: limit }), (ns) => parseDuration(formatDuration(ns)) === ns),
    );
  });
});

describe('a duration or Never', () => {
  test('is undefined for Never, and keeps its original text', () => {
    expect(parseNillableDuration('Never')).toEqual({ ns: undefined, text: 'Never' });
    expect(parseNillableDuration('60m')).toEqual({ ns: HOUR, text: '60m' });
    expect(parseNillableDuration('0s')).toEqual({ ns: 0n, text: '0s' });
    expect(() => parseNillableDuration('never')).toThrow(DurationError);
  });
});
