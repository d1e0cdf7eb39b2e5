import { describe, expect, test } from 'vitest';
import { RegexError, re2 } from './regex.ts';

describe('a pattern means what it means to Go', () => {
  test.each([
    ['(?i)foo|bar', 'BAR', true],
    ['a(?i)b', 'aB', true],
    ['a(?i)b', 'AB', false],
    ['(?:a(?i)b)c', 'aBC', false],
    ['^[[:alpha:]]+[^[:digit:]]$', 'abc!', true],
    ['^\\pL+$', 'größe', true],
    ['^\\p{Greek}$', 'λ', true],
    ['.', '\r', true],
    ['.', '\n', false],
    ['(?s).', '\n', true],
    ['^\\s$', '\v', false],
    ['\\Aab\\z', 'ab', true],
    ['(?m)^b$', 'a\nb\nc', true],
    ['^[]a]+$', ']a', true],
    ['^x{$', 'x{', true],
    ['^\\-\\_\\:\\/$', '-_:/', true],
    ['^\\x41\\x{1F600}$', 'A😀', true],
    ['^(?P<word>a)$', 'a', true],
    ['^\\Q.*\\E$', '.*', true],
    ['^.$', '😀', true],
  ])('%s on %j: %s', (pattern, text, matches) => {
    expect(re2(pattern).test(text)).toBe(matches);
  });

  test('finds every match when asked for all', () => {
    expect(re2('[0-9]+').findAll('a1b22')).toEqual(['1', '22']);
    expect(re2('[0-9]+').findAll('a1b22', 1)).toEqual(['1']);
    expect(re2('a*').findAll('baac')).toEqual(['', 'aa', '']);
    expect(re2('').findAll('😀')).toEqual(['', '']);
  });
});

describe('what Go rejects is rejected', () => {
  test.each([
    ['(?=x)', 'invalid or unsupported Perl syntax: `(?=`'],
    ['a**', 'invalid nested repetition operator: `**`'],
    ['*a', 'missing argument to repetition operator: `*`'],
    ['a{2,1}', 'invalid repeat count: `{2,1}`'],
    ['(a', 'missing closing ): `(a`'],
    ['a)', 'unexpected ): `a)`'],
    ['[a', 'missing closing ]: `[a`'],
    ['\\1', 'invalid escape sequence: `\\1`'],
    [
      `${'('.repeat(1001)}${')'.repeat(1001)}`,
      `expression nests too deeply: \`${'('.repeat(1001)}${')'.repeat(1001)}\``,
    ],
    ['(((a{1000}){1000}){1000})', 'invalid repeat count: `{1000}`'],
    ['(?<=x)', 'invalid named capture: `(?<=x)`'],
    ['(?!x)', 'invalid or unsupported Perl syntax: `(?!`'],
    ['a\\', 'trailing backslash at end of expression: ``'],
    ['[[:foo:]]', 'invalid character class range: `[:foo:]`'],
  ])('%s', (pattern, why) => {
    expect(() => re2(pattern)).toThrow(new RegexError(`error parsing regexp: ${why}`));
  });
});

describe('matching takes time linear in the text', () => {
  const long = 'a'.repeat(100_000);

  test.each([
    ['^(a+)+$', `${long}!`, false],
    ['^(a|a)*$', `${long}!`, false],
    ['^(a|aa)+$', long, true],
    ['^(.*)*x$', long, false],
    ['a*a*a*a*a*b', long, false],
    ['.*x', long, false],
    [`^${'a?'.repeat(30)}${'a'.repeat(30)}$`, 'a'.repeat(30), true],
    ['^(([a-z])+.)+[A-Z]([a-z])+$', long, false],
    ['(?m)^(\\w+\\s?)+$', `${long}\n!`, true],
  ])('%s', (pattern, text, matches) => {
    expect(re2(pattern).test(text)).toBe(matches);
  });
});
