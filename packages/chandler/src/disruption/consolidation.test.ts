import { describe, expect, test } from 'vitest';
import type { InstanceType } from '../scheduling/index.ts';
import { anOffering, aPod, aType, pods } from '../scheduling/testing.ts';
import {
  aCluster,
  aDisruptedPool,
  aManagedNode,
  type ClusterShape,
  NOW,
  type NodeShape,
} from './disruption.fixture.ts';
import { DisruptionPlanner, planDisruption } from './disruption-plan.ts';
import type { DisruptionNode, DisruptionOptions } from './model.ts';
import type { Rejection } from './rejection.ts';

function plan(nodes: readonly DisruptionNode[], shape: ClusterShape = {}, options: DisruptionOptions = {}) {
  return planDisruption(aCluster(nodes, shape), options, NOW);
}

function rejectionOf(result: ReturnType<typeof plan>, node: string): Rejection | undefined {
  const keeps = result.nodes.find(({ name }) => name === node)?.keeps ?? [];
  return keeps.flatMap((keep) => ('rejection' in keep ? [keep.rejection] : []))[0];
}

/** A node with so many pods of one core. */
function loaded(name: string, count: number, shape: NodeShape = {}): DisruptionNode {
  return aManagedNode(name, { pods: pods(count, name, { cpu: '1' }), ...shape });
}

/** Without spot: a spot node would be cheaper than every node here. */
const ON_DEMAND: InstanceType[] = [
  aType('s', { cpu: 2, price: 0.1, capacityTypes: ['on-demand'] }),
  aType('m', { cpu: 4, price: 0.2, capacityTypes: ['on-demand'] }),
  aType('l', { cpu: 16, price: 0.8, capacityTypes: ['on-demand'] }),
];
const POOLS = [aDisruptedPool('default', { types: ON_DEMAND })];

