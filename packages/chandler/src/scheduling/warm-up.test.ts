import { expect, test } from 'vitest';
import { warmUp } from './warm-up.ts';

test('the plan of a start-up uses the engine: pods of all kinds on several claims, beside nodes that are full', async () => {
  let turns = 0;
  const plan = await warmUp(async () => {
    turns++;
  });
  expect(turns).toBeGreaterThan(1);
  expect(plan.inputErrors).toEqual([]);
  expect(plan.counts).toMatchObject({ pods: 96, placed: 96, refused: 0 });
  expect(plan.claims.length).toBeGreaterThan(3);
});
