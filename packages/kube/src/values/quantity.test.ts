import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalQuantity, isQuantity, parseQuantity, Quantity, QuantityError } from './quantity.ts';

/** Inputs and what Go's resource.Quantity printed for them; a leading `!` is its error. */
const golden = JSON.parse(readFileSync(new URL('./golden/quantities.json', import.meta.url), 'utf8')) as [
  string,
  string,
][];

function printed(text: string): string {
  try {
    return parseQuantity(text).toString();
  } catch (error) {
    if (error instanceof QuantityError) return `!${error.message}`;
    throw error;
  }
}

describe('a quantity is printed as Kubernetes prints it', () => {
  test('in several hundred cases that Go printed', () => {
    expect(golden.length).toBeGreaterThan(300);
    for (const [text, expected] of golden) expect([text, printed(text)]).toEqual([text, expected]);
  });

  test.each([
    ['1000m', '1'],
    ['1024Ki', '1Mi'],
    ['0.5', '500m'],
    ['1.5Gi', '1536Mi'],
    ['0.1n', '1n'],
    ['-0.1n', '-1n'],
    ['10000', '10k'],
    ['1.5e3', '1500'],
    ['12e6', '12e6'],
    ['1500e3', '1500e3'],
    ['1000e3', '1e6'],
    ['0.5Ki', '512'],
    ['0.0001Ki', '102400u'],
    ['100Ei', '9223372036854775807'],
    ['-100Ei', '-9223372036854775807'],
    ['9007199254740993', '9007199254740993'],
    ['+1', '+1'],
    ['1.500', '1.500'],
    ['0', '0'],
    ['-0.0Gi', '0'],
  ])('%s becomes %s', (text, expected) => {
    expect(parseQuantity(text).toString()).toBe(expected);
    expect(canonicalQuantity(text)).toBe(expected);
  });

  test('keeps values beyond the largest decimal suffix, which Kubernetes loses', () => {
    expect(canonicalQuantity('1000E')).toBe('1000E');
    expect(parseQuantity('2000E').sub(parseQuantity('1000E')).toString()).toBe('1000E');
  });

  test('reads numbers and tolerates spaces, as the decoder of an API server does', () => {
    expect(canonicalQuantity(2)).toBe('2');
    expect(canonicalQuantity(0.5)).toBe('500m');
    expect(canonicalQuantity(1e21)).toBe('1e+21');
    expect(canonicalQuantity(' 1024Ki ')).toBe('1Mi');
    expect(() => parseQuantity(' 1')).toThrow(QuantityError);
  });

  test('leaves a canonical text unchanged', () => {
    for (const [, expected] of golden) {
      if (!expected.startsWith('!')) expect(canonicalQuantity(expected)).toBe(expected);
    }
  });
});

describe('an invalid quantity is rejected', () => {
  test.each([
    ['', /^quantities must match the regular expression/],
    ['abc', /^quantities must match/],
    ['1 Gi', /^quantities must match/],
    ['1.2.3', /^quantities must match/],
    ['1K', /^unable to parse quantity's suffix$/],
    ['1e', /^unable to parse quantity's suffix$/],
    ['1mm', /^unable to parse quantity's suffix$/],
    ['Pi', /^unable to parse numeric part of quantity$/],
    ['e-12', /^unable to parse numeric part of quantity$/],
  ])('%j', (text, message) => {
    expect(() => parseQuantity(text)).toThrow(message);
    expect(isQuantity(text)).toBe(false);
  });

  test('also when it is too long to parse', () => {
    expect(() => parseQuantity('9'.repeat(1_000_000))).toThrow(QuantityError);
    expect(() => parseQuantity('1e1000000000')).toThrow(QuantityError);
    expect(() => parseQuantity('1e-1000000000')).toThrow(QuantityError);
  });

  test('also when it is neither a string nor a number', () => {
    expect([null, undefined, {}, true].map(isQuantity)).toEqual([false, false, false, false]);
    expect([isQuantity(3), isQuantity('3Mi'), isQuantity(Number.NaN)]).toEqual([true, true, false]);
  });
});

describe('amounts', () => {
  test('are rounded up and away from zero', () => {
    expect(parseQuantity('1.1').value()).toBe(2n);
    expect(parseQuantity('-1.1').value()).toBe(-2n);
    expect(parseQuantity('100u').milli()).toBe(1n);
    expect(parseQuantity('250m').milli()).toBe(250n);
    expect(parseQuantity('1Gi').value()).toBe(1073741824n);
  });

  test('become plain numbers', () => {
    expect(parseQuantity('250m').toNumber()).toBe(0.25);
    expect(parseQuantity('16Gi').toNumber()).toBe(16 * 2 ** 30);
    expect(JSON.stringify({ cpu: parseQuantity('0.5') })).toBe('{"cpu":"500m"}');
  });

  test('are made from numbers too', () => {
    expect(Quantity.of(2048, 'BinarySI').toString()).toBe('2Ki');
    expect(Quantity.ofMilli(1500).toString()).toBe('1500m');
    expect(Quantity.zero.isZero()).toBe(true);
  });

  test('keep the format of the first in a sum, unless that is zero', () => {
    expect(parseQuantity('1Gi').add(parseQuantity('1024')).toString()).toBe('1048577Ki');
    expect(Quantity.zero.add(parseQuantity('2048Ki')).toString()).toBe('2Mi');
    expect(Quantity.zero.sub(parseQuantity('1Ki')).toString()).toBe('-1Ki');
    expect(parseQuantity('1Ki').negate().sign()).toBe(-1);
  });
});

const nanos = fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n });
const quantity = fc
  .tuple(nanos, fc.constantFrom('DecimalSI', 'BinarySI', 'DecimalExponent'))
  .map(([amount, format]) => new Quantity(amount, format as Quantity['format']));

describe('for any quantities', () => {
  test('printing and reading again gives the same amount', () => {
    fc.assert(fc.property(quantity, (q) => parseQuantity(q.toString()).equals(q)));
  });

  test('adding and subtracting gives the same amount, and compare agrees with the sign', () => {
    fc.assert(
      fc.property(quantity, quantity, (a, b) => {
        expect(a.add(b).sub(b).equals(a)).toBe(true);
        expect(a.compare(b)).toBe(a.sub(b).sign());
      }),
    );
  });

  test('the fast path of canonicalQuantity agrees with the slow one', () => {
    const suffix = fc.constantFrom(
      '',
      'm',
      'k',
      'M',
      'G',
      'T',
      'P',
      'E',
      'Ki',
      'Mi',
      'Gi',
      'Ti',
      'Pi',
      'Ei',
      'K',
    );
    fc.assert(
      fc.property(fc.nat(2_000_000), suffix, (number, unit) => {
        const text = `${number}${unit}`;
        fc.pre(isQuantity(text));
        expect(canonicalQuantity(text)).toBe(parseQuantity(text).toString());
      }),
      { numRuns: 2_000 },
    );
  });
});
