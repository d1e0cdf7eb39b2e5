import { describe, expect, test } from 'vitest';
import type { DisruptionNode } from '../../packages/chandler/src/disruption/index.ts';
import {
  aDisruptedPool,
  aManagedNode,
  aPdb,
  type ClusterShape,
  NOW,
  type NodeShape,
  type PoolShape,
} from '../../packages/chandler/src/disruption/testing.ts';
import type { Pod } from '../../packages/chandler/src/scheduling/index.ts';
import { aPod } from '../../packages/chandler/src/scheduling/testing.ts';
import {
  annotated,
  assorted,
  DO_NOT_DISRUPT,
  gone,
  keepsOf,
  MINUTE,
  onDemandOnly,
  plan,
  protectedPod,
  removed,
  replicas,
} from './specs.fixture.ts';

const DRIFTED = { Drifted: true, Consolidatable: undefined };

describe('a drifted node', () => {
  const POOLS = [assorted({ consolidateAfter: 'Never' })];
  const drifted = (name: string, own: readonly Pod[], shape: NodeShape = {}) =>
    aManagedNode(name, {
      type: 't11',
      cpu: 32,
      pods: own,
      ...shape,
      conditions: { ...DRIFTED, ...shape.conditions },
    });
  const other = () =>
    aManagedNode('other', { type: 't11', cpu: 32, conditions: { Consolidatable: undefined } });
  const of = (nodes: readonly DisruptionNode[], shape: ClusterShape = {}, nowMs = NOW) =>
    plan(nodes, { pools: POOLS, ...shape }, {}, nowMs);

  test('is replaced', () => {
    expect(of([drifted('a', replicas(1, 'a'))]).commands).toMatchObject([
      { method: 'drift', decision: 'replace', replacements: [{}] },
    ]);
  });

  test('is deleted if its pods fit on another node', () => {
    expect(of([drifted('a', replicas(1, 'a')), other()]).commands).toMatchObject([
      { method: 'drift', decision: 'delete', destinations: [{ node: 'other' }] },
    ]);
  });

  test('that is empty is deleted, also where consolidation is disabled', () => {
    expect(of([drifted('a', [])]).commands).toMatchObject([{ method: 'drift', decision: 'delete' }]);
  });

  test('that is empty and consolidatable is deleted once', () => {
    const pools = [assorted()];
    expect(removed(of([drifted('a', [], { conditions: { Consolidatable: true } })], { pools }))).toEqual([
      ['a'],
    ]);
  });

  test('that is empty goes before one with pods', () => {
    const pools = [assorted({ consolidateAfter: 'Never', budgets: [{ nodes: '1' }] })];
    expect(removed(of([drifted('a', replicas(1, 'a')), drifted('b', [])], { pools }))).toEqual([['b']]);
  });

  test('whose pods fit nowhere does not hold up the next', () => {
    const result = of([drifted('a', [aPod('huge', { cpu: '150' })]), drifted('b', replicas(1, 'b', '1'))]);
    expect(gone(result)).toEqual(['b']);
    expect(keepsOf(result, 'a')).toContain('PodsUnschedulable');
  });

  test('is one with the condition True: not without it, not with False', () => {
    const calm = drifted('a', replicas(1, 'a'), { conditions: { Drifted: undefined } });
    expect(gone(of([calm]))).toEqual([]);
    const node = drifted('a', replicas(1, 'a'));
    const conditions = node.claim!.status!.conditions!.map((condition) =>
      condition.type === 'Drifted' ? { ...condition, status: 'False' as const } : condition,
    );
    const claim = { ...node.claim!, status: { ...node.claim!.status, conditions } };
    expect(gone(of([{ ...node, claim }]))).toEqual([]);
  });

  test.each([
    ['true', []],
    ['false', ['a']],
  ])('with the annotation %s: removed %j', (value, expected) => {
    const node = drifted('a', replicas(1, 'a'), { annotations: { [DO_NOT_DISRUPT]: value } });
    expect(gone(of([node, other()]))).toEqual(expected);
  });

  test('with a protected pod stays', () => {
    expect(gone(of([drifted('a', [protectedPod('held')])]))).toEqual([]);
  });

  test('with a protected pod and a terminationGracePeriod gets no replacement for it', () => {
    const claimSpec = { terminationGracePeriod: '5m' };
    const { commands } = of([drifted('a', [protectedPod('held')], { claimSpec })]);
    expect(commands.flatMap(({ replacements }) => replacements)).toEqual([]);
  });

  test('with a pod that a budget blocks for good and a terminationGracePeriod gets no replacement for it', () => {
    const pdb = aPdb('pdb', 'held', 0);
    const budgets = [{ ...pdb, spec: { ...pdb.spec, maxUnavailable: 0 } }];
    const node = drifted('a', replicas(1, 'held'), { claimSpec: { terminationGracePeriod: '5m' } });
    const { commands } = of([node], { budgets });
    expect(commands.flatMap(({ replacements }) => replacements)).toEqual([]);
  });

  test('waits while the annotation of a pod lasts', () => {
    const pod = annotated(
      replicas(1, 'a')[0]!,
      { [DO_NOT_DISRUPT]: '2m' },
      {
        status: { phase: 'Running', startTime: new Date(NOW).toISOString() },
      },
    );
    expect(gone(of([drifted('a', [pod])]))).toEqual([]);
    expect(gone(of([drifted('a', [pod])], {}, NOW + 3 * MINUTE))).toEqual(['a']);
  });

  test('waits for the longest annotation of its pods', () => {
    const timed = (name: string, time: string) =>
      annotated(
        aPod(name, { cpu: '100m' }),
        { [DO_NOT_DISRUPT]: time },
        {
          status: { phase: 'Running', startTime: new Date(NOW).toISOString() },
        },
      );
    const node = drifted('a', [timed('one', '1m'), timed('three', '3m')]);
    const goneAt = (minutes: number) => gone(of([node], {}, NOW + minutes * MINUTE));
    expect([goneAt(0), goneAt(2), goneAt(4)]).toEqual([[], [], ['a']]);
  });

  test('goes where the annotation of its pod cannot be read', () => {
    const pod = annotated(replicas(1, 'a')[0]!, { [DO_NOT_DISRUPT]: 'invalid-format' });
    expect(gone(of([drifted('a', [pod]), other()]))).toEqual(['a']);
  });

  test('may be replaced by several', () => {
    const types = [onDemandOnly('current', 8, 0.5), onDemandOnly('next', 3, 0.3)];
    const requirements = [
      { key: 'node.kubernetes.io/instance-type', operator: 'In' as const, values: ['next'] },
    ];
    const pools = [aDisruptedPool('default', { types, requirements, consolidateAfter: 'Never' })];
    const node = aManagedNode('a', {
      type: 'current',
      cpu: 8,
      pods: replicas(3, 'a', '2'),
      conditions: DRIFTED,
    });
    expect(plan([node], { pools }).commands).toMatchObject([
      { decision: 'replace', replacements: [{}, {}, {}] },
    ]);
  });

  test('goes before one that drifted later', () => {
    const pools = [assorted({ consolidateAfter: 'Never', budgets: [{ nodes: '1' }] })];
    const at = (name: string, time: string) =>
      drifted(name, replicas(1, name, '20'), { conditions: { Drifted: time } });
    const nodes = [at('late', '2026-06-02T11:00:00Z'), at('early', '2026-06-02T10:00:00Z')];
    expect(removed(of(nodes, { pools }))).toEqual([['early']]);
  });

  test('is replaced where all other nodes are being deleted', () => {
    const leaving = Array.from({ length: 9 }, (_, at) =>
      aManagedNode(`gone-${at}`, { type: 't11', cpu: 3, more: { deleting: true } }),
    );
    const result = of([drifted('a', replicas(1, 'a', '2')), ...leaving]);
    expect(result.commands).toMatchObject([{ decision: 'replace', candidates: [{ name: 'a' }] }]);
  });

  test('with a pod on a local volume is replaced: the host of the volume does not count', () => {
    const pod = aPod('db', {
      cpu: '100m',
      owner: 'StatefulSet',
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
    });
    const onHost = (source: object) => ({
      metadata: { name: 'pv' },
      spec: {
        ...source,
        nodeAffinity: {
          required: {
            nodeSelectorTerms: [
              { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['a'] }] },
            ],
          },
        },
      },
    });
    const planned = (source: object) =>
      of([drifted('a', [pod])], {
        scheduling: {
          volumes: {
            claims: [
              {
                metadata: { name: 'data', namespace: 'shop' },
                spec: { volumeName: 'pv' },
                status: { phase: 'Bound' },
              },
            ],
            volumes: [onHost(source)],
          },
        },
      });
    expect(planned({ local: { path: '/data' } }).commands).toMatchObject([{ decision: 'replace' }]);
    expect(gone(planned({ csi: { driver: 'disk', volumeHandle: 'x' } }))).toEqual([]);
  });

  test('of a static NodePool is no candidate', () => {
    const pools = [assorted({ replicas: 2 })];
    const result = of([drifted('a', []), drifted('b', [])], { pools });
    expect(result.commands.map(({ method }) => method)).toEqual(['static-drift', 'static-drift']);
  });
});

