import { describe, expect, test } from 'vitest';
import { type DisruptionNode, DisruptionPlanner } from '../../packages/chandler/src/disruption/index.ts';
import {
  aCluster,
  aDisruptedPool,
  aManagedNode,
  NOW,
  type PoolShape,
} from '../../packages/chandler/src/disruption/testing.ts';
import { aPod } from '../../packages/chandler/src/scheduling/testing.ts';
import {
  annotated,
  CHEAPEST,
  cheap,
  DO_NOT_DISRUPT,
  eventsOf,
  gone,
  keepsOf,
  onDemandOnly,
  plan,
  removed,
  replicas,
  terminating,
} from './specs.fixture.ts';

const TYPES = [onDemandOnly(CHEAPEST, 32, 0.1)];
const poolOf = (nodes: string, name = 'default', shape: PoolShape = {}) =>
  aDisruptedPool(name, { types: TYPES, budgets: [{ nodes }], ...shape });
const ten = (own: (at: number) => readonly ReturnType<typeof aPod>[] = () => []) =>
  Array.from({ length: 10 }, (_, at) => cheap(`n${at}`, own(at)));
/** Ten pools with three nodes each. */
const tenPools = (nodes: string, shape: PoolShape = {}) =>
  Array.from({ length: 10 }, (_, at) => poolOf(nodes, `pool-${at}`, shape));
const thirty = (own: (name: string) => readonly ReturnType<typeof aPod>[] = () => []) =>
  Array.from({ length: 30 }, (_, at) => cheap(`n${at}`, own(`n${at}`), { pool: `pool-${at % 10}` }));
const allowed = ({ budgets }: ReturnType<typeof plan>, reason: string) =>
  new Set(budgets.filter((each) => each.reason === reason).map((each) => each.allowed));

describe('of ten empty nodes', () => {
  test.each([
    ['30%', 3],
    ['100%', 10],
    ['0%', 0],
  ])('a budget of %s allows %d, in one command', (nodes, count) => {
    const result = plan(ten(), { pools: [poolOf(nodes)] });
    expect(gone(result)).toHaveLength(count);
    expect(removed(result)).toHaveLength(count === 0 ? 0 : 1);
    expect([...allowed(result, 'Empty')]).toEqual([count]);
  });
});

describe.each(['WhenEmptyOrUnderutilized', 'WhenEmpty'] as const)(
  'of three empty nodes in each of ten pools, %s',
  (policy) => {
    test.each([
      ['50%', 2, 20],
      ['100%', 3, 30],
      ['0%', 0, 0],
    ])('a budget of %s allows %d, together %d', (nodes, each, all) => {
      const result = plan(thirty(), { pools: tenPools(nodes, { policy }) });
      expect(gone(result)).toHaveLength(all);
      expect([...allowed(result, 'Empty')]).toEqual([each]);
    });
  },
);

describe('a budget of 30% of ten nodes', () => {
  test('lets consolidation delete three at once where all pods fit on one', () => {
    const result = plan(
      ten((at) => replicas(1, `p${at}`)),
      { pools: [poolOf('30%')] },
    );
    expect(result.commands).toMatchObject([{ method: 'multi-node', decision: 'delete' }]);
    expect(gone(result)).toHaveLength(3);
  });

  test('lets consolidation delete three, one after the other, where two pods fit on a node', () => {
    expect(
      gone(
        plan(
          ten((at) => replicas(1, `p${at}`, '15')),
          { pools: [poolOf('30%')] },
        ),
      ),
    ).toHaveLength(3);
  });

  test('lets drift replace three, and commands in progress count', () => {
    const drifted = (command: boolean) =>
      Array.from({ length: 10 }, (_, at) =>
        cheap(`n${at}`, at < 5 ? replicas(1, `p${at}`, '1') : [], {
          conditions: { Drifted: at < 5 ? true : undefined, Consolidatable: undefined },
          ...(command && at < 2 ? { more: { command: `c${at}` } } : {}),
        }),
      );
    expect(gone(plan(drifted(false), { pools: [poolOf('30%')] }))).toHaveLength(3);
    const later = plan(drifted(true), { pools: [poolOf('30%')] });
    expect(gone(later)).toHaveLength(1);
    expect(later.budgets.find(({ reason }) => reason === 'Drifted')).toMatchObject({
      allowed: 3,
      disrupting: 2,
    });
  });
});

