import { expect, test } from 'vitest';
import { SurgeRefusalList } from './surge-refusals.ts';

const HOUR_MS = 60 * 60_000;

function refusals() {
  const clock = { now: () => nowMs };
  let nowMs = 0;
  const list = new SurgeRefusalList(clock);
  const hoursLeft = (uid = 'a') => {
    const refusal = list.all().get(uid);
    return refusal === undefined ? 0 : Math.max(0, (refusal.untilMs - nowMs) / HOUR_MS);
  };
  const wait = (hours: number) => {
    nowMs += hours * HOUR_MS;
  };
  return { list, hoursLeft, wait };
}

test('a workload that was restarted in vain is left alone twice as long each time, at most a day', () => {
  const { list, hoursLeft, wait } = refusals();
  const pauses = [1, 2, 3, 4, 5, 6].map(() => {
    list.restartedInVain('a', 'late');
    const pause = hoursLeft();
    wait(pause + 0.5);
    return pause;
  });
  expect([pauses, hoursLeft()]).toEqual([[1, 2, 4, 8, 16, 24], 0]);
});

test('a success, or a day without a failure, ends the series', () => {
  const { list, hoursLeft, wait } = refusals();
  list.restartedInVain('a', 'late');
  list.restartedInVain('b', 'late');
  wait(1);
  list.succeeded('a');
  list.restartedInVain('a', 'late');
  expect([hoursLeft('a'), hoursLeft('b')]).toEqual([1, 0]);
  wait(26);
  expect(list.all().size).toBe(0);
  list.restartedInVain('b', 'late');
  expect(hoursLeft('b')).toBe(1);
});

test('several commands with the same workload fail at the same time: one restart counts once', () => {
  const { list, hoursLeft, wait } = refusals();
  for (const why of ['late', 'late', 'late']) list.restartedInVain('a', why);
  expect(hoursLeft()).toBe(1);
  list.succeeded('a');
  expect(hoursLeft()).toBe(1);
  wait(1);
  list.restartedInVain('a', 'late');
  list.notRestarted('a', 'forbidden');
  expect(hoursLeft()).toBe(2);
});

test('a workload that could not be restarted is tried again after an hour, however often', () => {
  const { list, hoursLeft } = refusals();
  list.notRestarted('a', 'forbidden');
  list.notRestarted('a', 'forbidden');
  expect(hoursLeft()).toBe(1);
});
