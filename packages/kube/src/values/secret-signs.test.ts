/**
 * What a pattern finds has a sign: texts are made from the patterns themselves, also from new ones. Those that find nothing in
 * such a text, because they need a word before or behind it, are tested with the texts of the other tests.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mayHoldSecret } from './secret-signs.ts';
import { searched, withoutSecrets } from './without-secrets.ts';

/** Also patterns of forms that are searched only where a word of them is in the text. */
const TEXT_OF_ALL = 'token pass aPass Some(';
const PATTERNS = patternsOf(() => searched(TEXT_OF_ALL));

describe('a text in which something is hidden has a sign', () => {
  test('all patterns are known', () => {
    expect(PATTERNS.length).toBeGreaterThan(140);
  });

  test.each(PATTERNS.map((pattern) => [pattern.source.slice(0, 100), pattern] as const))(
    '%s',
    (_, pattern) => {
      const texts = fc.stringMatching(withoutAssertions(pattern), { size: 'small' });
      fc.assert(
        fc.property(texts, fc.constantFrom('', 'x ', '- name: "', '{', '\n'), (text, before) => {
          const whole = before + text;
          expect(mayHoldSecret(whole) || searched(whole) === whole).toBe(true);
        }),
        { numRuns: 60, seed: 1 },
      );
    },
  );
});

test.each([
  '{"pem": "MIIEpQIBAAKCAQEA"}',
  '{"pw": "Hunter2Hunter"}',
  '{"sas": "Hunter2Hunter"}',
  'app:Hunter2@tcp(db:3306)/shop',
  'app:Hunter2@udp(db:3306)/shop',
  'app:Hunter2@unix(/run/db.sock)/shop',
])('a sign of its own is in %j', (text) => {
  expect(withoutSecrets(text)).toContain('[redacted]');
});

test.each([
  'The pod has been Pending for 10 min and has no node.',
  'NodePool default: no instance type has room for cpu 64, memory 256Gi',
  'kubectl describe nodeclaim default-x7k2p',
  '0/5000 nodes are available: 12 node(s) had untolerated taint {dedicated: gpu}, 4988 Insufficient cpu.',
  'see https://learn.microsoft.com/azure/aks/limits',
  'a disk-pressure condition of the monkey cluster in zone westeurope-1',
])('no pattern is needed for %j', (text) => {
  expect(mayHoldSecret(text)).toBe(false);
});

// ---------------------------------------------------------------------------------------------------

/** The patterns that a search goes through, in their order. */
function patternsOf(search: () => unknown): RegExp[] {
  const seen = new Set<RegExp>();
  const { exec } = RegExp.prototype;
  const replace = RegExp.prototype[Symbol.replace];
  try {
    RegExp.prototype.exec = function (text) {
      if (this.global) seen.add(this);
      return exec.call(this, text);
    };
    RegExp.prototype[Symbol.replace] = function (this: RegExp, ...given: unknown[]) {
      seen.add(this);
      return (replace as (...all: unknown[]) => string).apply(this, given);
    };
    search();
  } finally {
    RegExp.prototype.exec = exec;
    RegExp.prototype[Symbol.replace] = replace;
  }
  return [...seen];
}

/** What it finds, and more: nothing is asked of what is before, behind, or the same. */
function withoutAssertions({ source }: RegExp): RegExp {
  let rest = '';
  for (let at = 0; at < source.length; ) {
    const skipped = /^(?:\\b|\\k<\w+>|\\[1-9])/.exec(source.slice(at));
    const isAssertion = /^\(\?<?[=!]/.test(source.slice(at));
    if (skipped === null && !isAssertion) {
      const length = source[at] === '\\' ? 2 : 1;
      rest += source.slice(at, at + length);
      at += length;
      continue;
    }
    at = isAssertion ? endOfGroup(source, at) : at + skipped![0].length;
    // An alternative is not empty.
    if (/[(|:]$/.test(rest) && /^[|)]/.test(source.slice(at))) rest += 'x?';
  }
  return new RegExp(rest.replaceAll(/\(\?<\w+>/g, '('));
}

function endOfGroup(source: string, start: number): number {
  let depth = 0;
  let inClass = false;
  for (let at = start; at < source.length; at++) {
    const character = source[at];
    if (character === '\\') at++;
    else if (inClass) inClass = character !== ']';
    else if (character === '[') inClass = true;
    else if (character === '(') depth++;
    else if (character === ')' && --depth === 0) return at + 1;
  }
  throw new Error(`a group is not closed: ${source}`);
}