test('each of ten NodePools may drift one of its three nodes', () => {
  const nodes = Array.from({ length: 30 }, (_, at) =>
    cheap(`n${at}`, at % 3 === 2 ? [] : replicas(1, `p${at}`, '1'), {
      pool: `pool-${at % 10}`,
      conditions: { Drifted: true, Consolidatable: undefined },
    }),
  );
  const result = plan(nodes, { pools: tenPools('1', { consolidateAfter: 'Never' }) });
  expect(removed(result)).toHaveLength(10);
  expect(new Set(result.commands.map(({ candidates }) => candidates[0]!.nodePool)).size).toBe(10);
  expect([...allowed(result, 'Drifted')]).toEqual([1]);
});

describe('nodes that a budget kept are considered again when it is open, although nothing else changed', () => {
  const passes = (
    nodes: readonly DisruptionNode[],
    pools: (budget: string) => ReturnType<typeof poolOf>[],
  ) => {
    const planner = new DisruptionPlanner();
    const pass = (budget: string) =>
      gone(planner.plan(aCluster(nodes, { pools: pools(budget) }), {}, NOW)).length;
    return [pass('0%'), pass('0%'), pass('100%')];
  };

  test('empty nodes of one NodePool', () => {
    expect(passes(ten(), (budget) => [poolOf(budget)])).toEqual([0, 0, 10]);
  });

  test('empty nodes of many NodePools', () => {
    expect(passes(thirty(), tenPools)).toEqual([0, 0, 30]);
  });

  test('nodes with pods of one NodePool', () => {
    expect(
      passes(
        ten((at) => replicas(1, `p${at}`)),
        (budget) => [poolOf(budget)],
      ),
    ).toEqual([0, 0, 9]);
  });

  test('nodes with pods of many NodePools', () => {
    expect(
      passes(
        thirty((name) => replicas(1, name)),
        tenPools,
      ),
    ).toEqual([0, 0, 29]);
  });

  test('nodes that go one by one, of one NodePool', () => {
    expect(
      passes(
        ten((at) => replicas(1, `p${at}`, '15')),
        (budget) => [poolOf(budget)],
      ),
    ).toEqual([0, 0, 5]);
  });

  test('nodes that go one by one, of many NodePools', () => {
    expect(
      passes(
        thirty((name) => replicas(1, name, '15')),
        tenPools,
      ),
    ).toEqual([0, 0, 15]);
  });
});

