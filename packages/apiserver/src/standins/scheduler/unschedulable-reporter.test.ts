import { virtualWorld } from '@chandler/kube/testing';
import { expect, test } from 'vitest';
import { UnschedulableReporter } from './unschedulable-reporter.ts';

function aReporter() {
  const { clock } = virtualWorld();
  const reported: string[] = [];
  return {
    clock,
    reported,
    reporter: new UnschedulableReporter(clock, (key, message) => void reported.push(`${key}: ${message}`)),
  };
}

test('the first message is reported at once, later ones at growing intervals, and the last one always', async () => {
  const { clock, reported, reporter } = aReporter();
  for (let nodes = 0; nodes < 100; nodes++) {
    reporter.report('a', `0/${nodes}`);
    await clock.advance(100);
  }
  expect(reported[0]).toBe('a: 0/0');
  expect(reported.length).toBeLessThan(7);
  await clock.advance(20_000);
  expect(reported.at(-1)).toBe('a: 0/99');
  const count = reported.length;
  await clock.advance(60_000);
  expect(reported).toHaveLength(count);
});

test('nothing is reported for a deleted pod', async () => {
  const { clock, reported, reporter } = aReporter();
  reporter.report('a', 'one');
  reporter.report('a', 'two');
  reporter.forget('a');
  await clock.advance(20_000);
  expect(reported).toEqual(['a: one']);
});
