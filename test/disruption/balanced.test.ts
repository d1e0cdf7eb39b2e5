import { describe, expect, test } from 'vitest';
import { type JudgedNode, planDisruption } from '../../packages/chandler/src/disruption/index.ts';
import {
  aCluster,
  aDisruptedPool,
  aManagedNode,
  BalancedScores,
  isApproved,
  NOW,
  scoreOf,
} from '../../packages/chandler/src/disruption/testing.ts';
import { anOffering, aType, pods } from '../../packages/chandler/src/scheduling/testing.ts';
import {
  assorted,
  big,
  cheap,
  gone,
  judged,
  keepsOf,
  onDemandOnly,
  plan,
  removed,
  replicas,
} from './specs.fixture.ts';

/** A pool of this price and disruption, and a move in it. */
function scored(saving: number, disruption: number, total = { price: 58.08, cost: 90 }) {
  const share = (part: number, all: number) => (all > 0 ? part / all : 0);
  return {
    nodePool: 'default',
    savingsFraction: total.price > 0 ? share(saving, total.price) : 0,
    disruptionFraction: total.price > 0 ? share(disruption, total.cost) : 0,
  };
}
const scoresOf = (nodes: readonly JudgedNode[]) => new BalancedScores(nodes);

describe('a move in a pool of ten nodes for $58.08 with 80 pods', () => {
  test.each([
    ['of an oversized node', 7.26, 4, true],
    ['of spare capacity', 4.84, 5, true],
    ['that is marginal', 2.42, 9, false],
    ['of a well packed node that saves nothing', 0, 11, false],
  ])('%s: saves %d, disrupts %d, approved %s', (_, saving, disruption, approved) => {
    const score = scored(saving, disruption);
    expect(scoreOf(score)).toBeCloseTo(saving / 58.08 / (disruption / 90));
    expect(isApproved(score)).toBe(approved);
  });

  test('in a pool of equal nodes is approved', () => {
    expect(isApproved(scored(2.42, 9, { price: 48.4, cost: 90 }))).toBe(true);
  });

  test('is approved for a node with few pods and rejected for one with many', () => {
    const total = { price: 58.08, cost: 117 };
    expect([isApproved(scored(4.84, 5, total)), isApproved(scored(4.84, 32, total))]).toEqual([true, false]);
  });

  test('scores the same in a pool ten times as large', () => {
    const large = scoreOf(scored(72.6, 40, { price: 580.8, cost: 900 }));
    expect(scoreOf(scored(7.26, 4))).toBeCloseTo(large);
    expect(scoreOf(scored(7.26, 4, { price: 580.8, cost: 900 }))).toBeCloseTo(scoreOf(scored(7.26, 4)));
  });

  test('scores the same on demand and on spot if its shares are the same', () => {
    const [onDemand, spot] = [
      scored(4.84, 4, { price: 48.4, cost: 90 }),
      scored(1.45, 4, { price: 14.5, cost: 90 }),
    ];
    expect(scoreOf(onDemand)).toBeCloseTo(scoreOf(spot));
    expect([isApproved(onDemand), isApproved(spot)]).toEqual([true, true]);
  });

  test.each([
    ['that disrupts nothing scores without limit', 4.84, 0, Number.POSITIVE_INFINITY, true],
    ['that disrupts and saves nothing is rejected', 0, 0, 0, false],
  ])('%s', (_, saving, disruption, score, approved) => {
    expect([scoreOf(scored(saving, disruption)), isApproved(scored(saving, disruption))]).toEqual([
      score,
      approved,
    ]);
  });
});

describe('savings and disruption as shares of a hundred', () => {
  test.each([
    ['high savings for low disruption', 20, 5, 4, true],
    ['equal shares', 10, 10, 1, true],
    ['low savings for high disruption', 5, 50, 0.1, false],
    ['no disruption', 10, 0, Number.POSITIVE_INFINITY, true],
    ['no savings', 0, 10, 0, false],
    ['a loss', -5, 10, 0, false],
    ['half of the disruption, the least that is approved', 5, 10, 0.5, true],
  ])('%s', (_, saving, disruption, score, approved) => {
    const given = scored(saving, disruption, { price: 100, cost: 100 });
    expect(scoreOf(given)).toBeCloseTo(score);
    expect(isApproved(given)).toBe(approved);
  });
});

