import { expect, test } from 'vitest';
import { PoolSuspects } from './pool-suspects.ts';

const groups = (...names: string[]) => new Set(names);

test('groups that were rejected together are tried one at a time', () => {
  const suspects = new PoolSuspects();
  expect(suspects.refused('p', groups('a', 'b'))).toBe(false);
  expect([...suspects.waiting(groups('a', 'b')).keys()]).toEqual(['b']);
  expect(suspects.refused('p', groups('a'))).toBe(false);
  expect([...suspects.waiting(groups('a', 'b')).keys()]).toEqual(['a']);
});

test('a group that is rejected alone while the pool gets claims is the cause', () => {
  const suspects = new PoolSuspects();
  suspects.accepted('p', ['good']);
  expect(suspects.refused('p', groups('bad'))).toBe(true);
  expect(suspects.any).toBe(false);
});

test('the third group that is rejected since the last claim shows that the pool is the cause', () => {
  const suspects = new PoolSuspects();
  suspects.accepted('p', ['good']);
  const outcomes = ['one', 'two', 'three'].map((group) => suspects.refused('p', groups(group)));
  expect(outcomes).toEqual([true, true, false]);
});

test('suspects wait for other pods, but not for pods that never use the pool', () => {
  const suspects = new PoolSuspects();
  suspects.refused('p', groups('a'));
  const plans = Array.from({ length: 5 }, () => suspects.waiting(groups('a', 'other')).has('a'));
  expect(plans).toEqual([true, true, true, false, true]);
});

test('a deleted pool is forgotten', () => {
  const suspects = new PoolSuspects();
  suspects.refused('p', groups('a'));
  suspects.retain(groups('q'));
  expect(suspects.any).toBe(false);
});
