/**
 * One snapshot, many requests: the plan for a cluster without some nodes equals the plan of a new snapshot of
 * that cluster, in any order and repeatedly. And improving the price violates no rule.
 */
import { describe, expect, test } from 'vitest';
import { type Plan, prepare, solve } from '../../packages/chandler/src/scheduling/index.ts';
import { everyNth } from '../part.ts';
import { Chance } from './chance.ts';
import { checkPlan, finalNodes, violationLines } from './check-plan.ts';
import { randomCluster } from './random-cluster.ts';
import { replay } from './replay.ts';
import { evicted, randomRequest, stateOf } from './requests.ts';

const ALL_SEEDS = Array.from({ length: 400 }, (_, at) => 80_000 + at);
const SEEDS = everyNth('clusters', ALL_SEEDS, 8);

/** All but the measure of the work done. */
function answer({ counts: { attempts: _, ...counts }, ...plan }: Plan): object {
  return { ...plan, counts };
}

describe('a snapshot', () => {
  test('plans without some nodes like a new snapshot', () => {
    for (const seed of SEEDS) {
      const { input } = randomCluster(seed);
      const chance = new Chance(seed);
      const snapshot = prepare(input);
      for (let question = 0; question < 3 && (input.nodes ?? []).length > 0; question += 1) {
        const nodes = chance.some(input.nodes!).map(({ name }) => name);
        const request = { nodes, extraPods: evicted(input, nodes) };
        expect(answer(snapshot.solveWithout(request)), `seed ${seed} without ${nodes}`).toEqual(
          answer(solve(stateOf(input, request))),
        );
      }
    }
  });

  test('plans with extra pods like a new snapshot, whichever requests came before', () => {
    for (const seed of SEEDS.slice(0, 60)) {
      const { input } = randomCluster(seed);
      const chance = new Chance(seed);
      const snapshot = prepare(input);
      for (let number = 0; number < 4; number += 1) {
        const request = randomRequest(input, chance, number);
        expect(answer(snapshot.solveWithout(request)), `seed ${seed}, request ${number}`).toEqual(
          answer(solve(stateOf(input, request))),
        );
      }
    }
  });

  test('gives the same plan again after other requests', () => {
    for (const seed of SEEDS) {
      const { input } = randomCluster(seed);
      const snapshot = prepare(input);
      const before = answer(snapshot.solve());
      const nodes = (input.nodes ?? []).map(({ name }) => name);
      snapshot.solveWithout({ nodes, extraPods: evicted(input, nodes) });
      expect(answer(snapshot.solve()), `seed ${seed}`).toEqual(before);
    }
  });
});

describe('improving the price', () => {
  test('violates no rule, drops no pod, costs no more, and keeps several types on spot', () => {
    for (const seed of SEEDS) {
      const { input } = randomCluster(seed);
      const plain = solve(input);
      const better = { ...input, options: { ...input.options, improveEffort: 1000 } };
      const plan = solve(better);
      expect(violationLines(checkPlan(better, plan)), `seed ${seed}`).toEqual([]);
      if (replay(input, finalNodes(input, plain)).length === 0) {
        expect(replay(better, finalNodes(better, plan)), `seed ${seed}`).toEqual([]);
      }
      expect(plan.counts.placed, `seed ${seed}`).toBeGreaterThanOrEqual(plain.counts.placed);
      if (plan.counts.placed === plain.counts.placed) {
        expect(plan.pricePerHour, `seed ${seed}`).toBeLessThanOrEqual(plain.pricePerHour + 1e-9);
        expect(fewestSpotTypes(plan), `seed ${seed}`).toBeGreaterThanOrEqual(
          Math.min(fewestSpotTypes(plain), 15),
        );
      }
      expect(JSON.stringify(solve(better)), `seed ${seed}`).toBe(JSON.stringify(plan));
    }
  });
});

// ---------------------------------------------------------------------------------------------------

/** Of how many types a spot claim can become at least one; all there are when there is no spot claim. */
function fewestSpotTypes({ claims }: Plan): number {
  const spot = claims.filter(({ cheapest }) => cheapest.capacityType === 'spot');
  return Math.min(...spot.map(({ instanceTypes }) => instanceTypes.length), 15);
}
