/** Clusters in which upstream once placed more pods. What it reaches there is the limit. */
import { describe, expect, test } from 'vitest';
import { solve } from '../../packages/chandler/src/scheduling/index.ts';
import { checkPlan, finalNodes, violationLines } from '../scheduling/check-plan.ts';
import { replay } from '../scheduling/replay.ts';
import { randomCluster } from './random-cluster.ts';

interface Case {
  readonly seed: number;
  readonly why: string;
  readonly placed: number;
}

const CASES: readonly Case[] = [
  { seed: 184, why: 'minValues leaves a zone open that spreads of other pods want to know', placed: 4 },
  { seed: 2231, why: 'minValues on the zone, and a spread over racks', placed: 8 },
  { seed: 368, why: 'no node of an alternative term can be in a zone under the limits', placed: 6 },
  { seed: 936, why: 'pods share hosts that have one pod each', placed: 9 },
  { seed: 6357, why: 'pods exclude a zone that their spread counts', placed: 9 },
  { seed: 23169, why: 'an order with larger pods comes before the one with the most', placed: 9 },
  { seed: 27208, why: 'an order with larger pods comes before the one with the most, by far', placed: 21 },
  { seed: 24836, why: 'pods that prefer a zone give way to pods that would be refused', placed: 7 },
  { seed: 26212, why: 'pods that prefer hosts of their own use up a limit', placed: 9 },
  { seed: 7462, why: 'the kinds of pods take turns', placed: 32 },
  { seed: 72166, why: 'one large pod gives way to two', placed: 13 },
  { seed: 73694, why: 'one large pod gives way to many under a limit', placed: 11 },
  { seed: 76847, why: 'a limit is used up in the best domains', placed: 27 },
  { seed: 78934, why: 'a limit allows many small nodes', placed: 10 },
  { seed: 75069, why: 'pods must share hosts that a spread fills one by one', placed: 25 },
  { seed: 75108, why: 'pods must share a host, and the cheapest domain has none for both', placed: 24 },
  { seed: 308831, why: 'pods must share hosts that others fill first', placed: 15 },
  { seed: 98593, why: 'pods on nodes must stay near a pod that others could move away from', placed: 10 },
  { seed: 100767, why: 'pods are needed first by one spread and last by another', placed: 28 },
  { seed: 119036, why: 'the same, where minValues leaves the zone open', placed: 23 },
  { seed: 7918, why: 'pods of one kind are distinguished under a limit', placed: 9 },
];

describe('a plan reaches what upstream reached', () => {
  test.each(CASES)('in seed $seed: $why', ({ seed, placed }) => {
    const { input } = randomCluster(seed);
    const plan = solve(input);
    expect(plan.counts.placed).toBeGreaterThanOrEqual(placed);
    expect(violationLines(checkPlan(input, plan))).toEqual([]);
    expect(replay(input, finalNodes(input, plan))).toEqual([]);
  });
});
