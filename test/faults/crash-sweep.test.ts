import { describe, expect, test } from 'vitest';
import { crashAt } from './crash-sweep.ts';
import { PATIENCE_MS } from './seed-suite.ts';

/** All of them are tried by `node test/faults/sweep.ts`. */
const EVERY = 23;

describe('a process that dies', () => {
  test(
    `at the n-th effect, for every ${EVERY}th n of a story of hundreds, is followed by one that finishes its work`,
    async () => {
      const calm = await crashAt(0);
      expect(calm.violations).toEqual([]);
      expect(calm.effects).toBeGreaterThan(200);
      const wrong: string[] = [];
      for (let effect = 1; effect <= calm.effects; effect += EVERY) {
        const { violations, processes } = await crashAt(effect);
        expect(processes).toBe(2);
        wrong.push(...violations.map(({ check, what }) => `death at ${effect}: ${check}: ${what}`));
      }
      expect(wrong).toEqual([]);
    },
    PATIENCE_MS,
  );

  test(
    'exactly when Azure has accepted its machine, and before the claim says so, leaves one machine and one claim',
    async () => {
      for (const moment of [/^arm PUT .*\/networkInterfaces\//, /^arm PUT .*\/virtualMachines\//]) {
        const { violations, processes } = await crashAt(0, moment);
        expect(processes).toBe(2);
        expect(violations).toEqual([]);
      }
    },
    PATIENCE_MS,
  );
});
