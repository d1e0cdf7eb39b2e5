import type { Node, Pod, Stored } from '@chandler/kube';
import { describe, expect, test } from 'vitest';
import { aClusterSnapshot, aNode, aPod, type PodOptions } from '../builders.fixture.ts';
import { feasibleNodes } from './fits.ts';
import { comparePods, PodQueue } from './pod-queue.ts';
import { chooseNode } from './score.ts';

function choose(
  pod: Stored<Pod>,
  nodes: readonly Stored<Node>[],
  pods: readonly Stored<Pod>[] = [],
): string | undefined {
  const snapshot = aClusterSnapshot(nodes, pods);
  return chooseNode(pod, feasibleNodes(pod, snapshot).nodes, snapshot)?.name;
}

describe('the choice among nodes', () => {
  test('equal nodes are taken by name', () => {
    expect(choose(aPod('p'), [aNode('c'), aNode('b'), aNode('a')])).toBe('a');
  });

  test('the emptier node is better', () => {
    expect(choose(aPod('p'), [aNode('a'), aNode('b')], [aPod('x', { cpu: '1', node: 'a' })])).toBe('b');
  });

  test('pods without requests are not all scheduled to the first node', () => {
    expect(choose(aPod('p'), [aNode('a'), aNode('b')], [aPod('x', { node: 'a' })])).toBe('b');
  });

  test('pods of one owner are spread', () => {
    const owner = { kind: 'ReplicaSet', name: 'web', uid: 'web' };
    const pods = [aPod('w1', { node: 'a', owner })];
    expect(choose(aPod('w2', { owner }), [aNode('a'), aNode('b')], pods)).toBe('b');
  });

  test('PreferNoSchedule taints are avoided, preferred labels are followed', () => {
    const tainted = aNode('a', { taints: [{ key: 'x', effect: 'PreferNoSchedule' }] });
    expect(choose(aPod('p'), [tainted, aNode('b')])).toBe('b');
    const preference = { matchExpressions: [{ key: 'disk', operator: 'In', values: ['ssd'] }] };
    const nodeAffinity = { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference }] };
    const options: PodOptions = { spec: { affinity: { nodeAffinity } } };
    expect(choose(aPod('p', options), [aNode('a'), aNode('b', { labels: { disk: 'ssd' } })])).toBe('b');
  });

  test('soft spread prefers the domain with fewer pods', () => {
    const spec = {
      topologySpreadConstraints: [
        {
          topologyKey: 'zone',
          maxSkew: 1,
          whenUnsatisfiable: 'ScheduleAnyway',
          labelSelector: { matchLabels: { app: 'web' } },
        },
      ],
    };
    const nodes = [aNode('a', { labels: { zone: '1' } }), aNode('b', { labels: { zone: '2' } })];
    const there = [aPod('w', { node: 'a', labels: { app: 'web' } })];
    expect(choose(aPod('p', { labels: { app: 'web' }, spec }), nodes, there)).toBe('b');
  });
});

describe('the queue', () => {
  test('goes by priority, then age, then name', () => {
    const pods = [
      aPod('late', { created: '2026-01-02T00:00:00Z' }),
      aPod('b', { created: '2026-01-01T00:00:00Z' }),
      aPod('a', { created: '2026-01-01T00:00:00Z' }),
      aPod('vip', { created: '2026-01-03T00:00:00Z', spec: { priority: 10 } }),
    ];
    expect([...pods].sort(comparePods).map((pod) => pod.metadata.name)).toEqual(['vip', 'a', 'b', 'late']);
    const queue = new PodQueue();
    for (const pod of pods) queue.add(pod);
    expect([queue.take(), queue.take()].map((pod) => pod?.metadata.name)).toEqual(['vip', 'a']);
  });

  test('an unschedulable pod waits until a change may help it', () => {
    const queue = new PodQueue();
    queue.add(aPod('p'));
    expect(queue.take()?.metadata.name).toBe('p');
    expect(queue.take()).toBeUndefined();
    queue.retry(() => false);
    expect(queue.take()).toBeUndefined();
    queue.retry(() => true);
    expect(queue.take()?.metadata.name).toBe('p');
    queue.remove('default/p');
    queue.retry(() => true);
    expect(queue.take()).toBeUndefined();
  });
});
