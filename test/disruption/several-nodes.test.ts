import { describe, expect, test } from 'vitest';
import {
  type Command,
  type DisruptionNode,
  type DisruptionOptions,
  validateCommands,
} from '../../packages/chandler/src/disruption/index.ts';
import {
  aCluster,
  aDisruptedPool,
  aManagedNode,
  aPdb,
  type ClusterShape,
  NOW,
} from '../../packages/chandler/src/disruption/testing.ts';
import { aType } from '../../packages/chandler/src/scheduling/testing.ts';
import {
  assorted,
  big,
  CHEAPEST,
  cheap,
  gone,
  onDemandOnly,
  plan,
  protectedPod,
  removed,
  replicas,
} from './specs.fixture.ts';

const OPTIONS: DisruptionOptions = { spotToSpot: true };
const POOLS = [assorted()];
const LATER = NOW + 15_000;

function validated(commands: readonly Command[], nodes: readonly DisruptionNode[], shape: ClusterShape = {}) {
  return validateCommands(aCluster(nodes, { pools: POOLS, ...shape }), OPTIONS, LATER, commands);
}

describe.each(['on-demand', 'spot'])('three nodes of the most expensive type on %s', (capacityType) => {
  const three = () => ['a', 'b', 'c'].map((name) => big(name, replicas(1, name), { capacityType }));

  test('are replaced by one node, or by one of them', () => {
    const result = plan(three(), { pools: POOLS }, OPTIONS);
    const launched = result.commands.flatMap(({ replacements }) => replacements);
    expect(3 - gone(result).length + launched.length).toBe(1);
    expect(result.priceAfter).toBeLessThan(result.priceBefore / 2);
  });

  test('that are full are replaced by one', () => {
    // Each runs what fits on a small one, and one small one holds all.
    const types = [aType('dear', { cpu: 4, price: 1 }), aType('room', { cpu: 16, price: 1.2 })];
    const full = ['a', 'b', 'c'].map((name) =>
      aManagedNode(name, { type: 'dear', cpu: 4, capacityType, pods: replicas(4, name, '1') }),
    );
    const pools = [aDisruptedPool('default', { types })];
    expect(plan(full, { pools }, OPTIONS).commands).toMatchObject([
      { method: 'multi-node', decision: 'replace', candidates: [{}, {}, {}], replacements: [{}] },
    ]);
  });

  test('that are empty go in one command', () => {
    const empty = ['a', 'b', 'c'].map((name) => big(name, [], { capacityType }));
    expect(removed(plan(empty, { pools: POOLS }, OPTIONS))).toEqual([['a', 'b', 'c']]);
  });

  test('are not all removed when pods came to two of them in the meantime', () => {
    const full = (name: string, more = 0) =>
      aManagedNode(name, { type: 'dear', cpu: 4, capacityType, pods: replicas(1 + more, name, '1') });
    const types = [aType('dear', { cpu: 4, price: 1 }), aType('cheap', { cpu: 4, price: 0.9 })];
    const pools = [aDisruptedPool('default', { types })];
    const before = ['a', 'b', 'c'].map((name) => full(name));
    const { commands } = plan(before, { pools }, OPTIONS);
    const after = [full('a', 3), full('b', 2), full('c')];
    const results = validated(commands, after, { pools });
    expect(results.some(({ failure }) => failure !== undefined)).toBe(true);
    // The next pass finds that the third still fits on the second.
    expect(gone(plan(after, { pools }, OPTIONS))).toContain('c');
  });
});

test('three nodes on spot and on demand are replaced by one', () => {
  const types = [aType('dear', { cpu: 4, price: 1 }), aType('room', { cpu: 16, price: 1.2 })];
  const full = ['a', 'b', 'c'].map((name) =>
    aManagedNode(name, {
      type: 'dear',
      cpu: 4,
      capacityType: name === 'c' ? 'spot' : 'on-demand',
      pods: replicas(4, name, '1'),
    }),
  );
  expect(plan(full, { pools: [aDisruptedPool('default', { types })] }).commands).toMatchObject([
    { method: 'multi-node', decision: 'replace', candidates: [{}, {}, {}], replacements: [{}] },
  ]);
});

test.each(['on-demand', 'spot'])(
  'two nodes of the cheapest type on %s: one is deleted, none is launched',
  (capacityType) => {
    const nodes = [
      cheap('a', replicas(1, 'a'), { capacityType }),
      cheap('b', replicas(2, 'b'), { capacityType }),
    ];
    const types = [aType(CHEAPEST, { cpu: 32, price: 0.1, capacityTypes: [capacityType] })];
    const result = plan(nodes, { pools: [aDisruptedPool('default', { types })] }, OPTIONS);
    expect(result.commands).toMatchObject([
      { decision: 'delete', candidates: [{ name: 'a' }], replacements: [] },
    ]);
  },
);

