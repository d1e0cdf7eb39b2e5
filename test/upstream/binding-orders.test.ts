/** Plans that can be bound only in orders that are hard to find: without such an order the comparison takes them for wrong. */
import { describe, expect, test } from 'vitest';
import { solve } from '../../packages/chandler/src/scheduling/index.ts';
import { checkPlan, finalNodes } from '../scheduling/check-plan.ts';
import { replay } from '../scheduling/replay.ts';
import { randomCluster } from './random-cluster.ts';

describe('the search for a binding order', () => {
  test.each([
    // Two spreads, one of them over pods of the same version only; pods without rules fill up the racks.
    2128,
    // Pods that are counted by a spread, but not bound by it, must come after those of the spread.
    5160,
    // Pods that share hosts are bound last; their spread over zones must count all others.
    2661,
    // Pods that start a group come first; then those of a spread; those that only count for it in the same zone come last.
    509729,
  ])('finds one for the plan of seed %i', (seed) => {
    const { input } = randomCluster(seed);
    const plan = solve(input);
    expect(checkPlan(input, plan)).toEqual([]);
    expect(replay(input, finalNodes(input, plan))).toEqual([]);
  });
});