describe('one node', () => {
  test('is deleted when its pods fit on another, and the other stays because it receives them', () => {
    const result = plan([loaded('a', 1), loaded('b', 2)], { pools: POOLS });
    expect(result.commands).toHaveLength(1);
    const [command] = result.commands;
    expect(command).toMatchObject({
      method: 'single-node',
      reason: 'Underutilized',
      decision: 'delete',
      priceBefore: 0.2,
      priceAfter: 0,
      podsMoved: 1,
      destinations: [{ node: 'b', pods: ['shop/a-001'] }],
    });
    expect(rejectionOf(result, 'b')).toEqual({ code: 'Destination', command: command!.key });
    expect(result.priceAfter).toBeCloseTo(0.2);
  });

  test.each([
    { what: 'that costs nothing', price: 0, zone: 'zone-a' },
    { what: 'that costs next to nothing, as in a reservation', price: 0.0084 / 1e7, zone: 'zone-a' },
    { what: 'whose price is not known', price: 0.2, zone: 'zone-q' },
  ])('$what is deleted when its pods fit on another', ({ price, zone }) => {
    const types = [aType('m', { cpu: 4, price, capacityTypes: ['on-demand'] }), ON_DEMAND[2]!];
    const full = loaded('full', 3, { type: 'l', conditions: { Consolidatable: undefined } });
    const { commands } = plan([loaded('a', 1, { zone }), full], {
      pools: [aDisruptedPool('default', { types })],
    });
    expect(commands).toMatchObject([{ decision: 'delete', candidates: [{ name: 'a' }] }]);
  });

  test('is replaced by a cheaper one, and only types below its price are allowed, on spot', () => {
    const result = plan([loaded('a', 1, { type: 'l' })]);
    const [command] = result.commands;
    expect(command).toMatchObject({ decision: 'replace', priceBefore: 0.8 });
    const [replacement] = command!.replacements;
    expect(replacement!.instanceTypes).toEqual(['s', 'm', 'l']);
    expect(replacement!.cheapest).toMatchObject({ instanceType: 's', capacityType: 'spot' });
    expect(replacement!.requirements).toContainEqual({
      key: 'karpenter.sh/capacity-type',
      operator: 'In',
      values: ['spot'],
    });
    expect(command!.savingPerHour).toBeCloseTo(0.8 - 0.04);
  });

  const onDemand = [{ key: 'karpenter.sh/capacity-type', operator: 'In' as const, values: ['on-demand'] }];

  test('is replaced on demand where the pool allows nothing else', () => {
    const pools = [aDisruptedPool('default', { requirements: onDemand })];
    const [command] = plan([loaded('a', 1, { type: 'l' })], { pools }).commands;
    expect(command!.replacements[0]!.instanceTypes).toEqual(['s', 'm']);
    expect(command!.priceAfter).toBeCloseTo(0.1);
  });

  test('stays when nothing is strictly cheaper', () => {
    const pools = [aDisruptedPool('default', { requirements: onDemand })];
    const result = plan([loaded('a', 1, { type: 's' })], { pools });
    expect(result.commands).toEqual([]);
    expect(rejectionOf(result, 'a')).toEqual({ code: 'NotCheaper', price: 0.1, replacementPrice: 0.1 });
  });

  test('of unknown price may be deleted and is never replaced', () => {
    const unknown = { zone: 'zone-x' };
    expect(plan([loaded('a', 1, unknown), loaded('b', 1)]).commands[0]).toMatchObject({ decision: 'delete' });
    expect(rejectionOf(plan([loaded('a', 1, unknown)]), 'a')).toMatchObject({ code: 'NotCheaper', price: 0 });
  });

  test('stays when a pod fits nowhere, and says which and why', () => {
    const stuck = aPod('stuck', { cpu: '1', nodeSelector: { disk: 'nvme' } });
    const result = plan([aManagedNode('a', { pods: [stuck] }), loaded('b', 1)]);
    const rejection = rejectionOf(result, 'a');
    expect(rejection).toMatchObject({ code: 'PodsUnschedulable', pods: [{ pod: 'shop/stuck' }] });
    expect(result.commands.flatMap(({ candidates }) => candidates.map(({ name }) => name))).toEqual(['b']);
  });

  test('is split into several cheaper ones where that is allowed', () => {
    const types: InstanceType[] = [
      aType('s', { cpu: 2, price: 0.1, capacityTypes: ['on-demand'] }),
      aType('l', { cpu: 16, price: 0.8, capacityTypes: ['on-demand'] }),
    ];
    const pools = [aDisruptedPool('default', { types })];
    const node = loaded('big', 4, { type: 'l' });
    const [command] = plan([node], { pools }).commands;
    expect(command!.replacements.map(({ cheapest }) => cheapest.instanceType)).toEqual(['s', 's']);
    expect(command!.priceAfter).toBeCloseTo(0.2);
    const held = plan([node], { pools }, { maxReplacements: 1 });
    expect(held.commands).toEqual([]);
    expect(rejectionOf(held, 'big')).toEqual({ code: 'NotCheaper', price: 0.8, replacementPrice: 0.8 });
  });

  test('is not split for a small saving', () => {
    const types = (price: number): InstanceType[] => [
      aType('s', { cpu: 2, price, capacityTypes: ['on-demand'] }),
      aType('m', { cpu: 4, price: 0.2, capacityTypes: ['on-demand'] }),
    ];
    const planned = (price: number) =>
      plan([loaded('a', 4)], { pools: [aDisruptedPool('default', { types: types(price) })] });
    const result = planned(0.086);
    expect(result.commands).toEqual([]);
    expect(rejectionOf(result, 'a')).toMatchObject({ code: 'SmallSaving', price: 0.2, minimumPercent: 15 });
    expect(planned(0.084).commands).toHaveLength(1);
  });

  test('is not split into nodes that hold its pods only if each pod is placed as planned', () => {
    const types: InstanceType[] = [
      aType('s', { cpu: 3, price: 0.1, capacityTypes: ['on-demand'] }),
      aType('l', { cpu: 16, price: 0.8, capacityTypes: ['on-demand'] }),
    ];
    const pools = [aDisruptedPool('default', { types })];
    const sized = (cpus: readonly number[]) =>
      aManagedNode('big', {
        type: 'l',
        pods: cpus.map((cpu, index) => aPod(`p${index}`, { cpu: String(cpu), owner: 'ReplicaSet' })),
      });
    // 2 + 1 on each is planned; kube-scheduler may place both small ones first, each on the emptier node, or on one.
    const exact = plan([sized([2, 2, 1, 1])], { pools });
    expect(exact.commands).toHaveLength(1);
    const tight = plan([sized([2, 1.5, 1, 1.5])], { pools });
    expect(tight.commands).toEqual([]);
    expect(rejectionOf(tight, 'big')).toEqual({ code: 'NeedsExactPlacement', replacements: 2 });
  });

  test('stays when its pods need more new nodes than are allowed', () => {
    const requirements = [
      { key: 'node.kubernetes.io/instance-type', operator: 'In' as const, values: ['s'] },
    ];
    const pools = [aDisruptedPool('default', { types: ON_DEMAND, requirements })];
    const result = plan([loaded('big', 4, { type: 'l' })], { pools }, { maxReplacements: 1 });
    expect(rejectionOf(result, 'big')).toEqual({ code: 'TooManyReplacements', replacements: 2, maximum: 1 });
  });
});

