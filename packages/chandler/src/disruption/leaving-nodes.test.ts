import { describe, expect, test } from 'vitest';
import { finish, type InstanceType } from '../scheduling/index.ts';
import { aPod, aType, pods } from '../scheduling/testing.ts';
import { judgeNodes } from './candidates.ts';
import { aCluster, aDisruptedPool, aManagedNode, NOW } from './disruption.fixture.ts';
import { planDisruption } from './disruption-plan.ts';
import { leavingTogether } from './leaving-nodes.ts';
import type { DisruptionNode } from './model.ts';
import { PriceBook } from './price-book.ts';
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
    return leavingTogether(inOrder, judged, 10).map(({ name }) => name);
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

  test('take their daemons with them', () => {
    const daemon = aPod('logs', { cpu: '2', owner: 'DaemonSet' });
    const web = aPod('web', { cpu: '1' });
    const withDaemon = aManagedNode('a', { pods: [daemon, web] });
    expect(leaving([withDaemon, loaded('b', 2)])).toEqual(['a']);
    expect(leaving([aManagedNode('a', { pods: [aPod('logs', { cpu: '2' }), web] }), loaded('b', 2)])).toEqual(
      [],
    );
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
});
