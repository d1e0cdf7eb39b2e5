import { describe, expect, test } from 'vitest';
import { aPod, aPool, aType, awayFrom, HOST, pods, spreadOver, TYPE, ZONE } from './cluster.fixture.ts';
import { compiling } from './engine/compiled.ts';
import { Kept } from './engine/kept.ts';
import { otherOrders } from './engine/other-orders.ts';
import type { SchedulingInput } from './model.ts';
import { NO_PODS } from './shapes/named-pods.ts';
import { Planner, solve } from './solve.ts';
import { finish } from './steps.ts';

const OFF = { improveEffort: 0 };
const medium = aType('medium', { cpu: 4, price: 0.2 });

/** Pods that may run anywhere come first by size, and fill the only node that the others may use. */
const contested: SchedulingInput = {
  pools: [
    aPool('first', { types: [medium], limits: { nodes: '1' }, labels: { team: 'a' }, weight: 10 }),
    aPool('second', { types: [medium], limits: { nodes: '1' } }),
  ],
  pods: [
    ...pods(4, 'anywhere', { cpu: '900m' }),
    ...pods(4, 'bound', { cpu: '800m', nodeSelector: { team: 'a' } }),
  ],
};

describe('placing a small batch in other orders', () => {
  test('places pods that the first order leaves no room for', () => {
    expect(solve({ ...contested, options: OFF }).counts.refused).toBe(4);
    expect(solve(contested).counts).toMatchObject({ placed: 8, refused: 0 });
  });

  test('keeps the preferences of all pods where another order places as many', () => {
    const soft = spreadOver(ZONE, 'web', { whenUnsatisfiable: 'ScheduleAnyway' });
    const { claims, counts } = solve({
      pools: [
        aPool('p', { types: [aType('m', { cpu: 4, capacityTypes: ['on-demand'] })], limits: { cpu: '12' } }),
      ],
      pods: [
        ...pods(4, 'web', { cpu: '900m', ...soft }),
        aPod('alone', { cpu: '500m', labels: { app: 'alone' }, ...awayFrom(HOST, 'web') }),
      ],
    });
    expect(counts.placed).toBe(5);
    const zones = claims.map(({ requirements }) => requirements.find(({ key }) => key === ZONE)?.values?.[0]);
    expect(new Set(zones.filter((zone) => zone !== undefined)).size).toBe(2);
  });

  test('gives the same plan for the same input, from a new planner and from one in use', () => {
    const planner = new Planner();
    planner.plan({ pools: contested.pools, pods: pods(3, 'other', { cpu: '300m' }) });
    expect(planner.plan(contested)).toEqual(solve(contested));
  });

  test('does not give up a large pod for small ones, nor for a lower price', () => {
    const pools = [aPool('p', { limits: { nodes: '2' } })];
    const apart = { labels: { app: 'db' }, ...awayFrom(HOST, 'db') };
    const list = [aPod('big', { cpu: '14' }), ...pods(4, 'db', { cpu: '1', ...apart })];
    const plan = solve({ pools, pods: list });
    expect(plan.claims.flatMap((claim) => claim.pods)).toContain('shop/big');
    expect(plan.counts.placed).toBe(3);
  });

  test('opens a claim where one more pod would leave only a far larger type', () => {
    const types = [aType('small', { cpu: 2, price: 0.1 }), aType('huge', { cpu: 64, price: 6 })];
    const list = [
      ...pods(3, 'web', { cpu: '1500m', labels: { app: 'web' }, ...awayFrom(HOST, 'web') }),
      ...pods(2, 'job', { cpu: '700m' }),
    ];
    // With minValues the claims are not filled again in another way.
    const requirements = [{ key: TYPE, operator: 'Exists' as const, minValues: 1 }];
    const input = { pools: [aPool('p', { types, requirements })], pods: list };
    expect(solve({ ...input, options: OFF }).pricePerHour).toBeGreaterThan(6 * 0.4);
    const plan = solve(input);
    expect(plan.claims.map(({ cheapest }) => cheapest.instanceType)).toEqual([
      'small',
      'small',
      'small',
      'small',
    ]);
  });

  test('places the pods with the highest priority first in every order', () => {
    const list = [aPod('low', { cpu: '3' }), ...pods(3, 'high', { cpu: '100m' })].map((pod, index) => ({
      ...pod,
      spec: { ...pod.spec, priority: index === 0 ? 0 : 10 },
    }));
    const ordersOf = (priorityOrder: boolean) => {
      const compiled = finish(
        compiling({ pools: contested.pools, pods: list, options: { priorityOrder } }, new Kept()),
      );
      return [...otherOrders(compiled, compiled.queue.with(NO_PODS), 8)];
    };
    const orders = ordersOf(true);
    expect(orders).toHaveLength(8);
    for (const order of orders) expect(order.at(-1)!.key).toBe('shop/low');
    expect(ordersOf(false).some((order) => order[0]!.key === 'shop/low')).toBe(true);
  });
});
