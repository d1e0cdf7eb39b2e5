import { expect, test } from 'vitest';
import { minuteText } from './duration-text.ts';

test('a time is shown to the minute', () => {
  expect(minuteText(Date.UTC(2026, 5, 1, 3, 0, 59))).toBe('2026-06-01 03:00 UTC');
});

test.each([
  ['after the year 9999', Date.UTC(22_440, 0, 1), '9999-12-31 23:59 UTC'],
  ['that no calendar has', 2_147_483_647 * 86_400_000, '9999-12-31 23:59 UTC'],
  ['without end', Number.POSITIVE_INFINITY, '9999-12-31 23:59 UTC'],
  ['before 1970', Number.NEGATIVE_INFINITY, '1970-01-01 00:00 UTC'],
])('a time %s is shown as the nearest that can be', (_, ms, text) => {
  expect(minuteText(ms)).toBe(text);
});
