import fc from 'fast-check';
import { parse, type TomlTable, type TomlValue } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { sampleConfig } from '../config/config.fixture.ts';
import { extraConfig } from './config-toml.ts';
import { layOver, renderToml } from './render-toml.ts';

describe("the operator's TOML", () => {
  test.each([
    ['a = 1\nb = ', 2, 'invalid value'],
    ['a = 1\na = 2', 2, 'trying to redefine an already defined table or value'],
    ['[t]\n[t]', 2, 'trying to redefine an already defined table or value'],
    ['a = 1 password = "x"', 1, 'each key-value declaration must be followed by an end-of-line'],
  ])('an error is reported with its line, without the text itself: %j', (text, line, why) => {
    const error = caught(() => extraConfig(sampleConfig({ containerd: { extraConfig: text } })));
    expect(error).toMatchObject({
      message: `containerd.extraConfig is not TOML: line ${line}: ${why}`,
      facts: { line },
    });
  });

  test('a key named __proto__ is a key', () => {
    const over = parse('[__proto__]\npolluted = 1');
    expect(renderToml(layOver({ a: 1 }, over))).toBe('a = 1\n\n[__proto__]\n  polluted = 1\n');
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });
});

describe('writing TOML', () => {
  test.each(['valueOf', 'constructor', 'toString'])('a table named %s is a table', (name) => {
    const table = { [name]: { a: 1 } };
    expect(parse(renderToml(table))).toEqual(table);
    expect(layOver({ b: 1 }, table)).toEqual({ b: 1, ...table });
  });

  test('what is written is what is read back', () => {
    const value = fc.letrec<{ value: TomlValue; table: TomlTable }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.string(),
        fc.integer(),
        fc.constantFrom(0.5, Number.POSITIVE_INFINITY, Number.NaN),
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
        expect(parse(renderToml(table))).toEqual(table);
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
