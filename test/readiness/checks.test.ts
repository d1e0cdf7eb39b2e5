/** Every check has files with which it does not pass, and files with which it does, and says what it was judged from. */
import { describe, expect, test } from 'vitest';
import { CHECKS, type Finding, judge } from '../../packages/chandler/src/readiness/index.ts';
import type { Example } from './examples/example.ts';
import { CLUSTER_EXAMPLES, EXAMPLES } from './examples/index.ts';
import { inputsWith } from './live-account.ts';

test('every check has an example that fails and one that passes, and every example has a check', () => {
  expect(Object.keys(EXAMPLES).sort()).toEqual(CHECKS.map(({ id }) => id).sort());
});

const CASES = [EXAMPLES, CLUSTER_EXAMPLES].flatMap((table) =>
  CHECKS.flatMap((check) => (table[check.id] === undefined ? [] : [{ check, ...table[check.id]! }])),
);

describe.each(CASES)('$check.id $check.title', ({ check, fails, passes }) => {
  const findings = async ({ files, live }: Example) =>
    judge(await inputsWith(files, live), [check], { strict: false }).findings;

  test('does not pass with wrong files', async () => {
    const [worst] = await findings(fails);
    expect({ status: worst?.status, sources: sourcesOf(worst) }).toEqual({
      status: fails.status,
      sources: fails.sources,
    });
  });

  test('passes with right files', async () => {
    const found = await findings(passes);
    expect(
      found.filter(({ status }) => status === 'fail' || status === 'warn' || status === 'error'),
    ).toEqual([]);
    const passed = found.find(({ status }) => status === 'pass');
    expect(sourcesOf(passed)).toEqual(passes.sources);
  });

  test('is skipped without inputs, and names those that would help', async () => {
    const [only] = await findings({ files: {}, sources: [] });
    expect(only).toMatchObject({ id: check.id, status: 'skip' });
    expect(only?.needs.length).toBeGreaterThan(0);
  });

  test('has words for people: sentences, and a link', () => {
    expect(check.fix).toMatch(/[.]$/);
    expect(check.criterion).toMatch(/[.]$/);
    expect(check.docs).toMatch(/^https:\/\//);
  });
});

function sourcesOf(finding: Finding | undefined): readonly string[] {
  return (finding?.evidence ?? []).map(({ at }) => ('call' in at ? at.call : `${at.file}:${at.line}`));
}
