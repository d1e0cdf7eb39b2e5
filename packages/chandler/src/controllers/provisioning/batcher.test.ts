import { VirtualClock } from '@chandler/kube/testing';
import { expect, test } from 'vitest';
import { Batcher } from './batcher.ts';

function aBatcher() {
  const clock = new VirtualClock(0);
  const closedMs: number[] = [];
  const batcher = new Batcher({
    clock,
    idleMs: 1_000,
    maxMs: 10_000,
    onBatch: () => closedMs.push(clock.monotonic()),
  });
  return { clock, batcher, closedMs };
}

test('a batch closes when no new pod arrives for the idle duration', async () => {
  const { clock, batcher, closedMs } = aBatcher();
  batcher.trigger('a');
  await clock.advance(900);
  batcher.trigger('b');
  await clock.advance(5_000);
  expect(closedMs).toEqual([1_900]);
});

test('a batch closes at the latest after the maximum duration', async () => {
  const { clock, batcher, closedMs } = aBatcher();
  for (let pod = 0; pod < 30; pod++) {
    batcher.trigger(`pod-${pod}`);
    await clock.advance(500);
  }
  expect(closedMs[0]).toBe(10_000);
});

test('the same pod twice does not extend the batch', async () => {
  const { clock, batcher, closedMs } = aBatcher();
  batcher.trigger('a');
  await clock.advance(900);
  batcher.trigger('a');
  await clock.advance(5_000);
  expect(closedMs).toEqual([1_000]);
});

test('a stopped batcher closes nothing', async () => {
  const { clock, batcher, closedMs } = aBatcher();
  batcher.trigger('a');
  batcher.stop();
  await clock.advance(20_000);
  expect(closedMs).toEqual([]);
});
