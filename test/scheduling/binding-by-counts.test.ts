/** Plans in which pods without spreads are counted by two spreads of others: no false alarm, and no order that does not exist. */
import { describe, expect, test } from 'vitest';
import { solve } from '../../packages/chandler/src/scheduling/index.ts';
import { aCluster, aPool, aType, podsLike } from './builders.ts';
import { checkPlan, finalNodes } from './check-plan.ts';
import { replay } from './replay.ts';

const SIZES = [1, 2, 4, 8, 16, 32].map((cores) =>
  aType({
    name: `t${cores}`,
    cpu: cores * 2,
    memory: `${cores * 8}Gi`,
    capacities: ['on-demand', 'spot'],
  }),
);

/** Services with a spread over zones and one over capacity types, beside plain pods with the same label. */
function services(count: number) {
  return Array.from({ length: count }, (_, at) => [
    ...podsLike(30, {
      name: `web${at}`,
      labels: { app: `s${at}` },
      cpu: '1500m',
      spread: [`1 zone app=s${at}`, `1 capacity app=s${at}`],
    }),
    ...podsLike(10, { name: `plain${at}`, labels: { app: `s${at}` }, cpu: '1500m' }),
  ]).flat();
}

describe('services with two spreads beside plain pods that both count', () => {
  test.each([
    [2, undefined, 4],
    [4, undefined, 8],
    [8, 552, 16],
  ])('%i services under a limit of %s CPUs are all placed, for $%s an hour', (count, cpu, price) => {
    const limits = cpu === undefined ? {} : { limits: { cpu } };
    const input = aCluster({ pools: [aPool({ types: SIZES, ...limits })], pods: services(count) });
    const plan = solve(input);
    expect(plan.counts.refused).toBe(0);
    expect(plan.pricePerHour).toBeCloseTo(price, 6);
    expect(checkPlan(input, plan)).toEqual([]);
  });
});

describe('a node whose zone was open when others were placed, and is decided later', () => {
  const types = [aType({ name: 't2', cpu: 2, memory: '8Gi', capacities: ['on-demand', 'spot'] })];

  test.each([
    [4, 6, 4],
    [5, 8, 5],
    [5, 8, 6],
  ])('%i, %i and %i pods can be bound in some order', (jobs, web, cron) => {
    const labels = { app: 'web' };
    const pods = [
      ...podsLike(jobs, { name: 'job', labels, cpu: '1500m', nodeSelector: { capacity: 'on-demand' } }),
      ...podsLike(web, {
        name: 'web',
        labels,
        cpu: '900m',
        spread: ['1 zone app=web', '3 capacity app=web'],
      }),
      ...podsLike(cron, {
        name: 'cron',
        labels,
        cpu: '300m',
        nodeSelector: { capacity: 'on-demand', zone: 'zone-2' },
      }),
    ];
    const input = aCluster({ pools: [aPool({ types })], pods });
    const plan = solve(input);
    expect(plan.counts.refused).toBe(0);
    expect(checkPlan(input, plan)).toEqual([]);
    expect(replay(input, finalNodes(input, plan))).toEqual([]);
  });
});
