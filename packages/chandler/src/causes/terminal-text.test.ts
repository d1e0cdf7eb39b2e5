import { describe, expect, test } from 'vitest';
import { CLEAR_LINE, escapeControls, escapeForTerminal, escapeStrings } from './terminal-text.ts';

const HOSTILE: readonly (readonly [string, string])[] = [
  ['OSC 52, which fills the clipboard', '\u001b]52;c;cm0gLXJmIC8=\u0007'],
  ['CSI, which clears the screen', '\u001b[2J\u001b[H'],
  ['CSI as one C1 character', '\u009b2J'],
  ['OSC as one C1 character', '\u009d0;title\u009c'],
  ['a colour that hides text', '\u001b[8mhidden\u001b[0m'],
  ['bidirectional controls', 'a\u202egnp.exe\u202c \u2066x\u2069'],
  ['a carriage return that overwrites the line', 'fine\rbroken'],
  ['backspaces', 'no\u0008\u0008yes'],
];

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for
const ANY_CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

describe.each(HOSTILE)('%s', (_, text) => {
  test('is shown, not obeyed', () => {
    expect(escapeControls(text)).not.toMatch(ANY_CONTROL);
    expect(escapeForTerminal(text, { color: false })).not.toMatch(ANY_CONTROL);
  });

  test('is the same in JSON', () => {
    const json = JSON.stringify({ message: text });
    const printed = escapeForTerminal(json, { color: false });
    expect(printed).not.toMatch(ANY_CONTROL);
    expect(JSON.parse(printed)).toEqual({ message: text });
  });
});

test('text without control characters is printed as it is', () => {
  const text = 'größer than 5 µs,\n\tin two lines 你好 🚀\r\n';
  expect(escapeForTerminal(text, { color: true })).toBe(text);
});

test('our own colours and the progress line are kept, colours only where they are enabled', () => {
  const painted = `${CLEAR_LINE}\u001b[31mbroken\u001b[0m`;
  expect(escapeForTerminal(painted, { color: true })).toBe(painted);
  expect(escapeForTerminal(painted, { color: false })).toBe(`${CLEAR_LINE}\\u001b[31mbroken\\u001b[0m`);
});

test('every string of an object is escaped', () => {
  expect(escapeStrings({ a: ['\u001b[2J'], '\u009b': 1 })).toEqual({ a: ['\\u001b[2J'], '\\u009b': 1 });
});
