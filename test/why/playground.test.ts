/** Some cases of the corpus that run the whole thing; `npm run test:why` runs them all. */
import { describe, expect, test } from 'vitest';
import { corpus } from './corpus.ts';
import { everyCode } from './every-code.ts';
import { runPlayground } from './playground-case.ts';

const CHOSEN = [
  'run-well-byok.yaml',
  'run-L2.1-options.yaml',
  'run-L2.2-provider.yaml',
  'run-L3.2-vm-object.yaml',
  'run-L3.3-request.yaml',
  'run-L3.4-policy.yaml',
  'run-L4.2-reader-missing.yaml',
  'run-L5.4-token.yaml',
  'run-subnet-full.yaml',
  'run-cse-oras.yaml',
];

/** Of the exit codes; the others are run by `npm run test:why`. */
const CODES = ['code-65', 'code-212'];

describe('why, after the whole thing has run', () => {
  const cases = [
    ...corpus().filter(({ file }) => CHOSEN.includes(file)),
    ...everyCode().filter(({ file }) => CODES.includes(file)),
  ];
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
    expect(cases).toHaveLength(CHOSEN.length + CODES.length);
  });
});
