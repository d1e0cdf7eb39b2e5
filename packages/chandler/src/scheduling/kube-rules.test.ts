/** Rare forms of pod specs, as kube-scheduler reads them. */
import { describe, expect, test } from 'vitest';
import { aNode, aPod, bound, cluster, HOST, oneOf, pods, spreadOver, ZONE } from './cluster.fixture.ts';
import type { NodeSelectorTerm, Pod } from './model.ts';
import { solve } from './solve.ts';

function withInit(name: string, hostPort: number, restartPolicy?: string): Pod {
  const pod = aPod(name, { cpu: '100m' });
  const init = { name: 'init', ports: [{ hostPort, containerPort: hostPort }] };
  const initContainers = [restartPolicy === undefined ? init : { ...init, restartPolicy }];
  return { ...pod, spec: { ...pod.spec, initContainers } };
}

function requiring(...nodeSelectorTerms: NodeSelectorTerm[]): Pod {
  const requiredDuringSchedulingIgnoredDuringExecution = { nodeSelectorTerms };
  return aPod('p', { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution } } });
}

describe('host ports', () => {
  test('of a sidecar are in use as long as the pod runs', () => {
    const list = [withInit('one', 9000, 'Always'), withInit('two', 9000, 'Always')];
    expect(solve(cluster({ pods: list })).counts.claims).toBe(2);
  });

  test('of other init containers do not count', () => {
    expect(solve(cluster({ pods: [withInit('one', 9000), withInit('two', 9000)] })).counts.claims).toBe(1);
  });
});

describe('a spread with an empty selector', () => {
  test('counts no pod', () => {
    const nodes = [aNode('n', { cpu: '1' })];
    const boundPods = bound('n', ...pods(3, 'old', { labels: { app: 'web' } }));
    for (const key of [HOST, ZONE]) {
      const shape = spreadOver(key, 'web', { labelSelector: {} });
      const plan = solve(cluster({ nodes, boundPods, pods: pods(3, 'web', { cpu: '100m', ...shape }) }));
      expect(plan.placements.map(({ pods: placed }) => placed.length)).toEqual([3]);
    }
  });
});

describe('a required node selector term without conditions', () => {
  test('matches no node; another term may match', () => {
    const term = { matchExpressions: [oneOf(ZONE, 'zone-b')] };
    const plan = solve(cluster({ pods: [requiring({}, term)] }));
    expect(plan.claims[0]!.requirements).toContainEqual(oneOf(ZONE, 'zone-b'));
  });

  test('refuses the pod when there is no other', () => {
    const plan = solve(cluster({ pods: [requiring({}, { matchExpressions: [] })] }));
    expect(plan.refusals[0]!.problem).toEqual({
      code: 'InvalidPod',
      field: 'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms',
      problem: 'no term has a condition, so no node matches',
    });
  });
});
