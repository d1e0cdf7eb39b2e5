import { describe, expect, it } from 'vitest';
import { RegexError, re2, re2Global } from './re2.ts';

describe('a pattern means what it means to Go', () => {
  it.each([
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

  it('finds every match when asked for all', () => {
    expect([...'a1b22'.matchAll(re2Global('[0-9]+'))].map(([match]) => match)).toEqual(['1', '22']);
  });
});

describe('what Go refuses is refused', () => {
  it.each([
    ['(?=x)', 'invalid or unsupported Perl syntax: `(?=`'],
    ['a**', 'invalid nested repetition operator: `**`'],
    ['*a', 'missing argument to repetition operator: `*`'],
    ['a{2,1}', 'invalid repeat count: `{2,1}`'],
    ['(a', 'missing closing ): `(a`'],
    ['a)', 'unexpected ): `a)`'],
    ['[a', 'missing closing ]: `[a`'],
    ['\\1', 'invalid escape sequence: `\\1`'],
    ['[[:foo:]]', 'invalid character class range: `[:foo:]`'],
  ])('%s', (pattern, why) => {
    expect(() => re2(pattern)).toThrow(new RegexError('').message + why);
    expect(() => re2(pattern)).toThrow(RegexError);
  });
});
