import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseJson, plainValue } from './json-text.ts';

describe('JSON with line numbers', () => {
  test('whatever JSON.parse reads is read the same', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), fc.boolean(), (text, spread) => {
        const written = spread ? JSON.stringify(JSON.parse(text), null, '\t') : text;
        const reading = parseJson(written);
        // -0 and 0 are the same number to every reader of a config.
        expect(reading.ok && JSON.stringify(plainValue(reading.root))).toBe(
          JSON.stringify(JSON.parse(written)),
        );
      }),
    );
  });

  test('whatever JSON.parse refuses is refused, never thrown', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), fc.string({ maxLength: 2 }), (text, at, extra) => {
        const place = at % (text.length + 1);
        const broken = text.slice(0, place) + extra + text.slice(place + 1);
        expect(parseJson(broken).ok).toBe(reads(broken));
      }),
      { numRuns: 500 },
    );
  });

  test('a value has the number of its line, after all kinds of line ends', () => {
    const reading = parseJson('{\r\n "a": 1,\n\n "b": [\n  true]\n}');
    expect(reading.ok && reading.root.kind === 'object' && reading.root.members).toMatchObject([
      { key: 'a', line: 2 },
      { key: 'b', line: 4, value: { items: [{ line: 5 }] } },
    ]);
  });

  test('a name like __proto__ is a name', () => {
    const reading = parseJson('{"__proto__": {"polluted": 1}}');
    expect(reading.ok && Object.keys(plainValue(reading.root) as object)).toEqual(['__proto__']);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  test.each([
    ['a comma at the end', '{\n"a": 1,\n}', 2, 'a trailing comma before }', 'remove the comma'],
    ['a comment', '{\n// mine\n"a": 1}', 2, 'a comment; JSON has no comments', 'remove the comment'],
    ['single quotes', "{'a': 1}", 1, 'a single quote', 'use double quotes'],
    ['a missing comma', '{"a": 1\n"b": 2}', 2, '""" where a comma or } is expected', undefined],
    [
      'a missing brace',
      '{"a": {\n"b": 2}',
      2,
      'the file ends before the { of line 1 is closed',
      'a } is missing',
    ],
    ['Python words', '{"a": True}', 1, 'True is not a JSON value', 'true'],
    ['bare words', '{"a": westus2}', 1, 'westus2 is not a JSON value', '"westus2" if it is a string'],
    [
      'a bare version',
      '{"a": 1.32.7}',
      1,
      'an invalid character "." in a number',
      'put it in double quotes if it is a string',
    ],
    ['an open string', '{"a": "b\n}', 1, 'an unterminated string', 'a closing double quote is missing'],
    ['a Windows path', '{"a": "C:\\data"}', 1, 'an invalid escape sequence', 'write a backslash as \\\\'],
    ['nothing', '  \n', 2, 'the file is empty', 'an object: { … }'],
    ['typographic quotes', '{“a”: 1}', 1, 'a typographic quote', 'use plain double quotes'],
  ])('%s is named for what it is', (_what, text, line, message, suggestion) => {
    expect(parseJson(text)).toMatchObject({ ok: false, line, message, ...(suggestion && { suggestion }) });
  });

  test('a thousand open brackets are refused and do not end the process', () => {
    expect(parseJson('['.repeat(1000))).toMatchObject({
      ok: false,
      message: 'more than 64 levels of nesting',
    });
  });

  test('a byte order mark in front does not matter', () => {
    expect(parseJson('\uFEFF{}').ok).toBe(true);
  });
});

function reads(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
