/** A part of the fuzzing, in `npm test` a tenth of it; `CSE_FUZZ_COUNT=100000` or `node test/why/cse-fuzz.ts` runs the whole. */
import { withoutSecrets } from '@chandler/kube';
import { expect, test } from 'vitest';
import { parseCseFailure } from '../../packages/chandler/src/bootstrap/index.ts';
import { someOf } from '../part.ts';
import { fuzzCse } from './cse-fuzz.ts';

const COUNT = Number(process.env['CSE_FUZZ_COUNT'] ?? someOf('random messages', 5_000, 500));
const SEED = Number(process.env['CSE_FUZZ_SEED'] ?? 7);

test(`no message of ${COUNT} random ones (seed ${SEED}) throws, is misread, leaks a secret, or is quoted wrongly`, () => {
  const report = fuzzCse(COUNT, SEED);
  expect(report.failures).toEqual([]);
  // Half of them are whole, so a parser that sees nothing does not pass.
  expect(report.right).toBeGreaterThan(COUNT * 0.6);
});

test.each([
  ['backslashes', '\\'.repeat(1_000_000)],
  ['quotes with backslashes', '\\\\\\"'.repeat(200_000)],
  ['the beginning of a status, again and again', '{"ExitCode": "'.repeat(80_000)],
  ['braces', '{'.repeat(1_000_000)],
  ['half a token', 'a.'.repeat(500_000)],
  ['names of secrets', 'token'.repeat(200_000)],
  ['spaces', `"ExitCode"${' '.repeat(1_000_000)}:`],
])('a megabyte of %s does not take for ever', (_, text) => {
  expect(parseCseFailure(text)?.exitCode).toBeUndefined();
  expect(parseCseFailure(`Enable failed\n[stdout]\n${text}\n[stderr]\n${text}`)?.exitCode).toBeUndefined();
  expect(withoutSecrets(text).length).toBeGreaterThan(0);
});