describe('while a command waits for its validation', () => {
  const pools = [aDisruptedPool('default', { types: [onDemandOnly('s', 2, 0.1), onDemandOnly('l', 32, 1)] })];
  const large = (own: ReturnType<typeof replicas>) => aManagedNode('a', { type: 'l', cpu: 32, pods: own });
  const one = replicas(1, 'a', '1');
  const replace = () => plan([large(one)], { pools }).commands;
  const pair = () => [cheap('a', replicas(2, 'a')), cheap('b', replicas(1, 'b'))];
  const only = [aDisruptedPool('default', { types: [onDemandOnly(CHEAPEST, 32, 0.1)] })];

  test('nothing changes: it is valid', () => {
    const { commands } = plan(pair(), { pools: only });
    expect(validated(commands, pair(), { pools: only })).toMatchObject([{ failedNodes: 0 }]);
  });

  test('a pod comes that needs another type: it is rejected', () => {
    expect(replace()).toMatchObject([{ decision: 'replace' }]);
    const [result] = validated(replace(), [large(replicas(2, 'a', '1500m'))], { pools });
    expect(result!.failure).toMatchObject({ class: 'scheduling' });
  });

  test('an empty node gets a protected pod: it is rejected', () => {
    const { commands } = plan([cheap('a', [])], { pools: only });
    const [result] = validated(commands, [cheap('a', [protectedPod('held')])], { pools: only });
    expect(result!.failure).toMatchObject({ class: 'churn' });
  });

  test('a protected pod comes to a node that is replaced: it is rejected', () => {
    const [result] = validated(replace(), [large([...one, protectedPod('held')])], { pools });
    expect(result!.failure).toMatchObject({ class: 'churn' });
  });

  test('a pod with a blocking budget comes to a node that is replaced: it is rejected', () => {
    const held = replicas(1, 'held');
    const [result] = validated(replace(), [large([...one, ...held])], {
      pools,
      budgets: [aPdb('p', 'held', 0)],
    });
    expect(result!.failure).toMatchObject({ class: 'churn' });
  });

  test('protected pods come to nodes that are deleted: it is rejected', () => {
    const { commands } = plan(pair(), { pools: only });
    const after = pair().map((node) => ({
      ...node,
      pods: [...node.pods, protectedPod(`held-${node.name}`)],
    }));
    expect(validated(commands, after, { pools: only })[0]!.failure).toMatchObject({ class: 'churn' });
  });

  test('pods with a blocking budget come to nodes that are deleted: it is rejected', () => {
    const { commands } = plan(pair(), { pools: only });
    const after = pair().map((node) => ({
      ...node,
      pods: [...node.pods, ...replicas(1, `held-${node.name}`, '100m', { app: 'held' })],
    }));
    const [result] = validated(commands, after, { pools: only, budgets: [aPdb('p', 'held', 0)] });
    expect(result!.failure).toMatchObject({ class: 'churn' });
  });

  test('one of two empty nodes gets a pod: the other is deleted', () => {
    const { commands } = plan([cheap('a', []), cheap('b', [])], { pools: only });
    const [result] = validated(commands, [cheap('a', replicas(1, 'a')), cheap('b', [])], { pools: only });
    expect(result!.command!.candidates.map(({ name }) => name)).toEqual(['b']);
  });
});

describe('a command that is no longer valid counts its nodes as failed', () => {
  const only = (budget: string) => [
    aDisruptedPool('default', { types: [onDemandOnly(CHEAPEST, 32, 0.1)], budgets: [{ nodes: budget }] }),
  ];
  const full = () =>
    cheap('z', replicas(1, 'z', '31'), { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } });
  const CLUSTERS: Readonly<
    Record<string, { nodes: (nominated: boolean, churn: boolean) => DisruptionNode[]; count: number }>
  > = {
    empty: {
      count: 1,
      nodes: (nominated, churn) => [cheap('a', churn ? replicas(1, 'x') : [], { more: { nominated } })],
    },
    multi: {
      count: 2,
      nodes: (nominated, churn) => [
        ...['a', 'b'].map((name) =>
          cheap(name, replicas(1, name), {
            more: { nominated },
            ...(churn ? { conditions: { Consolidatable: undefined } } : {}),
          }),
        ),
        cheap('z', replicas(1, 'z', '20'), { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } }),
      ],
    },
    single: {
      count: 1,
      nodes: (nominated, churn) => [
        cheap('a', replicas(1, 'a'), {
          more: { nominated },
          ...(churn ? { conditions: { Consolidatable: undefined } } : {}),
        }),
        cheap('z', replicas(1, 'z', '20'), { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } }),
      ],
    },
  };

  describe.each(Object.entries(CLUSTERS))('of kind %s', (_, { nodes, count }) => {
    const commands = plan(nodes(false, false), { pools: only('100%') }).commands;

    test('when the budget is closed', () => {
      expect(commands[0]!.candidates).toHaveLength(count);
      const [result] = validated(commands, nodes(false, false), { pools: only('0%') });
      expect(result).toMatchObject({ failedNodes: count, failure: { class: 'budget' } });
    });

    test('when pods came or went', () => {
      const [result] = validated(commands, nodes(false, true), { pools: only('100%') });
      expect(result).toMatchObject({ failedNodes: count, failure: { class: 'churn' } });
    });

    test('when pending pods are expected on them', () => {
      const [result] = validated(commands, nodes(true, false), { pools: only('100%') });
      expect(result).toMatchObject({ failedNodes: count, failure: { class: 'budget' } });
    });
  });

  test('and a node that is full is none of them', () => {
    expect(gone(plan([full()], { pools: only('100%') }))).toEqual([]);
  });
});