describe('several nodes', () => {
  test('are not replaced together where it saves more to replace one of them', () => {
    const busy = (name: string, type: string, ...cpus: readonly string[]) =>
      aManagedNode(name, { type, pods: cpus.map((cpu, at) => aPod(`${name}-${at}`, { cpu })) });
    const result = plan([busy('a', 'l', '900m', '1500m'), busy('b', 'm', '900m', '900m')]);
    expect(result.commands).toMatchObject([{ method: 'single-node', candidates: [{ name: 'a' }] }]);
    expect(result.commands[0]!.savingPerHour).toBeCloseTo(0.76, 6);
  });

  const types: InstanceType[] = [
    aType('s', { cpu: 2, price: 0.1, capacityTypes: ['on-demand'] }),
    aType('m', { cpu: 4, price: 0.19, capacityTypes: ['on-demand'] }),
    aType('l', { cpu: 16, price: 0.75, capacityTypes: ['on-demand'] }),
  ];
  const pools = [aDisruptedPool('default', { types })];

  test('are replaced by one', () => {
    const result = plan([loaded('a', 2, { type: 's' }), loaded('b', 2, { type: 's' })], { pools });
    expect(result.commands).toHaveLength(1);
    expect(result.commands[0]).toMatchObject({ method: 'multi-node', decision: 'replace', podsMoved: 4 });
    expect(result.commands[0]!.replacements.map(({ instanceTypes }) => instanceTypes)).toEqual([['m']]);
    expect(result.commands[0]!.savingPerHour).toBeCloseTo(0.01);
  });

  test('whose replacement cannot be launched now wait, and are tried again when it can', () => {
    const untilMs = NOW + 60_000;
    const options = { driftBackoff: new Map([['default', { untilMs, failures: 1 }]]) };
    const input = aCluster([loaded('a', 2, { type: 's' }), loaded('b', 2, { type: 's' })], { pools });
    const planner = new DisruptionPlanner();
    const result = planner.plan(input, options, NOW);
    expect(result.commands).toEqual([]);
    for (const { keeps } of result.nodes)
      expect(keeps).toContainEqual(
        expect.objectContaining({
          method: 'multi-node',
          rejection: expect.objectContaining({ code: 'LaunchesHeld', untilMs }),
        }),
      );
    expect(planner.plan(input, options, untilMs).commands).toHaveLength(1);
  });

  test('are not replaced by a node of a type that one of them has: that one could stay', () => {
    const full = [loaded('a', 4, { type: 'm' }), loaded('b', 1, { type: 's', cpu: 1 })];
    const result = plan(full, { pools: [aDisruptedPool('default', { types: types.slice(0, 2) })] });
    expect(result.commands).toEqual([]);
  });

  test('three are replaced by two', () => {
    const three = ['a', 'b', 'c'].map((name) => loaded(name, 4, { type: 'x', cpu: 4 }));
    const offered = [
      aType('x', { cpu: 4, price: 0.2, capacityTypes: ['on-demand'] }),
      aType('y', { cpu: 6, price: 0.25, capacityTypes: ['on-demand'] }),
    ];
    const given = { pools: [aDisruptedPool('default', { types: offered })] };
    const [command] = plan(three, given).commands;
    expect(command!.candidates).toHaveLength(3);
    expect(command!.replacements.map(({ cheapest }) => cheapest.instanceType)).toEqual(['y', 'y']);
    expect(command!.savingPerHour).toBeCloseTo(0.1);
    expect(plan(three, given, { maxReplacements: 1 }).commands).toEqual([]);
  });

  test('are deleted together when their pods fit on the others', () => {
    const result = plan([
      ...['a', 'b', 'c'].map((name) => loaded(name, 1, { type: 'm' })),
      loaded('big', 8, { type: 'l', annotations: { 'karpenter.sh/do-not-disrupt': 'true' } }),
    ]);
    expect(result.commands).toHaveLength(1);
    expect(result.commands[0]).toMatchObject({ method: 'multi-node', decision: 'delete', podsMoved: 3 });
    expect(result.commands[0]!.savingPerHour).toBeCloseTo(0.6);
  });
});

