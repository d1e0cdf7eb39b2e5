import { describe, expect, test } from 'vitest';
import { PATIENCE_MS } from './seed-suite.ts';
import { runTrial } from './trial.ts';
import { lendGlobals } from './virtual-globals.ts';

const SEED_WITH_DEATHS = 3;

describe('a seed', () => {
  test(
    'gives the same events every time it is played, and another seed others',
    async () => {
      const lines: string[][] = [[], []];
      const first = await runTrial({ seed: SEED_WITH_DEATHS, onLine: (line) => lines[0]!.push(line) });
      const second = await runTrial({ seed: SEED_WITH_DEATHS, onLine: (line) => lines[1]!.push(line) });
      expect(lines[1]).toEqual(lines[0]);
      expect(second.digest).toBe(first.digest);
      expect((await runTrial({ seed: SEED_WITH_DEATHS + 1 })).digest).not.toBe(first.digest);
    },
    PATIENCE_MS,
  );
});

describe('while a run has the globals', () => {
  test('time and chance are its own, and a real timer is an offence that is named', () => {
    const timers: (() => void)[] = [];
    const lease = lendGlobals({
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
      expect(lease.offences[0]).toContain('replay.test.ts');
    } finally {
      lease.release();
    }
    expect(Date.now()).toBeGreaterThan(5_000);
  });
});
