/** The lower bound on the price against plans for random clusters, with all features that the engine knows. */
import { expect, test } from 'vitest';
import { Planner, priceBound, solve } from '../../packages/chandler/src/scheduling/index.ts';
import { randomCluster } from './random-cluster.ts';

const CLUSTERS = 150;

test('no plan for a random cluster costs less than the bound for the pods that it places', async () => {
  let above = 0;
  for (let seed = 1; seed <= CLUSTERS; seed++) {
    const { input } = randomCluster(seed);
    const { pricePerHour, refusals } = solve(input);
    const { perHour } = await priceBound(input, { except: refusals.flatMap(({ pods }) => pods) });
    expect(perHour, `seed ${seed}`).toBeLessThanOrEqual(pricePerHour + 1e-9);
    if (perHour > 0) above++;
  }
  expect(above).toBeGreaterThan(CLUSTERS / 4);
});

test('a planner gives the same bound from what it has read for its plans', async () => {
  const planner = new Planner();
  let above = 0;
  for (let seed = 1; seed <= CLUSTERS / 3; seed++) {
    const { input } = randomCluster(seed);
    const except = planner.plan(input).refusals.flatMap(({ pods }) => pods);
    const { perHour, ...others } = await planner.priceBound(input, { except });
    const { perHour: alone, ...rest } = await priceBound(input, { except });
    expect(perHour, `seed ${seed}`).toBeCloseTo(alone, 9);
    expect(others, `seed ${seed}`).toEqual(rest);
    if (perHour > 0) above++;
  }
  expect(above).toBeGreaterThan(CLUSTERS / 12);
});
