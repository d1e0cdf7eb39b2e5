import { expect, test } from 'vitest';
import { splitTimes } from './timed-text.ts';

const AT = Date.UTC(2026, 10, 18, 18);

test('times in a text are found, and the rest stays', () => {
  expect(splitTimes('frozen until 2026-11-18T18:00:00Z by ops')).toEqual(['frozen until ', AT, ' by ops']);
  expect(splitTimes('2026-11-18T18:00:00.250Z')).toEqual([AT + 250]);
  expect(splitTimes('at 2026-11-18T18:00:00Z and 2026-11-18T18:00:00Z')).toEqual(['at ', AT, ' and ', AT]);
});

test('what is no time stays as it is', () => {
  for (const text of ['', 'no time', '2026-11-18', '2026-99-18T18:00:00Z', 'x2026-11-18T18:00:00Zx'])
    expect(splitTimes(text).join('')).toBe(text);
  expect(splitTimes('2026-99-18T18:00:00Z')).toEqual(['2026-99-18T18:00:00Z']);
});
