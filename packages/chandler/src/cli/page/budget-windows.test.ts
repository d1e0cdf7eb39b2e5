import { isWindowActive, parseCron, parseDuration } from '@chandler/kube';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { budgetWindows } from './budget-windows.ts';

const NOW_MS = Date.UTC(2026, 5, 10, 12, 2);
const MINUTE_MS = 60_000;

test('a budget that opens more than a hundred times a day is active in its windows, and those nearest to now are drawn', () => {
  const budget = { nodes: '0', schedule: '*/10 * * * *', duration: '5m' };
  const { isActive, windows } = budgetWindows(budget, NOW_MS);
  expect(isActive).toBe(true);
  expect(windows).toHaveLength(100);
  expect(windows).toContainEqual({ fromMs: NOW_MS - 2 * MINUTE_MS, toMs: NOW_MS + 3 * MINUTE_MS });
  expect(budgetWindows(budget, NOW_MS + 4 * MINUTE_MS).isActive).toBe(false);
});

test.each(['8760h', '999999h'])(
  'a budget that opens every minute for %s is one window, and found at once',
  (duration) => {
    const start = process.cpuUsage();
    const { isActive, windows } = budgetWindows({ nodes: '0', schedule: '* * * * *', duration }, NOW_MS);
    const { user } = process.cpuUsage(start);
    const dayMs = 24 * 60 * MINUTE_MS;
    expect([isActive, windows]).toEqual([true, [{ fromMs: NOW_MS - dayMs, toMs: NOW_MS + dayMs }]]);
    expect(user / 1000).toBeLessThan(100);
  },
);

test('the windows are those in which disruption takes the budget for active', () => {
  const minute = fc.oneof(
    fc.constant('*'),
    fc.integer({ min: 2, max: 40 }).map((step) => `*/${step}`),
    fc.integer({ min: 0, max: 59 }).map(String),
  );
  const hour = fc.oneof(fc.constant('*'), fc.integer({ min: 0, max: 23 }).map(String), fc.constant('9-17'));
  const day = fc.constantFrom('* * *', '* * 3', '10 * *', '1 1 *');
  fc.assert(
    fc.property(
      minute,
      hour,
      day,
      fc.integer({ min: 1, max: 4_000 }),
      fc.integer({ min: -600, max: 600 }),
      (at, of, on, minutes, probe) => {
        const [schedule, duration] = [`${at} ${of} ${on}`, `${minutes}m`];
        const { isActive, windows } = budgetWindows({ nodes: '0', schedule, duration }, NOW_MS);
        const open = (ms: number) => windows.some(({ fromMs, toMs }) => fromMs <= ms && ms < toMs);
        const truth = (ms: number) => isWindowActive(parseCron(schedule), parseDuration(duration), ms);
        expect(isActive).toBe(truth(NOW_MS));
        expect(open(NOW_MS)).toBe(isActive);
        // What is cut is not known.
        const probeMs = NOW_MS + probe * MINUTE_MS;
        const isDrawn =
          windows.length < 50 || (windows[0]!.fromMs <= probeMs && probeMs < windows.at(-1)!.toMs);
        if (isDrawn) expect(open(probeMs)).toBe(truth(probeMs));
      },
    ),
  );
});
