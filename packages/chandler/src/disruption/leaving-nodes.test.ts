import { describe, expect, test, vi } from 'vitest';
import { finish, type InstanceType, Planner, type Pod } from '../scheduling/index.ts';
import { aPod, aType, pods } from '../scheduling/testing.ts';
import { judgeNodes } from './candidates.ts';
import type { Command } from './command.ts';
import { aCluster, aDisruptedPool, aManagedNode, NOW } from './disruption.fixture.ts';
import { planDisruption } from './disruption-plan.ts';
import { leavingTogether, roomsOf } from './leaving-nodes.ts';
import type { DisruptionInput, DisruptionNode } from './model.ts';
import type { PlanInput } from './plan-input.ts';
import { PriceBook } from './price-book.ts';
import { newPlanners, Simulation } from './simulation.ts';
import { validateCommands } from './validation.ts';

const TYPES: InstanceType[] = [
  aType('m', { cpu: 4, price: 0.2, capacityTypes: ['on-demand'] }),
  aType('l', { cpu: 16, price: 0.8, capacityTypes: ['on-demand'] }),
];
const POOLS = [aDisruptedPool('default', { types: TYPES })];

/** A node with so many pods of one core. */
function loaded(name: string, count: number, type = 'm'): DisruptionNode {
  return aManagedNode(name, { type, pods: pods(count, name, { cpu: '1' }) });
}

describe('nodes that could leave together', () => {
  /** All nodes are candidates, in their order. */
  const leaving = (nodes: readonly DisruptionNode[]): readonly string[] => {
    const input = aCluster(nodes, { pools: POOLS });
    const prices = new PriceBook(input.pools, input.scheduling);
    const judged = finish(judgeNodes(input, prices, {}, NOW));
    const inOrder = nodes.map(({ name }) => judged.find((each) => each.name === name)!);
    return leavingTogether(inOrder, judged, 10, finish(roomsOf(judged))).map(({ name }) => name);
  };

  test('are as many as leave room for all pods, with a tenth to spare', () => {
    // 8 cores hold 7 pods with a tenth to spare, 4 cores do not hold 4.
    expect(leaving([loaded('a', 1), loaded('b', 2), loaded('c', 4)])).toEqual(['a']);
    expect(leaving([loaded('a', 1), loaded('b', 1), loaded('c', 1)])).toEqual(['a', 'b']);
    expect(leaving([loaded('a', 1), loaded('b', 1), loaded('c', 2)])).toEqual(['a']);
  });

  test('are without one that is too large, but with those after it', () => {
    expect(leaving([loaded('big', 8, 'l'), loaded('a', 1), loaded('b', 1)])).toEqual(['a', 'b']);
  });

  test('are planned beside pending pods by a planner that is not kept when no pods are pending', () => {
    const planners = newPlanners();
    const free = (pending: readonly Pod[]) => {
      const input = aCluster([loaded('a', 1), loaded('b', 1), loaded('c', 1)], { pools: POOLS, pending });
      const options = { nowMs: NOW, planners, typeOf: () => undefined };
      const simulation = finish(Simulation.of(input, options));
      simulation.keepFree(['a']);
      finish(simulation.ready('consolidation'));
      return planners.keptFree !== undefined;
    };
    expect([free([aPod('web', { cpu: '4' })]), free([])]).toEqual([true, false]);
  });

  test('take their daemons with them', () => {
    const daemon = aPod('logs', { cpu: '2', owner: 'DaemonSet' });
    const web = aPod('web', { cpu: '1' });
    const withDaemon = aManagedNode('a', { pods: [daemon, web] });
    expect(leaving([withDaemon, loaded('b', 2)])).toEqual(['a']);
    expect(leaving([aManagedNode('a', { pods: [aPod('logs', { cpu: '2' }), web] }), loaded('b', 2)])).toEqual(
      [],
    );
  });

  test('are found in short turns: pods of many nodes are read', () => {
    const nodes = Array.from({ length: 250 }, (_, at) => loaded(`n${at}`, 1));
    const input = aCluster(nodes, { pools: POOLS });
    const judged = finish(judgeNodes(input, new PriceBook(input.pools, input.scheduling), {}, NOW));
    let read = 0;
    const counted = judged.map((node) => ({
      ...node,
      get pods() {
        read += 1;
        return node.pods;
      },
    }));
    const steps = roomsOf(counted);
    const turns = Array.from({ length: 4 }, () => ({ ends: steps.next().done === true, read }));
    expect(turns).toEqual([
      { ends: false, read: 0 },
      { ends: false, read: 100 },
      { ends: false, read: 200 },
      { ends: true, read: 250 },
    ]);
  });

  test('do not count on room of a node that is not initialized', () => {
    const starting = { ...loaded('c', 0), initialized: false };
    expect(leaving([loaded('a', 2), loaded('b', 2), starting])).toEqual([]);
  });
});