describe('the totals of a pool', () => {
  const POOLS = [aDisruptedPool('default', { policy: 'Balanced', types: [onDemandOnly('x', 4, 4.84)] })];
  const node = (name: string, own = pods(1, name), type = 'x') => aManagedNode(name, { type, pods: own });

  test('count all nodes, also those that are no candidates', () => {
    const nodes = judged(
      aCluster(
        ['a', 'b', 'c', 'd', 'e'].map((name) =>
          name === 'e' ? { ...node(name), deleting: true } : node(name),
        ),
        { pools: POOLS },
      ),
    );
    expect(scoresOf(nodes).scores([nodes[0]!], 4.84)).toEqual([
      { nodePool: 'default', savingsFraction: expect.closeTo(0.2), disruptionFraction: expect.closeTo(0.2) },
    ]);
  });

  test('count the disruption of nodes of unknown price', () => {
    const nodes = judged(aCluster([node('a'), node('b', undefined, 'unknown'), node('c')], { pools: POOLS }));
    expect(scoresOf(nodes).scores([nodes[0]!], 4.84)).toEqual([
      {
        nodePool: 'default',
        savingsFraction: expect.closeTo(0.5),
        disruptionFraction: expect.closeTo(1 / 3),
      },
    ]);
    expect(nodes.reduce((sum, { price }) => sum + price, 0)).toBeCloseTo(9.68);
  });

  test('are not spoiled by a price that is no number', () => {
    const types = [
      onDemandOnly('x', 4, 4.84),
      aType('nan', { cpu: 4, offerings: [anOffering('zone-a', 'on-demand', Number.NaN)] }),
    ];
    const pools = [aDisruptedPool('default', { policy: 'Balanced', types })];
    const nodes = judged(aCluster([node('a'), node('b', undefined, 'nan'), node('c')], { pools }));
    const [score] = scoresOf(nodes).scores([nodes[0]!], 4.84);
    expect(scoreOf(score!)).not.toBeNaN();
    expect(isApproved(score!)).toBe(true);
  });

  test('of a price of nothing approve no move', () => {
    const nodes = judged(aCluster([node('a', undefined, 'unknown')], { pools: POOLS }));
    expect(scoresOf(nodes).rejects([nodes[0]!], 4.84)).toMatchObject({ code: 'Score', score: 0 });
  });

  test('that are not known approve no move', () => {
    const [own] = judged(aCluster([node('a')], { pools: POOLS }));
    expect(scoresOf([]).rejects([own!], 4.84)).toMatchObject({ code: 'Score', score: 0 });
  });

  test('are not asked for other policies', () => {
    for (const policy of ['WhenEmptyOrUnderutilized', 'WhenEmpty'] as const) {
      const pools = [aDisruptedPool('default', { policy, types: [onDemandOnly('x', 4, 4.84)] })];
      const nodes = judged(aCluster([node('a'), node('b')], { pools }));
      expect(scoresOf(nodes).scores(nodes, 0.001)).toEqual([]);
      expect(scoresOf(nodes).rejects(nodes, 0.001)).toBeUndefined();
    }
  });

  test('approve the deletion of one of ten equal nodes', () => {
    const nodes = judged(
      aCluster(
        Array.from({ length: 10 }, (_, at) => node(`n${at}`)),
        { pools: POOLS },
      ),
    );
    expect(scoreOf(scoresOf(nodes).scores([nodes[0]!], 4.84)[0]!)).toBeCloseTo(1);
    expect(scoresOf(nodes).rejects([nodes[0]!], 4.84)).toBeUndefined();
  });

  test('approve the deletion of the only node', () => {
    const nodes = judged(aCluster([node('a')], { pools: POOLS }));
    expect(scoresOf(nodes).scores(nodes, 4.84)).toMatchObject([
      { savingsFraction: 1, disruptionFraction: 1 },
    ]);
    expect(scoresOf(nodes).rejects(nodes, 4.84)).toBeUndefined();
  });

  test('of two pools: savings are shared, and only the Balanced one is scored', () => {
    const pools = [
      aDisruptedPool('default', { policy: 'Balanced', types: [onDemandOnly('x', 4, 4.84)] }),
      aDisruptedPool('other', { types: [onDemandOnly('x', 4, 4.84)] }),
    ];
    const nodes = judged(
      aCluster(
        Array.from({ length: 10 }, (_, at) =>
          aManagedNode(`n${at}`, { type: 'x', pool: at < 5 ? 'default' : 'other', pods: pods(1, `n${at}`) }),
        ),
        { pools },
      ),
    );
    const scores = scoresOf(nodes).scores([nodes[0]!, nodes[9]!], 9.68);
    expect(scores).toHaveLength(1);
    expect(scoreOf(scores[0]!)).toBeCloseTo(1);
  });

  test('of two Balanced pools: both are scored, also when the first rejects', () => {
    const types = [onDemandOnly('x', 4, 1)];
    const pools = ['a', 'b'].map((name) => aDisruptedPool(name, { policy: 'Balanced', types }));
    const heavy = pods(20, 'heavy', { priority: 2_000_000_000 });
    const input = aCluster(
      [
        aManagedNode('a0', { type: 'x', pool: 'a', pods: heavy }),
        aManagedNode('a1', { type: 'x', pool: 'a', pods: pods(1, 'light') }),
        ...Array.from({ length: 10 }, (_, at) =>
          aManagedNode(`b${at}`, { type: 'x', pool: 'b', pods: pods(1, `b${at}`) }),
        ),
      ],
      { pools },
    );
    const nodes = judged(input);
    const chosen = nodes.filter(({ name }) => ['a0', 'b0'].includes(name));
    expect(
      scoresOf(nodes)
        .scores(chosen, 2)
        .map(({ nodePool }) => nodePool),
    ).toEqual(['a', 'b']);
    expect(scoresOf(nodes).rejects(chosen, 0.9)).toMatchObject({ nodePool: 'a' });
    expect(
      scoresOf(nodes).rejects(nodes.filter(({ nodePool }) => nodePool === 'b').slice(0, 1), 1),
    ).toBeUndefined();
  });
});

