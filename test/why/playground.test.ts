/** Some cases of the corpus that run the whole thing; `npm run test:why` runs them all. */
import { describe, expect, test } from 'vitest';
import { corpus } from './corpus.ts';
import { runPlayground } from './playground-case.ts';

const CHOSEN = [
  'run-well-byok.yaml',
  'run-L2.2-provider.yaml',
  'run-L3.4-policy.yaml',
  'run-L4.2-reader-missing.yaml',
  'run-L5.4-token.yaml',
  'run-subnet-full.yaml',
];

describe('why, after the whole thing has run', () => {
  const cases = corpus().filter(({ file }) => CHOSEN.includes(file));
  test.each(
    cases.map((one) => [`${one.point === undefined ? '' : `[000-${one.point}] `}${one.title}`, one] as const),
  )(
    '%s',
    async (_, one) => {
      const { complaint } = await runPlayground(one, one.playground!);
      expect(complaint).toBe('');
    },
    60_000,
  );

  test('all of the chosen ones are there', () => {
    expect(cases).toHaveLength(CHOSEN.length);
  });
});
