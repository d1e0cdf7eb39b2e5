import { expect, test } from 'vitest';
import type { Report, ReportedNode } from '../simulate/report.ts';
import { whatIfOf } from './what-if-answer.ts';

const aNode = (pricePerHour: number, ...pods: readonly string[]) =>
  ({
    nodePool: 'general',
    instanceType: 'D4',
    zone: '1',
    capacityType: 'spot',
    pricePerHour,
    pods: pods.map((name) => ({ name })),
  }) as unknown as ReportedNode;

const aRefusal = (pods: readonly string[], pools: readonly object[] = []) =>
  ({ pods, pools, problem: null, text: '' }) as unknown as Report['refusals'][number];

test('pods that were pending before are counted separately: nodes, price and refusals are those of the manifests', () => {
  const answer = whatIfOf(
    {
      nodes: [aNode(0.1, 'shop/web-0', 'old/a'), aNode(0.2, 'old/b'), aNode(0.1, 'shop/web-1')],
      existingNodes: [aNode(0.5, 'shop/web-2', 'old/c')],
      refusals: [aRefusal(['old/d', 'shop/web-3']), aRefusal(['old/e'])],
    },
    new Set(['old/a', 'old/b', 'old/c', 'old/d', 'old/e']),
  );
  expect(answer).toMatchObject({
    nodes: [{ count: 2, pods: 1 }],
    onExisting: 1,
    pricePerHour: 0.2,
    refused: [{ workload: 'shop/web', count: 1 }],
    pendingBefore: { pods: 5, refused: 2, nodes: 1, pricePerHour: 0.2 },
  });
});

test('a refusal is in the words of why, with what is missing', () => {
  const tooLarge = { code: 'ResourceInsufficient', resource: 'cpu', requested: '900', available: '192' };
  const tainted = { code: 'TaintNotTolerated', taint: { key: 'spot', effect: 'NoSchedule' } };
  const refusal = aRefusal(
    ['shop/web-0'],
    [
      { nodePool: 'general', refusal: tooLarge },
      { nodePool: 'large', refusal: tooLarge },
      { nodePool: 'spot', refusal: tainted },
    ],
  );
  const { refused } = whatIfOf({ nodes: [], existingNodes: [], refusals: [refusal] }, new Set());
  expect(refused[0]?.text).toBe(
    'NodePools general, large: a pod needs 900 cpu with its daemons; the largest instance type offers 192; NodePool spot: taint spot:NoSchedule is not tolerated',
  );
});
