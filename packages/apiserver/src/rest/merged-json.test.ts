import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseMerging } from './merged-json.ts';

describe('JSON with a duplicate key', () => {
  test('is one object with both, the later one winning where they meet', () => {
    expect(parseMerging('{"data":{"k":"v","k":"w"},"data":{"z":"z"},"list":[1,2],"list":[3]}')).toEqual({
      data: { k: 'w', z: 'z' },
      list: [3],
    });
    expect(parseMerging('{"a":{"b":1},"a":null}')).toEqual({ a: null });
  });

  test('is otherwise what JSON.parse makes of it', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(undefined, 1, 2), (text, indent) => {
        const spaced = JSON.stringify(JSON.parse(text), null, indent);
        expect(parseMerging(spaced)).toEqual(JSON.parse(spaced));
      }),
    );
  });
});