test('the price of a node is that of its offering, and 0 where its type is not known', () => {
  const pools = [aDisruptedPool('default', { types: [onDemandOnly('x', 4, 4.84)] })];
  const nodes = judged(
    aCluster([aManagedNode('a', { type: 'x' }), aManagedNode('b', { type: 'y' })], { pools }),
  );
  expect(nodes.map(({ price }) => price)).toEqual([4.84, 0]);
});

test('the ratio of a node is its price for its disruption', () => {
  const pools = [aDisruptedPool('default', { types: [onDemandOnly('x', 4, 4.84)] })];
  const nodes = judged(
    aCluster(
      [
        aManagedNode('none', { type: 'x' }),
        aManagedNode('three', { type: 'x', pods: pods(3, 'p') }),
        aManagedNode('unknown', { type: 'y', pods: pods(3, 'q') }),
      ],
      { pools },
    ),
  );
  expect(nodes.map(({ price, cost }) => price / cost)).toEqual([4.84, 1.21, 0]);
});

describe('the order of candidates', () => {
  const types = [onDemandOnly('cheap', 4, 1), onDemandOnly('medium', 4, 5), onDemandOnly('dear', 4, 10)];
  /** Of so many nodes that nothing fits elsewhere only one may go: the first. */
  const first = (
    pools: ReturnType<typeof aDisruptedPool>[],
    nodes: readonly ReturnType<typeof aManagedNode>[],
  ) => removed(planDisruption(aCluster(nodes, { pools }), {}, NOW))[0]?.[0];
  const drained = (name: string, type: string, count: number, pool = 'default') =>
    aManagedNode(name, { type, pool, pods: pods(count, name, { cpu: '1m' }) });

  test.each(['Balanced', 'WhenEmptyOrUnderutilized'] as const)(
    'is that of savings for disruption with the policy %s',
    (policy) => {
      const pools = [aDisruptedPool('default', { policy, types, budgets: [{ nodes: '1' }] })];
      const nodes = [drained('b', 'cheap', 8), drained('c', 'medium', 3), drained('a', 'dear', 1)];
      expect(first(pools, nodes)).toBe('a');
      expect(first(pools, nodes.slice(0, 2))).toBe('c');
    },
  );

  test('is the same for equal prices: fewer pods first', () => {
    const pools = [aDisruptedPool('default', { types, budgets: [{ nodes: '1' }] })];
    expect(first(pools, [drained('a', 'dear', 9), drained('b', 'dear', 1), drained('c', 'dear', 4)])).toBe(
      'b',
    );
  });

  test('is one order for all policies', () => {
    const pools = [
      aDisruptedPool('default', { types, policy: 'Balanced', budgets: [{ nodes: '1' }] }),
      aDisruptedPool('other', { types, budgets: [{ nodes: '1' }] }),
    ];
    const result = plan([drained('y', 'cheap', 1, 'other'), drained('x', 'dear', 1)], { pools });
    expect(gone(result)).toContain('x');
  });

  test('takes the best of several, and the worst is not before it', () => {
    const pools = [assorted({ policy: 'Balanced' })];
    const result = plan(
      [
        big('a', replicas(10, 'a')),
        aManagedNode('b', { type: 't15', cpu: 32, pods: replicas(1, 'b') }),
        cheap('c', replicas(8, 'c'), { cpu: 4 }),
      ],
      { pools },
    );
    const order = removed(result).flat();
    expect(order).toContain('b');
    if (order.includes('c')) expect(order.indexOf('b')).toBeLessThan(order.indexOf('c'));
  });
});

