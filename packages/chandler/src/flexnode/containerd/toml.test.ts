import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseToml, TomlError, type TomlTable, type TomlValue } from './parse-toml.ts';
import { layOver, renderToml } from './render-toml.ts';

describe('reading TOML', () => {
  test('tables, dotted and quoted keys, texts of all kinds, numbers, lists', () => {
    const text = `
# a comment
version = 3 # and another
root = "/var/lib/\\u0063ontainerd"
literal = 'C:\\path'
flag = true
ratio = 0.5
mask = 0x1F
big = 1_000
list = [
  "a", # one
  'b',
]
a.b.c = 1
inline = { x = 1, y = { z = "q" } }
long = """
two
lines \\
   folded"""
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "pause:3.6"
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/opt/cni/bin"
[[things]]
name = "one"
[[things]]
name = "two"
`;
    expect(parseToml(text)).toEqual({
      version: 3,
      root: '/var/lib/containerd',
      literal: 'C:\\path',
      flag: true,
      ratio: 0.5,
      mask: 31,
      big: 1000,
      list: ['a', 'b'],
      a: { b: { c: 1 } },
      inline: { x: 1, y: { z: 'q' } },
      long: 'two\nlines folded',
      plugins: {
        'io.containerd.grpc.v1.cri': { sandbox_image: 'pause:3.6', cni: { bin_dir: '/opt/cni/bin' } },
      },
      things: [{ name: 'one' }, { name: 'two' }],
    });
  });

  test.each([
    ['a = 1\nb = ', 2, 'value'],
    ['a = 1\na = 2', 2, 'twice'],
    ['[t]\n[t]', 2, 'twice'],
    ['a = 1\n\na.b = 2', 3, 'not a table'],
    ['a = "open\n', 2, 'does not end'],
    ['a = [1, 2', 1, 'does not end'],
    ['a = 1 b = 2', 1, 'same line'],
    ['a = plain', 1, 'quotes'],
    ['a = 2026-01-01', 1, 'dates'],
    ['__proto__.x = 1', 1, 'not used'],
    ['= 1', 1, 'key'],
  ])('a mistake is told with its line: %j', (text, line, message) => {
    const error = caught(() => parseToml(text));
    expect(error).toBeInstanceOf(TomlError);
    expect(error).toMatchObject({ line, message: expect.stringContaining(message) });
  });
});

describe('writing TOML', () => {
  test.each(['valueOf', 'constructor', 'toString'])('a table named %s is a table', (name) => {
    const table = { [name]: { a: 1 } };
    expect(parseToml(renderToml(table))).toEqual(table);
    expect(layOver({ b: 1 }, table)).toEqual({ b: 1, ...table });
  });

  test('what is written is what is read back', () => {
    const value = fc.letrec<{ value: TomlValue; table: TomlTable }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.string(),
        fc.integer(),
        fc.boolean(),
        fc.array(tie('value'), { maxLength: 3 }),
        tie('table'),
      ),
      table: fc.dictionary(
        fc.string({ minLength: 1 }).filter((key) => key !== '__proto__'),
        tie('value'),
        {
          maxKeys: 4,
          noNullPrototype: true,
        },
      ),
    }));
    fc.assert(
      fc.property(value.table, (table) => {
        expect(parseToml(renderToml(table))).toEqual(table);
      }),
      {
        numRuns: 200,
      },
    );
  });

  test('laying over merges tables and replaces the rest', () => {
    const base: TomlTable = { a: { x: 1, list: [1, 2] }, b: 'text' };
    expect(layOver(base, { a: { y: 2, list: [3] }, b: { z: 1 } })).toEqual({
      a: { x: 1, y: 2, list: [3] },
      b: { z: 1 },
    });
  });
});

function caught(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error;
  }
}
