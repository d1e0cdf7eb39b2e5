import { virtualWorld } from '@chandler/kube/testing';
import { expect, test } from 'vitest';
import { InFlight } from './in-flight.ts';

test('a polled item counts once, until it is over', () => {
  const inFlight = new InFlight(virtualWorld().clock);
  for (const key of ['a', 'b', 'a']) inFlight.asked(key);
  expect(inFlight.size).toBe(2);
  inFlight.over('a');
  expect([inFlight.size, inFlight.has('a'), inFlight.has('b')]).toEqual([1, false, true]);
});

test('an item that is no longer polled is dropped; others are kept', async () => {
  const { clock } = virtualWorld();
  const inFlight = new InFlight(clock);
  for (const key of ['a', 'b']) inFlight.asked(key);
  await clock.advance(10 * 60_000);
  inFlight.asked('a');
  await clock.advance(10 * 60_000);
  expect([inFlight.size, inFlight.has('a')]).toEqual([1, true]);
});
