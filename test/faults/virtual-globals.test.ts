import { describe, expect, test } from 'vitest';
import { installGlobals } from './virtual-globals.ts';

describe('while a run has the globals', () => {
  test('time and chance are its own, and a real timer is an offence that is named', () => {
    const timers: (() => void)[] = [];
    const lease = installGlobals({
      now: () => 5_000,
      random: () => 0.25,
      after: (_delayMs, task) => {
        timers.push(task);
        return { cancel: () => undefined };
      },
    });
    try {
      expect([Date.now(), new Date().toISOString(), Math.random()]).toEqual([
        5_000,
        '1970-01-01T00:00:05.000Z',
        0.25,
      ]);
      expect(new Date(7).getTime()).toBe(7);
      expect(new Date() instanceof Date).toBe(true);
      setTimeout(() => undefined, 10);
      expect(timers).toHaveLength(1);
      expect(lease.offences).toHaveLength(1);
      expect(lease.offences[0]).toContain('virtual-globals.test.ts');
    } finally {
      lease.release();
    }
    expect(Date.now()).toBeGreaterThan(5_000);
  });
});
