/**
 * A spread over hosts while nodes are being removed: as long as they exist they are hosts without pods for kube-scheduler, unless
 * the spread honors taints. A plan that puts all pods on one host would leave them pending until then.
 */
import { describe, expect, test } from 'vitest';
import { aNode, aPool, bound, cluster, HOST, pods, spreadOver, ZONE } from './cluster.fixture.ts';
import type { Plan } from './plan.ts';
import { prepare, solve } from './solve.ts';

const old = ['old-1', 'old-2', 'old-3'].map((name) => aNode(name, { zone: 'zone-a' }));
const kept = aNode('kept', { zone: 'zone-a' });
/** No new node is possible. */
const pools = [aPool('full', { limits: { nodes: '0' } })];

const web = (more: object = {}) =>
  pods(3, 'web', { cpu: '100m', labels: { app: 'web' }, ...spreadOver(HOST, 'web', more) });

/** On the node that stays. */
function placed({ placements }: Plan): number {
  return placements.reduce((sum, { pods: names }) => sum + names.length, 0);
}

/** All nodes but one are removed. */
function placedWithout(more: object = {}, nodes = old): number {
  const group = web(more);
  const boundPods = group.flatMap((pod, index) => bound(`old-${index + 1}`, pod));
  const { solveWithout } = prepare(cluster({ pools, nodes: [kept, ...nodes], boundPods }));
  return placed(solveWithout({ nodes: nodes.map(({ name }) => name), extraPods: group }));
}

/** The same, once the nodes are marked. */
function placedWhileLeaving(more: object = {}, leavingNodes = old): number {
  const group = web(more);
  const leavingPods = group.flatMap((pod, index) => bound(`old-${index + 1}`, pod));
  return placed(solve(cluster({ pools, nodes: [kept], leavingNodes, leavingPods, pods: group })));
}

describe('a spread over hosts, when all hosts but one are removed', () => {
  test('allows as many pods on the last host as the skew', () => {
    expect(placedWithout()).toBe(1);
    expect(placedWhileLeaving()).toBe(1);
    expect(placedWithout({ maxSkew: 2 })).toBe(2);
    expect(placedWhileLeaving({ maxSkew: 2 })).toBe(2);
  });

  test('allows all pods there when it honors taints', () => {
    expect(placedWithout({ nodeTaintsPolicy: 'Honor' })).toBe(3);
    expect(placedWhileLeaving({ nodeTaintsPolicy: 'Honor' })).toBe(3);
  });

  test('allows all pods there once the others are gone', () => {
    expect(placed(solve(cluster({ pools, nodes: [kept], pods: web() })))).toBe(3);
  });

  test('does not count removed hosts that the pods do not select', () => {
    const selecting = web().map((pod) => ({
      ...pod,
      spec: { ...pod.spec, nodeSelector: { [ZONE]: 'zone-a' } },
    }));
    const elsewhere = old.map(({ name }) => aNode(name, { zone: 'zone-b' }));
    const inputs = [elsewhere, old].map((leavingNodes) =>
      cluster({ pools, nodes: [kept], leavingNodes, pods: selecting }),
    );
    expect(inputs.map((input) => placed(solve(input)))).toEqual([3, 1]);
  });
});