describe('an empty node', () => {
  const POOLS = [poolOf('100%')];

  test('is deleted', () => {
    expect(plan([cheap('a', [])], { pools: POOLS }).commands).toMatchObject([
      { method: 'emptiness', decision: 'delete', candidates: [{ name: 'a' }] },
    ]);
  });

  test('goes with the others that are empty', () => {
    expect(removed(plan([cheap('a', []), cheap('b', [])], { pools: POOLS }))).toEqual([['a', 'b']]);
  });

  test('that is drifted goes once', () => {
    expect(removed(plan([cheap('a', [], { conditions: { Drifted: true } })], { pools: POOLS }))).toEqual([
      ['a'],
    ]);
  });

  test('stays without its condition, and with one that is False', () => {
    expect(
      gone(plan([cheap('a', [], { conditions: { Consolidatable: undefined } })], { pools: POOLS })),
    ).toEqual([]);
    const node = cheap('a', []);
    const conditions = node.claim!.status!.conditions!.map((condition) =>
      condition.type === 'Consolidatable' ? { ...condition, status: 'False' as const } : condition,
    );
    const claim = { ...node.claim!, status: { ...node.claim!.status, conditions } };
    expect(gone(plan([{ ...node, claim }], { pools: POOLS }))).toEqual([]);
  });

  test.each([
    ['true', []],
    ['false', ['a']],
  ])('with the annotation %s: removed %j', (value, expected) => {
    const node = cheap('a', [], { annotations: { [DO_NOT_DISRUPT]: value } });
    expect(gone(plan([node], { pools: POOLS }))).toEqual(expected);
  });

  test('is none that has pods', () => {
    expect(gone(plan([cheap('a', replicas(1, 'a'))], { pools: POOLS }))).toEqual([]);
  });

  test('is one with a DaemonSet pod', () => {
    expect(gone(plan([cheap('a', [aPod('agent', { owner: 'DaemonSet' })])], { pools: POOLS }))).toEqual([
      'a',
    ]);
  });

  test('is one whose pods of a Deployment are terminating, not one with a pod of a StatefulSet', () => {
    const leaving = (owner: string) => [terminating(aPod('p', { cpu: '100m', owner }))];
    expect(gone(plan([cheap('a', leaving('ReplicaSet'))], { pools: POOLS }))).toEqual(['a']);
    expect(gone(plan([cheap('a', leaving('StatefulSet'))], { pools: POOLS }))).toEqual([]);
  });

  test('of a static NodePool stays, for every method', () => {
    const pools = [poolOf('100%', 'default', { replicas: 2 })];
    const result = plan([cheap('a', []), cheap('b', replicas(1, 'b'))], { pools });
    expect(gone(result)).toEqual([]);
    for (const name of ['a', 'b']) expect(keepsOf(result, name)).toContain('StaticNodePool');
  });

  test('comes before nodes with pods where the budget is one, also with the policy Balanced', () => {
    const pools = [poolOf('1', 'default', { policy: 'Balanced' })];
    const result = plan([cheap('busy', replicas(1, 'b')), cheap('empty', [])], { pools });
    expect(removed(result)).toEqual([['empty']]);
  });

  test('is not replaced by a smaller one while pending pods need it', () => {
    const types = [onDemandOnly('large', 64, 2), onDemandOnly('small', 2, 0.1)];
    const node = aManagedNode('a', { type: 'large', cpu: 64, pods: replicas(1, 'a', '1') });
    const pending = [aPod('huge', { cpu: '62' })];
    expect(gone(plan([node], { pools: [aDisruptedPool('default', { types })], pending }))).toEqual([]);
  });
});

describe('the event Unconsolidatable', () => {
  const of = (shape: PoolShape, labels: Record<string, undefined> = {}) =>
    eventsOf(
      plan([cheap('a', replicas(1, 'a'), { labels })], { pools: [poolOf('100%', 'default', shape)] }),
      'a',
    );

  test('is not published for a node that may be consolidated', () => {
    expect(of({}).filter((event) => event.includes('consolidation'))).toEqual([]);
  });

  test.each<[string, PoolShape, Record<string, undefined>, string]>([
    [
      'the policy is WhenEmpty',
      { policy: 'WhenEmpty' },
      {},
      'NodePool "default" has consolidation policy WhenEmpty, but node is not empty',
    ],
    [
      'consolidateAfter is Never',
      { consolidateAfter: 'Never' },
      {},
      'NodePool "default" has consolidation disabled',
    ],
    [
      'the instance type is missing',
      {},
      { 'node.kubernetes.io/instance-type': undefined },
      'Instance Type "" not found',
    ],
    [
      'the capacity type is missing',
      {},
      { 'karpenter.sh/capacity-type': undefined },
      'Node does not have label "karpenter.sh/capacity-type"',
    ],
    [
      'the zone is missing',
      {},
      { 'topology.kubernetes.io/zone': undefined },
      'Node does not have label "topology.kubernetes.io/zone"',
    ],
  ])('is published where %s', (_, shape, labels, message) => {
    expect(of(shape, labels)).toContain(`Unconsolidatable: ${message}`);
  });
});

test('a pod with a cost of nothing does not make a node less empty', () => {
  const free = annotated(aPod('free', { owner: 'ReplicaSet' }), {
    'karpenter.sh/disruption-cost': '-2147483648',
  });
  expect(gone(plan([cheap('a', [free])], { pools: [poolOf('100%')] }))).toEqual(['a']);
});
