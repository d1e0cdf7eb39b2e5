import { describe, expect, test } from 'vitest';
import type { InstanceType } from '../scheduling/index.ts';
import { finish } from '../scheduling/index.ts';
import { aType, pods } from '../scheduling/testing.ts';
import { approvedText, BalancedScores, isApproved, scoreOf } from './balanced.ts';
import { judgeNodes } from './candidates.ts';
import { aCluster, aDisruptedPool, aManagedNode, NOW, type PoolShape } from './disruption.fixture.ts';
import { planDisruption } from './disruption-plan.ts';
import type { DisruptionNode, DisruptionOptions } from './model.ts';
import { PriceBook } from './price-book.ts';
import { rejectionEvent } from './rejection.ts';

function plan(nodes: readonly DisruptionNode[], pool: PoolShape, options: DisruptionOptions = {}) {
  return planDisruption(aCluster(nodes, { pools: [aDisruptedPool('default', pool)] }), options, NOW);
}

function rejection(result: ReturnType<typeof plan>) {
  return result.nodes[0]!.keeps.flatMap((keep) => ('rejection' in keep ? [keep.rejection] : []))[0];
}

describe('a spot node', () => {
  /** t01 … of two cores, each a little more expensive; the node has the most expensive. */
  const offered = (count: number): InstanceType[] =>
    Array.from({ length: count }, (_, at) =>
      aType(`t${String(at + 1).padStart(2, '0')}`, { cpu: 2, price: 0.1 + at / 1000 }),
    );
  const node = (type: string) =>
    aManagedNode('a', { type, cpu: 2, capacityType: 'spot', pods: pods(1, 'web', { cpu: '1' }) });

  test('is not replaced by another one unless the gate is enabled', () => {
    const found = rejection(plan([node('t20')], { types: offered(20) }));
    expect(found).toEqual({ code: 'SpotToSpotDisabled' });
    expect(rejectionEvent(found!, 'single-node')?.message).toBe(
      "SpotToSpotConsolidation is disabled, can't replace a spot node with a spot node",
    );
  });

  test('is replaced if 15 types are cheaper, and may then become one of the 15 cheapest', () => {
    const { commands } = plan([node('t20')], { types: offered(20) }, { spotToSpot: true });
    expect(commands[0]!.replacements[0]!.instanceTypes).toEqual(offered(15).map(({ name }) => name));
  });

  test('stays with 14 cheaper types', () => {
    const found = rejection(plan([node('t15')], { types: offered(20) }, { spotToSpot: true }));
    expect(found).toEqual({ code: 'SpotToSpotTypes', required: 15, found: 14 });
    expect(rejectionEvent(found!, 'single-node')?.message).toBe(
      'SpotToSpotConsolidation requires 15 cheaper instance type options than the current candidate to consolidate, got 14',
    );
  });

  test('keeps more than 15 types where minValues needs them', () => {
    const requirements = [
      { key: 'node.kubernetes.io/instance-type', operator: 'Exists' as const, minValues: 18 },
    ];
    const { commands } = plan([node('t20')], { types: offered(20), requirements }, { spotToSpot: true });
    expect(commands[0]!.replacements[0]!.instanceTypes).toHaveLength(18);
  });

  test('keeps 15 types where the types do not list the capacity types that minValues counts', () => {
    const types = offered(20).map((type) => ({
      ...type,
      requirements: type.requirements.filter(({ key }) => key !== 'karpenter.sh/capacity-type'),
    }));
    const key = 'karpenter.sh/capacity-type';
    const requirements = [{ key, operator: 'In' as const, values: ['spot', 'on-demand'], minValues: 1 }];
    const { commands } = plan([node('t20')], { types, requirements }, { spotToSpot: true });
    expect(commands[0]!.replacements[0]!.instanceTypes).toHaveLength(15);
  });

  test('several are replaced by one without the rule of 15', () => {
    const types = [aType('small', { cpu: 2, price: 0.1 }), aType('large', { cpu: 8, price: 0.2 })];
    const spot = (name: string) =>
      aManagedNode(name, { type: 'small', cpu: 2, capacityType: 'spot', pods: pods(2, name, { cpu: '1' }) });
    const nodes = ['a', 'b', 'c'].map(spot);
    const [command] = plan(nodes, { types }, { spotToSpot: true }).commands;
    expect(command).toMatchObject({ method: 'multi-node', podsMoved: 6 });
    expect(command!.replacements.map(({ instanceTypes }) => instanceTypes)).toEqual([['large']]);
  });

  test('may be replaced by on-demand where spot is not offered', () => {
    const types = [
      aType('old', { cpu: 2, price: 1 }),
      aType('new', { cpu: 2, price: 0.1, capacityTypes: ['on-demand'] }),
    ];
    const requirements = [
      { key: 'node.kubernetes.io/instance-type', operator: 'In' as const, values: ['new'] },
    ];
    const [command] = plan([node('old')], { types, requirements }).commands;
    expect(command!.replacements[0]!.cheapest).toMatchObject({
      instanceType: 'new',
      capacityType: 'on-demand',
    });
  });
});

test('a replacement that must be spot cannot have two capacity types, as minValues asks for', () => {
  const key = 'karpenter.sh/capacity-type';
  const requirements = [{ key, operator: 'In' as const, values: ['spot', 'on-demand'], minValues: 2 }];
  const node = aManagedNode('a', { type: 'l', pods: pods(1, 'web', { cpu: '1' }) });
  const result = plan([node], { requirements });
  expect(result.commands).toEqual([]);
  expect(rejection(result)).toEqual({ code: 'MinValues', labels: [key] });
});

