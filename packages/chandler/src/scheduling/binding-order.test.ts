/** Pods without rules that two spreads of other pods count: kube-scheduler must be able to bind all pods in some order. */
import { describe, expect, test } from 'vitest';
import { aPool, aType, CAPACITY, oneOf, type PodShape, pods, spreadOver, ZONE } from './cluster.fixture.ts';
import type { Plan } from './plan.ts';
import { solve } from './solve.ts';

const types = [aType('t', { cpu: 4 })];

function spreads(...parts: PodShape[]): PodShape {
  return {
    labels: { app: 'web' },
    topologySpreadConstraints: parts.flatMap(
      ({ topologySpreadConstraints }) => topologySpreadConstraints ?? [],
    ),
  };
}

function valuesOf(plan: Plan, pod: string, key: string): string[] {
  return plan.claims
    .filter((claim) => claim.pods.some((name) => name.startsWith(`shop/${pod}`)))
    .map(({ requirements }) => requirements.find((one) => one.key === key)?.values?.join() ?? '');
}

const RACK_POOLS = ['r1', 'r2', 'r3'].map((rack) =>
  aPool(`in-${rack}`, { types, requirements: [oneOf('rack', rack)] as never }),
);

const ZONE_AND_RACK = spreads(spreadOver(ZONE, 'web'), spreadOver('rack', 'web', { maxSkew: 2 }));

describe('pods that two spreads of others count', () => {
  test('have a decided zone where the one spread relies on them and the other expects them last', () => {
    const plain = pods(7, 'plain', { cpu: '1', labels: { app: 'web' }, nodeSelector: { rack: 'r1' } });
    const web = pods(8, 'web', {
      ...ZONE_AND_RACK,
      cpu: '900m',
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: 'rack', operator: 'Exists' }] }],
          },
        },
      },
    });
    const plan = solve({ pools: RACK_POOLS, pods: [...plain, ...web] });
    expect(plan.counts.refused).toBe(0);
    for (const zone of valuesOf(plan, 'plain', ZONE)) expect(zone).toMatch(/^zone-.$/);
  });

  test('keep their zone open where nobody relies on them', () => {
    const web = pods(2, 'web', { ...ZONE_AND_RACK, cpu: '900m' });
    const plain = pods(2, 'plain', { cpu: '3500m', labels: { app: 'web' } });
    const plan = solve({ pools: RACK_POOLS, pods: [...plain, ...web] });
    expect(plan.counts.refused).toBe(0);
    expect(valuesOf(plan, 'plain', ZONE).some((zone) => !/^zone-.$/.test(zone))).toBe(true);
  });

  test.each([3, 100, 400])('do not keep %i others from being placed in the only domain', (count) => {
    const pools = [aPool('p', { types, requirements: [oneOf(CAPACITY, 'on-demand')] as never })];
    const both = spreads(spreadOver(ZONE, 'web'), spreadOver(CAPACITY, 'web'));
    const web = pods(count, 'web', { ...both, cpu: '500m' });
    const plain = pods(count, 'plain', { cpu: '1', labels: { app: 'web' } });
    const plan = solve({ pools, pods: [...plain, ...web] });
    expect(plan.counts.refused).toBe(0);
  });

  test('stay open where the others can be bound before them', () => {
    const both = spreads(spreadOver(ZONE, 'web'), spreadOver(CAPACITY, 'web'));
    const web = pods(60, 'web', { ...both, cpu: '1' });
    const plain = pods(300, 'plain', { cpu: '500m', labels: { app: 'web' } });
    const plan = solve({ pools: [aPool('p', { types })], pods: [...web, ...plain] });
    expect(plan.counts.refused).toBe(0);
    expect(valuesOf(plan, 'plain', ZONE).filter((zone) => !/^zone-.$/.test(zone)).length).toBeGreaterThan(30);
  });

  test.each([12, 120])('do not keep others from the only zone with their resource: %i of them', (count) => {
    const gpu = aType('g', { cpu: 4, zones: ['zone-a'], price: 1, capacity: { 'nvidia.com/gpu': '4' } });
    const pools = [aPool('p', { types: [...types, gpu] })];
    const web = pods(4, 'web', {
      ...spreads(spreadOver(ZONE, 'web', { maxSkew: 4 }), spreadOver(CAPACITY, 'web', { maxSkew: 2 })),
      requests: { cpu: '900m', 'nvidia.com/gpu': '1' },
    });
    const plain = pods(count, 'plain', { cpu: '3500m', labels: { app: 'web' } });
    const batch = pods(6, 'batch', {
      cpu: '200m',
      labels: { app: 'web' },
      nodeSelector: { [ZONE]: 'zone-a', [CAPACITY]: 'spot' },
    });
    const plan = solve({ pools, pods: [...plain, ...web, ...batch], options: { improveEffort: 0 } });
    expect(plan.counts.refused).toBe(0);
  });
});
