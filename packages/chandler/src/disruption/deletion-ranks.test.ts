import { describe, expect, test } from 'vitest';
import type { Pod } from '../scheduling/index.ts';
import { finish } from '../scheduling/index.ts';
import { aPod } from '../scheduling/testing.ts';
import { changedRanks, deletionRanks, REMOVED_COST } from './deletion-ranks.ts';
import { aCluster, aDisruptedPool, aManagedNode, aPdb, NOW, type NodeShape } from './disruption.fixture.ts';
import type { DisruptionInput } from './model.ts';

const web = (name: string, cost?: string): Pod => {
  const pod = aPod(name, { cpu: '1', owner: 'ReplicaSet', labels: { app: 'web' } });
  if (cost === undefined) return pod;
  const annotations = { 'controller.kubernetes.io/pod-deletion-cost': cost };
  return { ...pod, metadata: { ...pod.metadata, annotations } };
};
const node = (name: string, shape: NodeShape = {}) =>
  aManagedNode(name, { pods: [web(`${name}-1`)], ...shape });
const ranksOf = (input: DisruptionInput) => finish(deletionRanks(input, {}, NOW));
const costsOf = (input: DisruptionInput) =>
  Object.fromEntries(ranksOf(input).map(({ name, cost }) => [name, cost]));

describe('pods are deleted first', () => {
  test('on nodes that are being removed, then on drifted ones, then where the saving for the disruption is highest', () => {
    const pods = [web('x-1'), web('x-2'), web('x-3')];
    const costs = costsOf(
      aCluster([
        node('busy', { pods }),
        node('cheap', { type: 's' }),
        node('dear', { type: 'l' }),
        node('drifted', { type: 's', conditions: { Drifted: true } }),
        node('leaving', { more: { deleting: true } }),
        node('marked', { more: { command: 'drifted-1' } }),
      ]),
    );
    expect(costs).toEqual({
      leaving: REMOVED_COST,
      marked: REMOVED_COST,
      drifted: -4,
      dear: -3,
      // $0.20 / 4 and $0.10 / 2 are equal: by name.
      busy: -2,
      cheap: -1,
    });
  });

  test('by ReplicaSets only: other pods and pods that end have no rank', () => {
    const ends = {
      ...web('ends'),
      metadata: { ...web('ends').metadata, deletionTimestamp: '2026-06-02T11:59:00Z' },
    };
    const pods = [web('a'), aPod('agent', { owner: 'DaemonSet' }), aPod('job', { owner: 'Job' }), ends];
    const [rank] = ranksOf(aCluster([node('n', { pods })]));
    expect(rank!.pods.map(({ metadata }) => metadata.name)).toEqual(['a']);
  });

  test('also on a node that has just got a pod, is empty, or whose NodePool removes only empty nodes', () => {
    const pool = aDisruptedPool('default', { policy: 'WhenEmpty', consolidateAfter: '5m' });
    const fresh = node('fresh', { conditions: { Consolidatable: undefined } });
    expect(costsOf(aCluster([fresh, node('empty', { pods: [] })], { pools: [pool] }))).toEqual({
      empty: -2,
      fresh: -1,
    });
  });
});

describe('no deletion cost have the pods of a node', () => {
  const UNRANKED = { n: undefined };

  test.each<[string, NodeShape]>([
    ['with a pod of a StatefulSet', { pods: [web('a'), aPod('db', { owner: 'StatefulSet' })] }],
    ['with a pod of nobody', { pods: [web('a'), aPod('bare')] }],
    ['of an unknown instance type', { type: 'retired' }],
    ['that may not be disrupted', { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } }],
    ['that is not initialized', { more: { initialized: false } }],
  ])('%s', (_, shape) => {
    expect(costsOf(aCluster([node('n', shape)]))).toEqual(UNRANKED);
  });

  test('with a pod that a PodDisruptionBudget holds', () => {
    expect(costsOf(aCluster([node('n')], { budgets: [aPdb('web', 'web', 0)] }))).toEqual(UNRANKED);
  });

  test.each<[string, Parameters<typeof aDisruptedPool>[1]]>([
    ['that is never consolidated', { consolidateAfter: 'Never' }],
    ['that is static', { replicas: 1 }],
  ])('of a NodePool %s', (_, shape) => {
    expect(costsOf(aCluster([node('n')], { pools: [aDisruptedPool('default', shape)] }))).toEqual(UNRANKED);
  });

  test('beyond the budgets, counted for each reason', () => {
    const budgets = [
      { nodes: '1', reasons: ['Drifted' as const] },
      { nodes: '2', reasons: ['Underutilized' as const] },
    ];
    const nodes = ['a', 'b', 'c'].map((name) => node(name));
    const drifted = ['d', 'e'].map((name) => node(name, { conditions: { Drifted: true } }));
    expect(
      costsOf(aCluster([...nodes, ...drifted], { pools: [aDisruptedPool('default', { budgets })] })),
    ).toEqual({
      d: -3,
      a: -2,
      b: -1,
      c: undefined,
      e: undefined,
    });
  });

  test('but pods in kube-system keep no node from its rank', () => {
    const pods = [web('a'), aPod('dns', { owner: 'StatefulSet', namespace: 'kube-system' })];
    expect(costsOf(aCluster([node('n', { pods })]))).toEqual({ n: -1 });
  });

  test('and an unmanaged node is not ranked at all', () => {
    const { claim: _, ...foreign } = node('n');
    expect(ranksOf(aCluster([foreign]))).toEqual([]);
  });
});

describe('what is written', () => {
  const changed = (nodes: Parameters<typeof aCluster>[0]) => {
    const { due, waiting } = changedRanks(ranksOf(aCluster(nodes)));
    return [due.map(({ name }) => name), waiting.length];
  };

  test('is nothing where every pod has its rank', () => {
    const right = node('right', { pods: [web('a', '-1')] });
    const without = node('without', { pods: [web('b'), aPod('bare')] });
    expect(changed([right, without])).toEqual([[], 0]);
  });

  test('is a wrong value, and the removal of one that nobody asked for', () => {
    const wrong = node('wrong', { pods: [web('a', '-1'), web('b', '7')] });
    const stale = node('stale', { pods: [web('c', '-3'), aPod('bare')] });
    expect(changed([wrong, stale])).toEqual([['wrong', 'stale'], 0]);
  });

  test('is at most 50 nodes at a time, and every node that is being removed', () => {
    const nodes = Array.from({ length: 120 }, (_, at) =>
      node(`n-${String(at).padStart(3, '0')}`, { more: { deleting: at < 60 } }),
    );
    const [due, waiting] = changed(nodes) as [string[], number];
    expect([due.length, due.slice(0, 60).every((name) => name < 'n-060'), waiting]).toEqual([110, true, 10]);
  });
});
