import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemClock, systemRandom } from './system-world.ts';

const DAY_MS = 86_400_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a timer of thirty days fires after thirty days, not at once', () => {
  const task = vi.fn();
  systemClock.after(30 * DAY_MS, task);
  vi.advanceTimersByTime(29 * DAY_MS);
  expect(task).not.toHaveBeenCalled();
  vi.advanceTimersByTime(DAY_MS);
  expect(task).toHaveBeenCalledOnce();
});

test('a cancelled timer never fires', () => {
  const task = vi.fn();
  const timer = systemClock.after(30 * DAY_MS, task);
  vi.advanceTimersByTime(26 * DAY_MS);
  timer.cancel();
  vi.advanceTimersByTime(10 * DAY_MS);
  expect(task).not.toHaveBeenCalled();
});

test('a sleep ends after its duration, or with the reason of the signal', async () => {
  const slept = systemClock.sleep(1000);
  vi.advanceTimersByTime(1000);
  await slept;
  const stop = new AbortController();
  const cut = systemClock.sleep(1000, stop.signal);
  stop.abort(new Error('enough'));
  await expect(cut).rejects.toThrow('enough');
  await expect(systemClock.sleep(1, stop.signal)).rejects.toThrow('enough');
});

test('the system world has a clock and random numbers', () => {
  expect(systemRandom.uuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab]/);
  expect(systemRandom.next()).toBeLessThan(1);
  expect(systemClock.now()).toBeGreaterThan(0);
});