describe('nodes that leave one after the other', () => {
  /** It is the first in the order of savings, and no set of nodes with it can be removed. */
  const pinned = aManagedNode('pinned', {
    type: 'l',
    pods: [
      aPod('db', { cpu: '1', nodeSelector: { disk: 'nvme' } }),
      aPod('logs', { cpu: '15', owner: 'DaemonSet' }),
    ],
    labels: { disk: 'nvme' },
  });
  const big = loaded('big', 10, 'l');
  /** The first place of each pod of a small node is on another small one. */
  const nodes = [pinned, loaded('a', 1), loaded('b', 1), big, loaded('d', 1), loaded('e', 1)];
  const plan = (allowed: string) => {
    const pools = [aDisruptedPool('default', { types: TYPES, budgets: [{ nodes: allowed }] })];
    return planDisruption(aCluster(nodes, { pools }), {}, NOW);
  };
  const removed = ({ commands }: ReturnType<typeof plan>) =>
    commands.map(({ candidates }) => candidates.map(({ name }) => name).join());

  test('move their pods to the nodes that stay, not to those that are next', () => {
    const result = plan('100%');
    expect(removed(result)).toEqual(['a', 'b', 'd', 'e']);
    const { commands } = result;
    expect(commands.flatMap(({ destinations }) => destinations.map(({ node }) => node))).toEqual([
      'big',
      'big',
      'big',
      'big',
    ]);
    expect(result.priceBefore - result.priceAfter).toBeCloseTo(0.8);
  });

  test('are as many as budgets allow', () => {
    expect(removed(plan('2'))).toHaveLength(2);
  });

  test('are all still valid a while later', () => {
    const { commands } = plan('100%');
    const later = validateCommands(aCluster(nodes, { pools: POOLS }), {}, NOW + 15_000, commands);
    expect(later.map(({ failure }) => failure)).toEqual([undefined, undefined, undefined, undefined]);
    expect(later.map(({ command }) => command!.destinations)).toEqual(
      commands.map(({ destinations }) => destinations),
    );
  });

  test('are still valid where one of them has to stay', () => {
    // No pod tolerates it: by the sums there is more room than there is.
    const aside = loaded('aside', 0, 'l');
    const taints = [{ key: 'team', value: 'data', effect: 'NoSchedule' as const }];
    const unused = { ...aside, node: { ...aside.node!, spec: { taints } }, ...keptNode(aside) };
    const stays = aManagedNode('c', {
      pods: [aPod('c', { cpu: '1', nodeSelector: { disk: 'hdd' } })],
      labels: { disk: 'hdd' },
    });
    const full = loaded('full', 14, 'l');
    const large = aManagedNode('large', { type: 'l', pods: [aPod('large', { cpu: '3' })] });
    const cluster = aCluster(
      [pinned, loaded('a', 1), loaded('b', 1), stays, { ...full, ...keptNode(full) }, large, unused],
      { pools: POOLS },
    );
    const { commands } = planDisruption(cluster, {}, NOW);
    expect(commands.map(({ candidates }) => candidates[0]!.name)).toEqual(['a', 'b', 'large']);
    const later = validateCommands(cluster, {}, NOW + 15_000, commands);
    expect(later.map(({ failure }) => failure)).toEqual([undefined, undefined, undefined]);
  });

  test('are planned once for the same nodes, and not if these are deleted anyway or more is saved without it', () => {
    const keepFree = vi.spyOn(Simulation.prototype, 'keepFree');
    const plannings = () => keepFree.mock.calls.filter(([free]) => free.length > 0).length;
    const [a, b, d, e] = ['a', 'b', 'd', 'e'].map((name) => loaded(name, 1));
    const cluster = [pinned, a!, b!, loaded('big', 9, 'l'), d!, e!];
    expect(planDisruption(aCluster(cluster, { pools: POOLS }), {}, NOW).commands).toHaveLength(4);
    expect(plannings()).toBe(1);
    keepFree.mockClear();
    const kept = { ...big, ...keptNode(big) };
    expect(planDisruption(aCluster([a!, b!, kept], { pools: POOLS }), {}, NOW).priceAfter).toBeCloseTo(0.8);
    expect(plannings()).toBe(0);
    // By the sums, with a tenth to spare, four could leave; five are deleted one after the other.
    const full = Array.from({ length: 10 }, (_, at) => loaded(`n${at}`, 2));
    expect(planDisruption(aCluster(full, { pools: POOLS }), {}, NOW).priceAfter).toBeCloseTo(1);
    expect(plannings()).toBe(0);
    keepFree.mockRestore();
  });
});