test('a replacement needs as many cheaper types as minValues asks for', () => {
  const types = [
    aType('s', { cpu: 2, price: 0.1, capacityTypes: ['on-demand'] }),
    aType('m', { cpu: 4, price: 0.2, capacityTypes: ['on-demand'] }),
    aType('l', { cpu: 16, price: 0.8, capacityTypes: ['on-demand'] }),
  ];
  const wanting = (minValues: number) => [
    { key: 'node.kubernetes.io/instance-type', operator: 'Exists' as const, minValues },
  ];
  const node = aManagedNode('a', { type: 'l', pods: pods(1, 'web', { cpu: '1' }) });
  expect(plan([node], { types, requirements: wanting(2) }).commands).toHaveLength(1);
  const found = rejection(plan([node], { types, requirements: wanting(3) }));
  expect(found).toEqual({ code: 'MinValues', labels: ['node.kubernetes.io/instance-type'] });
  expect(rejectionEvent(found!, 'single-node')?.message).toMatch(
    /^Filtering by price: minValues requirement is not met/,
  );
});

describe('the policy Balanced', () => {
  test('rejects a move that saves a smaller share than it disrupts', () => {
    // A replacement for $0.12 saves a fifth of the pool's price and disrupts half of the pool.
    const types = (price: number) => [
      aType('s', { cpu: 2, price, capacityTypes: ['on-demand'] }),
      aType('m', { cpu: 4, price: 0.2, capacityTypes: ['on-demand'] }),
    ];
    const nodes = [
      aManagedNode('a', { pods: pods(2, 'a', { cpu: '500m' }) }),
      aManagedNode('full', {
        pods: pods(2, 'full', { cpu: '2' }),
        annotations: { 'karpenter.sh/do-not-disrupt': 'true' },
      }),
    ];
    expect(plan(nodes, { types: types(0.12) }).commands).toHaveLength(1);
    const result = plan(nodes, { types: types(0.12), policy: 'Balanced' });
    expect(result.commands).toEqual([]);
    const found = rejection(result);
    expect(found).toMatchObject({ code: 'Score', threshold: 0.5, disruptionPercent: 50 });
    expect(found?.code === 'Score' && found.score).toBeCloseTo(0.4);
    expect(plan(nodes, { types: types(0.1), policy: 'Balanced' }).commands).toHaveLength(1);
  });

  test('shares the savings of several pools by the price of their nodes, and each Balanced pool must approve', () => {
    const pools = ['a', 'b', 'c'].map((name) =>
      aDisruptedPool(name, { policy: name === 'c' ? 'WhenEmptyOrUnderutilized' : 'Balanced' }),
    );
    const input = aCluster(
      [
        aManagedNode('a1', { pool: 'a', type: 'l', pods: pods(1, 'a1') }),
        aManagedNode('b1', { pool: 'b', type: 'm', pods: pods(3, 'b1') }),
        aManagedNode('b2', { pool: 'b', type: 'l', pods: [] }),
        aManagedNode('c1', { pool: 'c', type: 'm', pods: pods(9, 'c1') }),
      ],
      { pools },
    );
    const nodes = finish(judgeNodes(input, new PriceBook(pools, input.scheduling), {}, NOW));
    const scores = new BalancedScores(nodes);
    const chosen = nodes.filter(({ name }) => name !== 'b2');
    // $0.60 of $1.20: two thirds are a's, a sixth b's.
    expect(scores.scores(chosen, 0.6)).toEqual([
      { nodePool: 'a', savingsFraction: expect.closeTo(0.5), disruptionFraction: 1 },
      { nodePool: 'b', savingsFraction: expect.closeTo(0.1), disruptionFraction: 0.8 },
    ]);
    expect(scores.rejects(chosen, 0.6)).toMatchObject({ code: 'Score', nodePool: 'b' });
  });

  test('does not simulate where even a deletion would score too low', () => {
    const cheap = [
      aType('s', { cpu: 2, price: 0.01, capacityTypes: ['on-demand'] }),
      aType('l', { cpu: 16, price: 1, capacityTypes: ['on-demand'] }),
    ];
    const nodes = [
      aManagedNode('a', { type: 's', pods: pods(8, 'a', { cpu: '100m' }) }),
      aManagedNode('big', { type: 'l', pods: pods(1, 'big', { cpu: '14' }) }),
    ];
    expect(plan(nodes, { types: cheap }).commands).toHaveLength(1);
    const result = plan(nodes, { types: cheap, policy: 'Balanced' });
    expect(result.commands).toEqual([]);
    expect(rejection(result)).toMatchObject({ code: 'Score', nodePool: 'default', threshold: 0.5 });
  });

  test.each([
    [0.1, 0.2, 0.5, true],
    [0.1, 0.21, 0.1 / 0.21, false],
    [0, 0.1, 0, false],
    [-0.1, 0.1, 0, false],
    [0.1, 0, Number.POSITIVE_INFINITY, true],
  ])(
    'savings %d for disruption %d score %d: approved %s',
    (savingsFraction, disruptionFraction, score, approved) => {
      const given = { nodePool: 'default', savingsFraction, disruptionFraction };
      expect([scoreOf(given), isApproved(given)]).toEqual([score, approved]);
    },
  );

  test('the event of an approval has the numbers', () => {
    expect(approvedText({ nodePool: 'default', savingsFraction: 0.25, disruptionFraction: 0.1 })).toBe(
      'score 2.50 >= threshold 0.50 (k: 2, savings 25.0%, disruption 10.0%)',
    );
  });
});
