import { expect, test } from 'vitest';
import { ServerClock } from './server-clock.ts';

test('the time of the cluster goes on at its speed, whatever the clock of the browser shows', () => {
  const clock = new ServerClock();
  expect(clock.nowMs(5_000)).toBe(5_000);
  clock.set({ nowMs: 1_000_000, speed: 1 }, 5_000);
  expect(clock.nowMs(8_000)).toBe(1_003_000);
  clock.set({ nowMs: 1_003_500, speed: 20 }, 8_000);
  expect(clock.nowMs(9_000)).toBe(1_023_500);
});

test('a time that the server says later holds, also if it is earlier than expected', () => {
  const clock = new ServerClock();
  clock.set({ nowMs: 1_000_000, speed: 20 }, 0);
  expect(clock.nowMs(10_000)).toBe(1_200_000);
  clock.set({ nowMs: 1_100_000, speed: 1 }, 10_000);
  expect(clock.nowMs(11_000)).toBe(1_101_000);
});

test('a connection was lost when the last message came, by the clock of the cluster', () => {
  const clock = new ServerClock();
  expect(clock.lastHeardMs(5_000)).toBe(5_000);
  clock.set({ nowMs: 1_000_000, speed: 60 }, 5_000);
  clock.heard(6_000);
  // Noticed 40 seconds later, in which 40 minutes of the cluster passed.
  expect(clock.lastHeardMs(46_000)).toBe(1_060_000);
});
