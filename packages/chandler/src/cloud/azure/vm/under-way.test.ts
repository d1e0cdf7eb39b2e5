import { virtualWorld } from '@chandler/kube/testing';
import { expect, test } from 'vitest';
import { UnderWay } from './under-way.ts';

test('what is asked about counts once, until it is over', () => {
  const underWay = new UnderWay(virtualWorld().clock);
  for (const key of ['a', 'b', 'a']) underWay.asked(key);
  expect(underWay.size).toBe(2);
  underWay.over('a');
  expect([underWay.size, underWay.has('a'), underWay.has('b')]).toEqual([1, false, true]);
});

test('what nobody asks about any more is forgotten; what somebody does is not', async () => {
  const { clock } = virtualWorld();
  const underWay = new UnderWay(clock);
  for (const key of ['a', 'b']) underWay.asked(key);
  await clock.advance(10 * 60_000);
  underWay.asked('a');
  await clock.advance(10 * 60_000);
  expect([underWay.size, underWay.has('a')]).toEqual([1, true]);
});
