/** What a NodePool at its limit lacks for a pod: room for a node that the pod fits on, and not for any node. */
import { describe, expect, test } from 'vitest';
import { aPod, aPool, aType, cluster, oneOf, type PoolShape, TYPES } from './cluster.fixture.ts';
import { podRefusalText } from './refusal-text.ts';
import { solve } from './solve.ts';

function neededBy(pod: Parameters<typeof aPod>[1], shape: PoolShape) {
  const [refusal] = solve(cluster({ pools: [aPool('default', shape)], pods: [aPod('x', pod)] })).refusals;
  return refusal?.pools[0]?.refusal;
}

const cpu = (remaining: string, needed: string) => ({
  code: 'LimitExceeded',
  resource: 'cpu',
  remaining,
  needed,
});

describe('a NodePool at its limit', () => {
  const full = { limits: { cpu: '10' }, used: { cpu: '10' } };

  test('needs its smallest type that the pod fits on, also if the limit excludes all of them', () => {
    expect(neededBy({ cpu: '1' }, full)).toMatchObject(cpu('0', '2'));
    expect(neededBy({ cpu: '3' }, full)).toMatchObject(cpu('0', '4'));
    expect(neededBy({ cpu: '7' }, full)).toMatchObject(cpu('0', '16'));
    expect(neededBy({ cpu: '1', memory: '20Gi' }, full)).toMatchObject(cpu('0', '16'));
  });

  test('needs as much with the limit raised by less than that', () => {
    for (const left of ['1', '2', '5', '15']) {
      const limits = { cpu: `${10 + Number(left)}` };
      expect(neededBy({ cpu: '7' }, { ...full, limits })).toMatchObject(cpu(left, '16'));
    }
    expect(neededBy({ cpu: '7' }, { ...full, limits: { cpu: '26' } })).toBeUndefined();
  });

  test('needs a type that the pod and the NodePool allow', () => {
    const type = 'node.kubernetes.io/instance-type';
    const types = TYPES.map(({ name, ...each }) => ({
      ...each,
      name,
      requirements: [...each.requirements, oneOf(type, name)],
    }));
    const nodeSelector = { [type]: 'medium' };
    expect(neededBy({ cpu: '1', nodeSelector }, { ...full, types })).toMatchObject(cpu('0', '4'));
    const requirements = [{ key: type, operator: 'In' as const, values: ['large'] }];
    expect(neededBy({ cpu: '1' }, { ...full, types, requirements })).toMatchObject(cpu('0', '16'));
  });

  test('needs its smallest type if the pod fits on none, or none is as it requires', () => {
    expect(neededBy({ cpu: '99' }, full)).toMatchObject(cpu('0', '2'));
    const nodeSelector = { 'kubernetes.io/arch': 'arm64' };
    expect(neededBy({ cpu: '7', nodeSelector }, full)).toMatchObject({ code: 'LimitExceeded' });
  });

  test('names the limit that a type for the pod exceeds', () => {
    const types = [aType('small', { cpu: 2, memoryGi: 2 }), aType('large', { cpu: 4, memoryGi: 64 })];
    const shape = { types, limits: { cpu: '10', memory: '33Gi' }, used: { cpu: '9', memory: '1Gi' } };
    expect(neededBy({ cpu: '1' }, shape)).toMatchObject(cpu('1', '2'));
    expect(neededBy({ cpu: '1', memory: '20Gi' }, shape)).toMatchObject(cpu('1', '4'));
  });

  test('says so in the event of the pod', () => {
    const plan = solve(cluster({ pools: [aPool('default', full)], pods: [aPod('x', { cpu: '7' })] }));
    expect(podRefusalText(plan.refusals[0]!)).toBe(
      'incompatible with nodepool "default", all available instance types exceed limits for nodepool (cpu: limit 10, 0 left, 16 needed)',
    );
  });
});