describe('drifted nodes of static NodePools', () => {
  const nodesOf = (count: number, pool = 'default', shape: NodeShape = {}) =>
    Array.from({ length: count }, (_, at) =>
      aManagedNode(`${pool}-${at}`, {
        pool,
        cpu: 32,
        ...shape,
        conditions: { ...DRIFTED, ...shape.conditions },
      }),
    );
  const poolOf = (replicasWanted: number, shape: PoolShape = {}, name = 'default') =>
    aDisruptedPool(name, { replicas: replicasWanted, budgets: [{ nodes: '100%' }], ...shape });
  const counts = ({ commands }: ReturnType<typeof plan>) =>
    Object.fromEntries(
      [...Map.groupBy(commands, ({ candidates }) => candidates[0]!.nodePool)].map(([name, own]) => [
        name,
        own.length,
      ]),
    );

  test.each([
    ['2', 2],
    ['20%', 1],
  ])('of five, a budget of %s allows %d', (nodes, count) => {
    const pools = [poolOf(5, { budgets: [{ nodes, reasons: ['Drifted'] }] })];
    const result = plan(nodesOf(5), { pools });
    expect(counts(result)).toEqual({ default: count });
    for (const command of result.commands)
      expect(command).toMatchObject({ method: 'static-drift', decision: 'replace', replacements: [{}] });
    expect(result.budgets.find(({ reason }) => reason === 'Drifted')).toMatchObject({ allowed: count });
  });

  test('of several pools go by the budget of each', () => {
    const budget = (nodes: string): PoolShape => ({ budgets: [{ nodes, reasons: ['Drifted'] }] });
    const pools = [
      poolOf(4, budget('1'), 'p1'),
      poolOf(3, budget('2'), 'p2'),
      poolOf(2, budget('100%'), 'p3'),
    ];
    const result = plan(
      ['p1', 'p2', 'p3'].flatMap((name) => nodesOf(2, name)),
      { pools },
    );
    expect(counts(result)).toEqual({ p1: 1, p2: 2, p3: 2 });
  });

  test.each([
    ['none at the limit', 5, '5', 0],
    ['all below it', 2, '5', 2],
    ['some of them', 5, '7', 2],
  ])('%s: %d nodes and limits.nodes %s allow %d', (_, count, limit, expected) => {
    const result = plan(nodesOf(count), { pools: [poolOf(5, { limits: { nodes: limit } })] });
    expect(removed(result)).toHaveLength(expected);
    if (expected === 0) expect(keepsOf(result, 'default-0')).toContain('StaticNodeLimit');
  });

  test('go one after the other where the limit leaves room for one', () => {
    const pools = [poolOf(5, { limits: { nodes: '6' } })];
    let nodes: readonly DisruptionNode[] = nodesOf(5);
    for (let pass = 0; pass < 5; pass++) {
      const result = plan(nodes, { pools });
      expect(removed(result)).toHaveLength(1);
      const fresh = aManagedNode(`fresh-${pass}`, { cpu: 32, conditions: { Consolidatable: undefined } });
      nodes = [...nodes.filter(({ name }) => name !== gone(result)[0]), fresh];
    }
    expect(removed(plan(nodes, { pools }))).toEqual([]);
  });

  test('wait while there are more nodes than replicas, and go then', () => {
    const pools = [poolOf(1)];
    const two = nodesOf(2);
    expect(keepsOf(plan(two, { pools }), 'default-0')).toContain('StaticScaling');
    expect(gone(plan(two.slice(0, 1), { pools }))).toEqual(['default-0']);
  });

  test('of several pools do not depend on each other', () => {
    const pools = [poolOf(3, {}, 'p1'), poolOf(2, { limits: { nodes: '2' } }, 'p2'), poolOf(2, {}, 'p3')];
    const result = plan(
      ['p1', 'p2', 'p3'].flatMap((name) => nodesOf(2, name)),
      { pools },
    );
    expect(counts(result)).toEqual({ p1: 2, p3: 2 });
  });

  test('stay where no replicas are wanted', () => {
    expect(gone(plan(nodesOf(1), { pools: [poolOf(0)] }))).toEqual([]);
  });

  test('all go without a limit', () => {
    expect(removed(plan(nodesOf(5), { pools: [poolOf(5)] }))).toHaveLength(5);
  });

  test('are those with the condition True and without the annotation', () => {
    const pools = [poolOf(1)];
    expect(gone(plan(nodesOf(1, 'default', { conditions: { Drifted: undefined } }), { pools }))).toEqual([]);
    const [node] = nodesOf(1);
    const conditions = node!.claim!.status!.conditions!.map((condition) =>
      condition.type === 'Drifted' ? { ...condition, status: 'False' as const } : condition,
    );
    const claim = { ...node!.claim!, status: { ...node!.claim!.status, conditions } };
    expect(gone(plan([{ ...node!, claim }], { pools }))).toEqual([]);
    const annotations = { [DO_NOT_DISRUPT]: 'true' };
    expect(gone(plan(nodesOf(1, 'default', { annotations }), { pools }))).toEqual([]);
  });
});
