import { describe, expect, test } from 'vitest';
import { hashBytes, hashString, toDecimal } from './fnv.ts';
import { goJson } from './go-json.ts';
import {
  bool,
  duration,
  field,
  HashError,
  int32,
  list,
  map,
  pointer,
  string,
  struct,
  time,
} from './structure.ts';

describe('FNV-1 with 64 bits', () => {
  test.each([
    ['', '14695981039346656037'],
    ['a', '12638153115695167422'],
    ['foobar', '3750802935296928194'],
  ])('of %j is %s', (text, expected) => {
    expect(toDecimal(hashString(text))).toBe(expected);
    expect(toDecimal(hashBytes(new TextEncoder().encode(text)))).toBe(expected);
  });
});

describe('walking an object as Go would', () => {
  test('skips a zero held by value and counts one behind a pointer', () => {
    const byValue = struct('T', [field('Flag', 'flag', bool)]);
    const byPointer = struct('T', [pointer('Flag', 'flag', bool)]);
    expect(byValue.hash({ flag: false })).toEqual(hashString('T'));
    expect(byPointer.hash({ flag: false })).not.toEqual(hashString('T'));
    expect(byPointer.hash({ flag: null })).toEqual(hashString('T'));
  });

  test('lets equal items of a list cancel out, and reads a missing item as an empty one', () => {
    const item = struct('Item', [field('Name', 'name', string)]);
    expect(list(item).hash([{ name: 'x' }, { name: 'x' }])).toEqual(list(item).hash([]));
    expect(list(item).hash([null])).toEqual(list(item).hash([{}]));
  });

  test('does not depend on the order of a map', () => {
    expect(map(int32).hash({ a: 1, b: 2 })).toEqual(map(int32).hash({ b: 2, a: 1 }));
    expect(map(int32).hash({ a: 1, b: 2 })).not.toEqual(map(int32).hash({ a: 2, b: 1 }));
  });

  test('hashes a duration of zero as an empty struct', () => {
    expect(duration.hash('0s')).toEqual(hashString('Duration'));
    expect(duration.isZero('0s')).toBe(true);
    expect(duration.isZero('1s')).toBe(false);
  });

  test('says what does not fit instead of hashing it', () => {
    expect(() => int32.hash('5')).toThrow(HashError);
    expect(() => bool.hash('true')).toThrow(HashError);
    expect(() => string.hash(5)).toThrow('expected a text, found 5');
    expect(() => list(string).hash({})).toThrow(HashError);
    expect(() => map(string).hash([])).toThrow(HashError);
    expect(() => time.hash('yesterday')).toThrow(HashError);
  });
});

describe('JSON as Go writes it', () => {
  test('has its keys in order at every level, by code point', () => {
    expect(goJson({ b: { z: 1, a: [true, null] }, a: 'x', c: undefined })).toBe(
      '{"a":"x","b":{"a":[true,null],"z":1}}',
    );
    expect(goJson({ '\u{1f6a2}': 1, '\uffee': 2, ab: 3, a: 4 })).toBe(
      '{"a":4,"ab":3,"\uffee":2,"\u{1f6a2}":1}',
    );
  });

  test('escapes what could end a script', () => {
    expect(goJson('<a&b>\u2028\n')).toBe('"\\u003ca\\u0026b\\u003e\\u2028\\n"');
  });
});
