import { expect, test } from 'vitest';
import type { ClaimRow } from '../../wire.ts';
import { axisTicks, barsOf, usualEndMs } from './claim-steps.ts';

const stage = (name: string, startMs: number, endMs: number | null, outcome = 'ok') => ({
  stage: name,
  text: name,
  startMs,
  endMs,
  outcome,
  detail: '',
});
const claim = (...stages: ClaimRow['stages']): ClaimRow => ({
  name: 'c',
  pool: 'general',
  type: null,
  node: null,
  outcome: 'under-way',
  createdMs: 0,
  stages,
  cause: null,
});

test('stages of the program are the steps that people know, in their order', () => {
  const bars = barsOf(
    claim(
      stage('options', 0, 100),
      stage('offering', 100, 300),
      stage('networkInterface', 300, 900),
      stage('vmOperation', 900, 2000),
      stage('vmObject', 2000, 2500),
      stage('registered', 2500, null, 'waiting'),
    ),
    9000,
  );
  expect(bars.map(({ step, startMs, endMs, state }) => [step, startMs, endMs, state])).toEqual([
    ['plan', 0, 300, 'done'],
    ['network', 300, 900, 'done'],
    ['vm', 900, 2500, 'done'],
    ['registered', 2500, 9000, 'open'],
  ]);
  expect(barsOf(claim(stage('vmOperation', 0, 5, 'failed')), 9)).toMatchObject([{ state: 'failed' }]);
  expect(barsOf(claim(stage('toString', 0, 5)), 9)).toMatchObject([{ step: 'plan' }]);
});

test('the median of a stage is that of its NodePool, or of all', () => {
  const medians = { '*': { registered: 50 }, general: { registered: 40 } };
  const answer = { atMs: 0, claims: [], medians };
  expect(usualEndMs(answer, claim(), 'registered')).toBe(40_000);
  expect(usualEndMs(answer, { ...claim(), pool: 'other' }, 'registered')).toBe(50_000);
  expect(usualEndMs(answer, claim(), 'toString')).toBeNull();
});

test('an axis has a few round ticks', () => {
  expect(axisTicks(5000, 6)).toEqual([0, 1000, 2000, 3000, 4000, 5000]);
  expect(axisTicks(70_000, 6)).toEqual([0, 15_000, 30_000, 45_000, 60_000]);
  expect(axisTicks(20_000_000, 6).length).toBeLessThan(40);
});
