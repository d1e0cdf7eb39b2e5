import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { NodeClaim } from '../api/index.ts';
import type { Pod } from '../scheduling/index.ts';
import { aPod } from '../scheduling/testing.ts';
import {
  bySavings,
  disruptionCost,
  evictionCost,
  isEmptyCost,
  lifetimeRemaining,
  rescheduleCost,
} from './costs.ts';

const DELETION = 'controller.kubernetes.io/pod-deletion-cost';
const DISRUPTION = 'karpenter.sh/disruption-cost';

function costing(annotations: Record<string, string>, priority?: number, owner?: string): Pod {
  const pod = aPod('web', { ...(priority === undefined ? {} : { priority }), ...(owner ? { owner } : {}) });
  return { ...pod, metadata: { ...pod.metadata, annotations } };
}

describe('the eviction cost of a pod', () => {
  test.each([
    ['without annotations is 1', {}, undefined, 1],
    ['rises with its deletion cost', { [DELETION]: `${2 ** 27}` }, undefined, 2],
    ['falls with a negative one', { [DELETION]: `${-(2 ** 27)}` }, undefined, 0],
    ['reads a sign', { [DELETION]: `+${2 ** 27}` }, undefined, 2],
    ['prefers the disruption cost', { [DELETION]: '2147483647', [DISRUPTION]: `${2 ** 27}` }, undefined, 2],
    [
      'does not fall back from an invalid disruption cost',
      { [DELETION]: `${2 ** 27}`, [DISRUPTION]: 'much' },
      undefined,
      1,
    ],
    ['ignores a fraction', { [DELETION]: '134217728.5' }, undefined, 1],
    ['ignores a number beyond int32', { [DELETION]: '2147483648' }, undefined, 1],
    ['accepts the smallest int32', { [DISRUPTION]: '-2147483648' }, undefined, -10],
    ['ignores spaces', { [DELETION]: ' 1' }, undefined, 1],
    ['rises with its priority', {}, 2 ** 25, 2],
    ['is at most 10', {}, 2_000_000_000, 10],
    ['is at least -10', {}, -2_000_000_000, -10],
  ])('%s', (_, annotations: Record<string, string>, priority, expected) => {
    expect(evictionCost(costing(annotations, priority))).toBe(expected);
  });

  test('leaves out pod-deletion-cost where the controller writes it', () => {
    const options = { podDeletionCostManagement: true };
    expect(evictionCost(costing({ [DELETION]: `${2 ** 27}` }), options)).toBe(1);
    expect(evictionCost(costing({ [DISRUPTION]: `${2 ** 27}` }), options)).toBe(2);
  });
});

describe('the cost of a node', () => {
  test('is 1 without pods that move: DaemonSet pods and finished pods do not', () => {
    const done = { ...aPod('job'), status: { phase: 'Succeeded' } };
    const cost = rescheduleCost([costing({}, undefined, 'DaemonSet'), done]);
    expect([cost, isEmptyCost(cost)]).toEqual([1, true]);
  });

  test('is 1 with pods that cost nothing, so the node counts as empty', () => {
    const cost = rescheduleCost([costing({ [DISRUPTION]: '-2147483648' })]);
    expect([cost, isEmptyCost(cost)]).toEqual([1, true]);
  });

  test('counts a terminating pod of a StatefulSet, which comes back, and no other terminating pod', () => {
    const terminating = (owner: string) => {
      const pod = costing({}, undefined, owner);
      return { ...pod, metadata: { ...pod.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
    };
    expect(rescheduleCost([terminating('StatefulSet'), terminating('ReplicaSet')])).toBe(2);
  });

  test('is never below 1, and no pod makes it smaller', () => {
    const pods = fc.array(
      fc.record({
        cost: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
        priority: fc.integer({ min: -(10 ** 9), max: 10 ** 9 }),
      }),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(pods, (shapes) => {
        const list = shapes.map(({ cost, priority }) => costing({ [DISRUPTION]: `${cost}` }, priority));
        for (let length = 0; length < list.length; length++)
          expect(rescheduleCost(list.slice(0, length + 1))).toBeGreaterThanOrEqual(
            rescheduleCost(list.slice(0, length)),
          );
        expect(rescheduleCost(list)).toBeGreaterThanOrEqual(1);
      }),
    );
  });

  test('of a claim near its end is small, and may be negative', () => {
    const born = Date.parse('2026-01-01T00:00:00Z');
    const claim = (expireAfter: string) =>
      ({ metadata: { creationTimestamp: '2026-01-01T00:00:00Z' }, spec: { expireAfter } }) as NodeClaim;
    expect(lifetimeRemaining(claim('Never'), born + 10 ** 12)).toBe(1);
    expect(lifetimeRemaining(claim('10h'), born)).toBe(1);
    expect(lifetimeRemaining(claim('10h'), born + 9 * 3_600_000)).toBeCloseTo(0.1);
    expect(lifetimeRemaining(claim('10h'), born + 11 * 3_600_000)).toBe(0);
    const pods = [costing({}), costing({ [DISRUPTION]: '-2147483648' })];
    expect(disruptionCost(pods, claim('10h'), born + 5 * 3_600_000)).toBeCloseTo(-4.5);
  });
});

test('nodes are ordered by price saved per disruption, then by disruption, then by name, whatever their order', () => {
  const nodes = [
    { name: 'd', price: 2, cost: 2 },
    { name: 'c', price: 1, cost: 1 },
    { name: 'b', price: 1, cost: 1 },
    { name: 'a', price: 6, cost: 2 },
    { name: 'e', price: 0, cost: 1 },
  ];
  fc.assert(
    fc.property(fc.shuffledSubarray(nodes, { minLength: nodes.length }), (shuffled) => {
      expect(shuffled.sort(bySavings).map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd', 'e']);
    }),
  );
});
