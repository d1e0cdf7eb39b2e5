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
});