describe('the budget', () => {
  const five = () => [
    ...['a', 'b', 'c', 'd'].map((name) => loaded(name, 1)),
    loaded('big', 8, { type: 'l', annotations: { 'karpenter.sh/do-not-disrupt': 'true' } }),
  ];

  test('limits how many nodes the commands of a pass take, and the others say so', () => {
    const pools = [aDisruptedPool('default', { budgets: [{ nodes: '3', reasons: ['Underutilized'] }] })];
    const result = plan(five(), { pools });
    expect(result.commands.flatMap(({ candidates }) => candidates.map(({ name }) => name))).toEqual([
      'a',
      'b',
      'c',
    ]);
    expect(rejectionOf(result, 'd')).toMatchObject({ code: 'Budget', allowed: 3, disrupting: 3 });
  });

  test('of another reason does not limit', () => {
    const pools = [aDisruptedPool('default', { budgets: [{ nodes: '0', reasons: ['Drifted'] }] })];
    expect(plan(five(), { pools }).commands[0]!.candidates).toHaveLength(4);
  });

  test('that cannot be read stops its pool and no other', () => {
    const pools = [
      aDisruptedPool('default', { budgets: [{ nodes: '1', schedule: '0 9 * * 7', duration: '1h' }] }),
      aDisruptedPool('other'),
    ];
    const result = plan([...five(), loaded('e', 1, { pool: 'other' })], { pools });
    expect(result.commands.flatMap(({ candidates }) => candidates.map(({ name }) => name))).toEqual(['e']);
    const { keeps } = result.nodes.find(({ name }) => name === 'a')!;
    expect(keeps.map(({ text }) => text).join()).toMatch(/budgets\[0\]\.schedule: "0 9 \* \* 7"/);
  });
});

describe('nodes that get no pods by consolidation', () => {
  test('are those within consolidateAfter', () => {
    const pools = [aDisruptedPool('default', { consolidateAfter: '1h', types: ON_DEMAND })];
    const settling = loaded('b', 1, {
      lastPodEventTime: '2026-06-02T11:30:00Z',
      conditions: { Consolidatable: undefined },
    });
    const result = plan([loaded('a', 1, { type: 's' }), settling], { pools });
    expect(result.commands.flatMap(({ destinations }) => destinations)).toEqual([]);
    const settled = { ...settling, claim: loaded('b', 1).claim! };
    expect(plan([loaded('a', 1, { type: 's' }), settled], { pools }).commands[0]).toMatchObject({
      decision: 'delete',
    });
  });

  test('are those that are not initialized, although pending pods may go there', () => {
    const starting = aManagedNode('new', { more: { initialized: false } });
    const result = plan([loaded('a', 2), starting], { pools: POOLS });
    expect(result.commands.flatMap(({ destinations }) => destinations)).toEqual([]);
    const waiting = plan([loaded('a', 2), starting], {
      pools: POOLS,
      pending: [aPod('waits', { cpu: '3' })],
    });
    const { keeps } = waiting.nodes.find(({ name }) => name === 'new')!;
    expect(keeps.map((keep) => 'block' in keep && keep.block.code)).toContain('Nominated');
  });

  test('and a node that pending pods are planned on is no candidate', () => {
    const result = plan([loaded('a', 1), loaded('b', 1)], { pending: [aPod('waits', { cpu: '3' })] });
    const blocked = result.nodes.flatMap(({ keeps }) =>
      keeps.flatMap((keep) => ('block' in keep ? [keep.block.code] : [])),
    );
    expect(blocked).toEqual(['Nominated']);
  });
});

test('a deletion that makes pending pods cost more than it saves is not done', () => {
  const offered = [aType('m', { cpu: 4, price: 0.2, capacityTypes: ['on-demand'] })];
  const pools = [aDisruptedPool('default', { types: offered })];
  const waits = Array.from({ length: 3 }, (_, at) => aPod(`waits-${at}`, { cpu: '3' }));
  const result = plan([loaded('a', 4), loaded('b', 4)], { pools, pending: waits });
  expect(result.commands).toEqual([]);
  expect(rejectionOf(result, 'a')).toMatchObject({ code: 'NotCheaper' });
});

test('the price of pending pods is compared without --max-preference-cost, as that of replacements', () => {
  const preference = {
    matchExpressions: [{ key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['l'] }],
  };
  const waits = aPod('waits', {
    cpu: '3',
    affinity: {
      nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference }] },
    },
  });
  const scheduling = { options: { maxPreferenceCost: 0 } };
  const result = plan([loaded('a', 2), loaded('b', 2)], { pools: POOLS, pending: [waits], scheduling });
  expect(result.commands).toMatchObject([{ decision: 'delete', priceAfter: 0 }]);
});

test('the price of a reservation, which only orders offerings, is no saving', () => {
  const reserved = { type: 'r', capacityType: 'reserved' } as const;
  // The node has the only one.
  const place = anOffering('zone-a', 'reserved', 0.2 / 10_000_000, { reservation: { id: 'x', capacity: 0 } });
  const types = [
    aType('m', { cpu: 4, price: 0.2, capacityTypes: ['on-demand'] }),
    aType('l', { cpu: 16, price: 0.4, capacityTypes: ['on-demand'] }),
    aType('r', { cpu: 4, offerings: [place] }),
  ];
  const pools = [aDisruptedPool('default', { types })];
  const nodes = [loaded('a', 4), loaded('b', 4), loaded('c', 3, reserved)];
  const result = plan(nodes, { pools });
  expect(result.commands).toEqual([]);
});
