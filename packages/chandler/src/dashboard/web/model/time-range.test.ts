import { expect, test } from 'vitest';
import type { Happened } from '../../wire.ts';
import { bucketsOf, fitted, moved, pricesIn, ticksIn, zoomed } from './time-range.ts';

const HOUR = 3_600_000;
const RANGE = { fromMs: 10 * HOUR, toMs: 16 * HOUR };

test('zooming keeps the moment where it is, and has limits', () => {
  expect(zoomed(RANGE, 0.5, 13 * HOUR)).toEqual({ fromMs: 11.5 * HOUR, toMs: 14.5 * HOUR });
  expect(zoomed(RANGE, 0.5, 10 * HOUR)).toEqual({ fromMs: 10 * HOUR, toMs: 13 * HOUR });
  const { fromMs, toMs } = zoomed(RANGE, 0, 13 * HOUR);
  expect(toMs - fromMs).toBe(60_000);
  expect(moved(RANGE, -0.5)).toEqual({ fromMs: 7 * HOUR, toMs: 13 * HOUR });
});

test('without a range the shortest usual one is shown that everything is in', () => {
  expect(fitted([100 * HOUR - 60_000], 100 * HOUR).fromMs).toBe(99.75 * HOUR);
  expect(fitted([98 * HOUR, 99 * HOUR], 100 * HOUR).fromMs).toBe(97 * HOUR);
  expect(fitted([2 * HOUR], 100 * HOUR).fromMs).toBe(94 * HOUR);
  expect(fitted([], 100 * HOUR)).toEqual({ fromMs: 99.75 * HOUR, toMs: 100 * HOUR });
});

test('ticks are at round times, and not too many', () => {
  expect(ticksIn(RANGE, 6)).toEqual([10, 11, 12, 13, 14, 15, 16].map((hour) => hour * HOUR));
  expect(ticksIn(RANGE, 3)).toEqual([10, 12, 14, 16].map((hour) => hour * HOUR));
});

test('at the width of a telephone every range has two ticks or more, and no more than have room', () => {
  const minute = 60_000;
  for (let span = minute; span <= 7 * 24 * HOUR; span = Math.round(span * 1.07))
    for (let part = 0; part < 1; part += 0.13) {
      const fromMs = Math.round(100 * 24 * HOUR + part * span);
      const ticks = ticksIn({ fromMs, toMs: fromMs + span }, 3);
      expect(ticks.length, `${span / minute} min from ${fromMs}`).toBeGreaterThanOrEqual(2);
      expect(ticks.length).toBeLessThanOrEqual(5);
    }
});

test('the price that a range begins with is shown, also when its point is a millisecond before the range', () => {
  const points = [
    { atMs: 2 * HOUR, pricePerHour: 1 },
    { atMs: RANGE.fromMs - 1, pricePerHour: 2 },
    { atMs: 12 * HOUR, pricePerHour: 3 },
    { atMs: RANGE.toMs + 1, pricePerHour: 4 },
  ];
  expect(pricesIn(points, RANGE)).toEqual([
    { atMs: RANGE.fromMs, pricePerHour: 2 },
    { atMs: 12 * HOUR, pricePerHour: 3 },
  ]);
  // At rest: nothing changed in the range.
  expect(pricesIn(points.slice(0, 2), RANGE)).toEqual([{ atMs: RANGE.fromMs, pricePerHour: 2 }]);
  expect(pricesIn([{ atMs: RANGE.fromMs, pricePerHour: 5 }], RANGE)).toHaveLength(1);
  expect(pricesIn(points.slice(3), RANGE)).toEqual([]);
});

test('what happened is counted by lane and part; what is outside is not', () => {
  const at = (atMs: number, what: Happened['what'], warning = false): Happened => ({
    atMs,
    what,
    warning,
    subject: 'Node/x',
    reason: 'r',
    text: 't',
  });
  const happened = [
    at(10 * HOUR, 'launch'),
    at(10 * HOUR + 1, 'launch', true),
    at(16 * HOUR, 'launch'),
    at(10 * HOUR, 'failure'),
    at(9 * HOUR, 'launch'),
  ];
  expect(
    bucketsOf(happened, RANGE, 6).map(({ lane, fromMs, count, warnings }) => [
      lane,
      fromMs / HOUR,
      count,
      warnings,
    ]),
  ).toEqual([
    ['launch', 10, 2, 1],
    ['launch', 15, 1, 0],
    ['failure', 10, 1, 0],
  ]);
});
