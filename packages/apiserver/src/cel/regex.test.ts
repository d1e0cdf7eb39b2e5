import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linearPattern } from './linear-match.ts';
import { translated } from './re2.ts';
import { RegexError, re2 } from './regex.ts';

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
    expect(linearPattern(translated(pattern))?.find(text, 0) !== undefined).toBe(matches);
  });

  it('finds every match when asked for all', () => {
    expect(re2('[0-9]+').findAll('a1b22')).toEqual(['1', '22']);
    expect(re2('[0-9]+').findAll('a1b22', 1)).toEqual(['1']);
    expect(re2('a*').findAll('baac')).toEqual(['', 'aa', '']);
    expect(re2('').findAll('😀')).toEqual(['', '']);
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
    [
      `${'('.repeat(1001)}${')'.repeat(1001)}`,
      `expression nests too deeply: \`${'('.repeat(1001)}${')'.repeat(1001)}\``,
    ],
    ['(((a{1000}){1000}){1000})', 'expression too large: `(((a{1000}){1000}){1000})`'],
    ['[[:foo:]]', 'invalid character class range: `[:foo:]`'],
  ])('%s', (pattern, why) => {
    expect(() => re2(pattern)).toThrow(new RegexError('').message + why);
    expect(() => re2(pattern)).toThrow(RegexError);
  });
});

describe('no pattern takes for ever', () => {
  const long = 'a'.repeat(100_000);

  it.each([
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

  it('and what is walked matches what JavaScript would match', () => {
    const atom = fc.constantFrom('a', 'b', '[ab]', '.', '(?:a|b)', '(a|ab)', '\\b', '^', '$', '(?i:A)');
    const count = fc.constantFrom('', '', '*', '+', '?', '*?', '+?', '{2}', '{1,2}', '{0,2}?', '{2,}');
    const piece = fc.tuple(atom, count).map(([what, times]) => (/^[\^$\\]/.test(what) ? what : what + times));
    const branch = fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join(''));
    // Repeating what can be empty is where the two differ.
    const nested = fc
      .tuple(branch, count, branch)
      .map(([inner, times, rest]) => `(?:.${inner})${times}${rest}`);
    const pattern = fc
      .array(fc.oneof(branch, nested), { minLength: 1, maxLength: 3 })
      .map((all) => all.join('|'));
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'A', ' ', '\n', '😀'), maxLength: 8 });
    fc.assert(
      fc.property(pattern, text, (source, input) => {
        const native = new RegExp(translated(source), 'u').exec(input);
        const walked = linearPattern(translated(source))?.find(input, 0);
        expect(walked && input.slice(walked.start, walked.end)).toBe(native?.[0]);
        expect(walked?.start).toBe(native?.index);
      }),
      { numRuns: 2000 },
    );
  });
});
