import { describe, expect, test } from 'vitest';
import { OWNERS } from './modules.table.ts';
import { codeOnly, isTest, sourceFiles } from './sources.ts';

/** What only the owners may touch: it makes a run depend on the machine, the hour or chance. */
const FORBIDDEN: Readonly<Record<string, RegExp>> = {
  clock:
    /\bDate\s*\.\s*now\b|\bnew\s+Date\s*(?:\(\s*\)|(?![\w(]))|(?<!\bnew\s+)\bDate\s*\(\s*\)|\bperformance\s*\.\s*now\b|\bhrtime\b/,
  chance: /\bMath\s*\.\s*random\b|\brandomUUID\b|\brandomBytes\b|\brandomInt\b|\bgetRandomValues\b/,
  timers: /\b(?:setTimeout|setInterval|setImmediate)\b|\bAbortSignal\s*\.\s*timeout\b/,
  network: /(?<![.\w#])fetch\s*\(|\bglobalThis\s*\.\s*fetch\b/,
  locale: /\blocaleCompare\b|\bIntl\b|\btoLocale\w+\b/,
  environment: /\bprocess\s*\.\s*env\b/,
  output: /\bconsole\b/,
};

/** Module names are inside strings, which `codeOnly` blanks, so they are looked for in the text. */
const FORBIDDEN_MODULES: Readonly<Record<string, RegExp>> = {
  timers: /from\s*['"](?:node:)?timers(?:\/promises)?['"]/,
};

describe('what comes from outside comes through the World', () => {
  const files = sourceFiles('packages').filter((file) => !isTest(file.path));

  for (const kind of Object.keys(FORBIDDEN)) {
    test(`only its owners touch the ${kind}`, () => {
      const offenders = files
        .filter((file) => !OWNERS[file.path]?.includes(kind))
        .flatMap((file) => offences(file.text, kind).map((line) => `${file.path}:${line}`));
      expect(offenders).toEqual([]);
    });
  }
});

describe('the check itself', () => {
  test.each([
    ['clock', 'const t = Date.now();'],
    ['clock', 'const t = new Date();'],
    ['clock', 'const t = new Date;'],
    ['clock', 'performance.now()'],
    ['chance', 'Math.random()'],
    ['chance', 'crypto.randomUUID()'],
    ['timers', 'setTimeout(f, 1)'],
    ['timers', 'setImmediate(f)'],
    ['timers', 'AbortSignal.timeout(5)'],
    ['timers', `import { setTimeout as s } from 'node:timers/promises';`],
    ['network', 'await fetch(url)'],
    ['locale', 'a.localeCompare(b)'],
    ['locale', 'new Intl.Collator()'],
    ['environment', 'process.env.HOME'],
    ['output', 'console.log(1)'],
  ])('%s is found in: %s', (kind, text) => {
    expect(offences(text, kind)).toEqual([1]);
  });

  test.each([
    ['clock', 'new Date(ms).toISOString()'],
    ['clock', '// Date.now() is not for us'],
    ['clock', `const s = 'Date.now';`],
    ['network', 'world.fetch(url)'],
    ['timers', 'clock.after(5, f)'],
  ])('%s is not found in: %s', (kind, text) => {
    expect(offences(text, kind)).toEqual([]);
  });
});

function offences(text: string, kind: string): number[] {
  const code = codeOnly(text).split('\n');
  const lines = text.split('\n');
  return lines.flatMap((line, index) =>
    FORBIDDEN[kind]!.test(code[index]!) || FORBIDDEN_MODULES[kind]?.test(line) ? [index + 1] : [],
  );
}
