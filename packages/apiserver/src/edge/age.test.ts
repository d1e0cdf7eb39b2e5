import { expect, test } from 'vitest';
import { ageOf, humanDuration } from './age.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

test.each([
  [-5 * SECOND, '<invalid>'],
  [-1500, '0s'],
  [0, '0s'],
  [5 * SECOND, '5s'],
  [119 * SECOND, '119s'],
  [2 * MINUTE, '2m'],
  [3 * MINUTE + 20 * SECOND, '3m20s'],
  [9 * MINUTE + 59 * SECOND, '9m59s'],
  [10 * MINUTE + 30 * SECOND, '10m'],
  [179 * MINUTE, '179m'],
  [3 * HOUR, '3h'],
  [7 * HOUR + 59 * MINUTE, '7h59m'],
  [8 * HOUR + 30 * MINUTE, '8h'],
  [47 * HOUR, '47h'],
  [48 * HOUR, '2d'],
  [2 * DAY + 3 * HOUR, '2d3h'],
  [8 * DAY + 5 * HOUR, '8d'],
  [400 * DAY, '400d'],
  [2 * YEAR, '2y'],
  [2 * YEAR + 40 * DAY, '2y40d'],
  [9 * YEAR + 40 * DAY, '9y'],
])('%i milliseconds read as %s', (durationMs, text) => {
  expect(humanDuration(durationMs)).toBe(text);
});

test('an age is counted from the timestamp, and unknown without one', () => {
  const nowMs = Date.UTC(2026, 0, 1, 0, 0, 45);
  expect(ageOf('2026-01-01T00:00:00Z', nowMs)).toBe('45s');
  expect(ageOf(undefined, nowMs)).toBe('<unknown>');
  expect(ageOf('', nowMs)).toBe('<unknown>');
});