describe('a NodePool with the policy Balanced', () => {
  test('has its oversized node replaced, and the approval has the numbers', () => {
    const { commands } = plan([big('a', replicas(1, 'a'))], { pools: [assorted({ policy: 'Balanced' })] });
    expect(commands).toMatchObject([{ decision: 'replace' }]);
    expect(commands[0]!.scores).toMatchObject([{ nodePool: 'default', disruptionFraction: 1 }]);
    expect(scoreOf(commands[0]!.scores[0]!)).toBeGreaterThanOrEqual(0.5);
  });

  test('keeps its well packed node of the cheapest type', () => {
    const types = [onDemandOnly('t01', 32, 0.1)];
    const result = plan([cheap('a', replicas(8, 'a'))], {
      pools: [aDisruptedPool('default', { policy: 'Balanced', types })],
    });
    expect(result.commands).toEqual([]);
  });

  test('has several nodes that are hardly used consolidated', () => {
    const nodes = ['a', 'b', 'c'].map((name) => big(name, replicas(1, name)));
    const result = plan(nodes, { pools: [assorted({ policy: 'Balanced' })] });
    const launched = result.commands.flatMap(({ replacements }) => replacements).length;
    expect(3 - gone(result).length + launched).toBeLessThan(3);
    expect(gone(result).length).toBeGreaterThanOrEqual(2);
  });

  test('keeps its node where the budget is closed, and nothing is approved', () => {
    const pools = [assorted({ policy: 'Balanced', budgets: [{ nodes: '0%' }] })];
    const result = plan([big('a', replicas(1, 'a'))], { pools });
    expect(result.commands).toEqual([]);
    expect(keepsOf(result, 'a')).toContain('Budget');
  });

  test('deletes a node whose pods fit on another, and saves its whole price', () => {
    const nodes = [
      aManagedNode('a', { type: 't12', cpu: 32, pods: replicas(1, 'a') }),
      aManagedNode('b', { type: 't12', cpu: 32, pods: replicas(30, 'b', '1') }),
    ];
    const types = [onDemandOnly('t12', 32, 0.21)];
    const { commands } = plan(nodes, { pools: [aDisruptedPool('default', { policy: 'Balanced', types })] });
    expect(commands).toMatchObject([{ decision: 'delete', candidates: [{ name: 'a' }] }]);
    expect(commands[0]!.savingPerHour).toBeCloseTo(0.21);
  });

  test('replaces a node by a cheaper one, and saves the difference', () => {
    const types = [onDemandOnly('s', 2, 0.1), onDemandOnly('l', 32, 1)];
    const node = aManagedNode('a', { type: 'l', cpu: 32, pods: replicas(1, 'a', '2') });
    const { commands } = plan([node], { pools: [aDisruptedPool('default', { policy: 'Balanced', types })] });
    expect(commands).toMatchObject([{ decision: 'replace' }]);
    expect(commands[0]!.savingPerHour).toBeCloseTo(0.9);
  });

  test('rejects a replacement whose cheap spot offering the NodePool does not allow', () => {
    // On spot the move would score 1, on demand it scores 0.25.
    const types = [
      onDemandOnly('source', 4, 0.5),
      aType('dest', {
        cpu: 4,
        offerings: [anOffering('zone-a', 'spot', 0.1), anOffering('zone-a', 'on-demand', 0.4)],
      }),
    ];
    const onDemand = [{ key: 'karpenter.sh/capacity-type', operator: 'In' as const, values: ['on-demand'] }];
    const nodes = [
      aManagedNode('a', { type: 'source', pods: pods(3, 'a', { cpu: '1' }) }),
      aManagedNode('full', {
        type: 'source',
        pods: pods(3, 'f', { cpu: '1300m' }),
        annotations: { 'karpenter.sh/do-not-disrupt': 'true' },
      }),
    ];
    const of = (requirements: typeof onDemand) =>
      plan(nodes, { pools: [aDisruptedPool('default', { policy: 'Balanced', types, requirements })] });
    expect(gone(of([]))).toEqual(['a']);
    expect(keepsOf(of(onDemand), 'a')).toContain('Score');
  });

  test('is scored while another NodePool is not', () => {
    const pools = [assorted({ policy: 'Balanced' }), assorted({}, 'other')];
    const result = plan([big('a', replicas(1, 'a')), big('b', replicas(1, 'b'), { pool: 'other' })], {
      pools,
    });
    expect(gone(result)).toEqual(['a', 'b']);
    expect(result.commands.flatMap(({ scores }) => scores.map(({ nodePool }) => nodePool))).toContain(
      'default',
    );
    expect(result.commands.flatMap(({ scores }) => scores.map(({ nodePool }) => nodePool))).not.toContain(
      'other',
    );
  });
});
