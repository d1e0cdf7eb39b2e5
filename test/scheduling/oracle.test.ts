/**
 * Two thousand random clusters, every plan judged by an independent checker and by the playground's scheduler. The seed
 * of a failure is printed: `node test/scheduling/deep.ts --seed <n>` shows it made small. `CHANDLER_SEED` moves the
 * window, so that every day can look at others.
 */
import { expect, test } from 'vitest';
import { tryClusters } from './trial.ts';

const CLUSTERS = 2_000;
const PARTS = 10;
const first = Number(process.env['CHANDLER_SEED'] ?? 0);

for (let part = 0; part < PARTS; part += 1) {
  const from = first + (part * CLUSTERS) / PARTS;
  const to = from + CLUSTERS / PARTS;
  test(`plans for the random clusters ${from} to ${to - 1} are right wherever their pods land`, () => {
    expect(tryClusters(from, to)).toEqual([]);
  });
}
