import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Tree, toValue } from '../../model/tree.ts';
import { JsonStream, JsonStreamError, type Want } from './json-stream.ts';

/** Reads a text in pieces of a size. */
function read(text: string, want: (path: readonly (string | number)[]) => Want, size = text.length) {
  const found: { path: string; tree: Tree }[] = [];
  const stream = new JsonStream({
    file: 'a.json',
    want,
    emit: (path, tree) => found.push({ path: path.join('/'), tree }),
  });
  for (let at = 0; at < text.length; at += Math.max(size, 1))
    stream.push(text.slice(at, at + Math.max(size, 1)));
  stream.end();
  return found;
}

describe('JSON in pieces', () => {
  test('gives any value as JSON.parse does, however it is cut', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.integer({ min: 1, max: 9 }), fc.boolean(), (value, size, pretty) => {
        const text = JSON.stringify({ value }, null, pretty ? 2 : undefined);
        const [only] = read(text, () => 'build', size);
        expect(toValue(only!.tree)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test.each([1, 2, 3, 4])('counts backslashes over any number of pieces of %i', (size) => {
    for (let count = 0; count < 12; count++) {
      const value = `a${'\\'.repeat(count)}"${'\\'.repeat(count)}`;
      const [only] = read(JSON.stringify([value]), () => 'build', size);
      expect(toValue(only!.tree)).toBe(value);
    }
  });

  test('builds only what is wanted, with lines', () => {
    const text = '{\n  "a": {"b": [1, {"c": "d"}]},\n  "x": [\n    {"y": 1},\n    {"y": 2}\n  ]\n}';
    const found = read(text, (path) => (path[0] === 'a' ? 'skip' : path.length < 2 ? 'descend' : 'build'));
    expect(found.map(({ path, tree }) => [path, toValue(tree), tree.at])).toEqual([
      ['x/0', { y: 1 }, { file: 'a.json', line: 4 }],
      ['x/1', { y: 2 }, { file: 'a.json', line: 5 }],
    ]);
  });

  test.each([
    ['{"a": 1', 1],
    ['{"a" 1}', 1],
    ['{"a": 1,}', 1],
    ['[1 2]', 1],
    ['{\n"a": }', 2],
    ['{"a": nul}', 1],
    ['{} {}', 1],
    ['{"a": 1]', 1],
    ['', 1],
    [`${'['.repeat(501)}`, 1],
  ])('refuses %j with its line', (text, line) => {
    const broken = () => read(text, () => 'build', 3);
    expect(broken).toThrow(JsonStreamError);
    try {
      broken();
    } catch (error) {
      expect((error as JsonStreamError).line).toBe(line);
    }
  });
});
