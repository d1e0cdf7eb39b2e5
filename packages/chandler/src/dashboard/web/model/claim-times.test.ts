import { expect, test } from 'vitest';
import type { ClaimRow } from '../../wire.ts';
import { medianMs, spanMs } from './claim-times.ts';

const stage = { text: 't', outcome: 'ok', detail: '' };
const claim: ClaimRow = {
  name: 'c',
  pool: 'general',
  type: null,
  node: null,
  outcome: 'under-way',
  createdMs: 1000,
  stages: [
    { ...stage, stage: 'a', startMs: 1000, endMs: 3000 },
    { ...stage, stage: 'b', startMs: 3000, endMs: null },
  ],
  cause: null,
};

test('a claim in progress takes until now; the median is that of its NodePool, or of all', () => {
  expect(spanMs(claim, 11_000)).toBe(10_000);
  const answer = { atMs: 0, claims: [], medians: { '*': { a: 1, b: 50 }, general: { a: 2, b: 40 } } };
  expect(medianMs(answer, claim)).toBe(40_000);
  expect(medianMs(answer, { ...claim, pool: 'toString' })).toBe(50_000);
  expect(medianMs({ ...answer, medians: {} }, claim)).toBeNull();
  // Others went on: of this claim only what it has come to is compared.
  const further = { ...answer, medians: { '*': { a: 1, b: 50, c: 400 } } };
  expect(medianMs(further, claim)).toBe(50_000);
});