describe('nodes that pending pods need', () => {
  const [m, l] = [TYPES[0]!, TYPES[1]!];
  const none = aDisruptedPool('default', { types: TYPES, limits: { cpu: '0' } });
  const pools = {
    'no new node is allowed': [none],
    'a new node costs as much': POOLS,
    'a new node costs more': [none, aDisruptedPool('dear', { types: [l] })],
  };
  const others = [
    loaded('a', 1),
    loaded('b', 1),
    aManagedNode('big', { type: 'l', pods: pods(3, 'big', { cpu: '4500m' }) }),
    aManagedNode('big2', { type: 'l', pods: pods(3, 'big2', { cpu: '4500m' }) }),
  ];
  /** The pod is bound to a node that is removed, after the command was recorded. */
  const late = aManagedNode('c', {
    type: m.name,
    pods: [aPod('late', { cpu: '2800m' })],
    more: { command: 'k' },
  });
  const running = (input: DisruptionInput): PlanInput => {
    const command = planDisruption(aCluster([loaded('c', 0), ...others], { pools: POOLS }), {}, NOW)
      .commands[0]!;
    return { ...input, commands: [{ ...command, key: 'k' }] };
  };
  const removed = (commands: readonly Command[]) =>
    commands.flatMap(({ candidates }) => candidates.map(({ name }) => name));

  test.each(Object.entries(pools))('stay: %s', (_, given) => {
    const input = running(aCluster([late, ...others], { pools: given }));
    const { commands } = planDisruption(input, {}, NOW);
    expect(removed(commands)).toEqual(['a']);
  });

  test.each(Object.entries(pools))(
    'stay when pods become pending before the commands are validated: %s',
    (_, given) => {
      const { commands } = planDisruption(aCluster(others, { pools: given }), {}, NOW);
      expect(removed(commands)).toEqual(['a', 'b']);
      const input = running(aCluster([late, ...others], { pools: given }));
      const valid = validateCommands(input, {}, NOW, commands).filter(({ failure }) => failure === undefined);
      expect(removed(valid.map(({ planned }) => planned))).toEqual(['a']);
    },
  );

  test.each(Object.entries(pools))(
    'stay for pods that cost nothing and lose their node in the same pass: %s',
    (_, given) => {
      const free = aPod('free', { cpu: '2800m' });
      const annotations = { 'controller.kubernetes.io/pod-deletion-cost': '-2147483648' };
      const empty = aManagedNode('e', { pods: [{ ...free, metadata: { ...free.metadata, annotations } }] });
      const { commands } = planDisruption(aCluster([empty, ...others], { pools: given }), {}, NOW);
      expect(removed(commands)).toEqual(['e', 'a']);
    },
  );

  test('a planner reads the cluster either with the nodes kept free or without, where pods are pending', () => {
    const preparing = vi.spyOn(Planner.prototype, 'preparing');
    const input = running(aCluster([late, ...others], { pools: pools['a new node costs more'] }));
    const planned = planDisruption(input, {}, NOW);
    validateCommands(input, {}, NOW, planned.commands);
    const read = new Map<unknown, Set<string>>();
    for (const [at, planner] of preparing.mock.contexts.entries()) {
      const [{ nodes = [], pods: pending }] = preparing.mock.calls[at]!;
      if (pending.length === 0) continue;
      const a = nodes.find(({ name }) => name === 'a');
      if (a !== undefined)
        read.set(planner, (read.get(planner) ?? new Set()).add(JSON.stringify(a.allocatable)));
    }
    preparing.mockRestore();
    const pictures = [...read.values()].map((of) => [...of]);
    expect(new Set(pictures.flat()).size).toBe(2);
    expect(pictures.filter(({ length }) => length > 1)).toEqual([]);
  });
});

// ---------------------------------------------------------------------------------------------------

/** It takes pods and is no candidate. */
function keptNode({ claim }: DisruptionNode): Pick<DisruptionNode, 'claim'> {
  const conditions = claim!.status!.conditions!.filter(({ type }) => type !== 'Consolidatable');
  return { claim: { ...claim!, status: { ...claim!.status, conditions } } };
}
