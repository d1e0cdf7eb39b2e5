import type { KubeObject } from '@chandler/kube';
import { expect, test } from 'vitest';
import { Inventory } from '../simulate/inventory.ts';
import { KINDS_OF_DISRUPTION } from '../simulate/kinds.table.ts';
import { NO_CATALOGUES } from '../simulate/simulate.fixture.ts';
import { toInput } from '../simulate/to-input.ts';
import { toDisruption } from './to-disruption.ts';

const POOL = { 'karpenter.sh/nodepool': 'general' };
const spec = {
  nodeClassRef: { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' },
  requirements: [],
};
const True = (type: string, reason = type) => ({ type, status: 'True', reason, message: '' });

function disruptionOf(objects: readonly (readonly [string, object])[]) {
  const inventory = new Inventory(KINDS_OF_DISRUPTION);
  for (const [kind, object] of objects) inventory.addLive(kind, object as KubeObject);
  const { input } = toInput(inventory, NO_CATALOGUES, { pools: [], options: {} });
  return toDisruption(inventory, NO_CATALOGUES, input);
}

test('nodes are joined with their claims and pods; claims without a Node and unmanaged Nodes are nodes, too', () => {
  const { nodes } = disruptionOf([
    ['Node', { metadata: { name: 'n1', labels: POOL } }],
    ['Node', { metadata: { name: 'system' } }],
    [
      'NodeClaim',
      {
        metadata: { name: 'c1', labels: POOL },
        spec,
        status: { nodeName: 'n1', conditions: [True('Registered'), True('Initialized')] },
      },
    ],
    ['NodeClaim', { metadata: { name: 'c2', labels: POOL }, spec }],
    ['Pod', { metadata: { name: 'web', namespace: 'shop' }, spec: { nodeName: 'n1', containers: [] } }],
    ['Pod', { metadata: { name: 'waits', namespace: 'shop' }, spec: { containers: [] } }],
  ]);
  expect(
    nodes.map(({ name, nodePool, claim, initialized, pods }) => [
      name,
      nodePool,
      claim?.metadata.name,
      initialized,
      pods.length,
    ]),
  ).toEqual([
    ['n1', 'general', 'c1', true, 1],
    ['system', undefined, undefined, true, 0],
    ['c2', 'general', 'c2', false, 0],
  ]);
});

test('a node with the taint of disrupted nodes is part of a command, until it is being deleted', () => {
  const taints = [{ key: 'karpenter.sh/disrupted', effect: 'NoSchedule' }];
  const claim = (name: string, deletionTimestamp?: string) => ({
    metadata: { name, labels: POOL, ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }) },
    spec,
    status: { nodeName: `node-${name}`, conditions: [True('DisruptionReason', 'Drifted')] },
  });
  const { nodes } = disruptionOf([
    ['Node', { metadata: { name: 'node-a', labels: POOL }, spec: { taints } }],
    ['Node', { metadata: { name: 'node-b', labels: POOL }, spec: { taints } }],
    ['NodeClaim', claim('a')],
    ['NodeClaim', claim('b', '2026-01-01T00:00:00Z')],
  ]);
  expect(nodes.map(({ command, deleting }) => [command, deleting])).toEqual([
    ['of reason Drifted', false],
    [undefined, true],
  ]);
});

test('every NodePool is there with its defaults, also one that is static or not Ready, and PodDisruptionBudgets are', () => {
  const template = { spec };
  const status = { conditions: [True('Ready')] };
  const { pools, scheduling, podDisruptionBudgets } = disruptionOf([
    ['NodePool', { metadata: { name: 'general' }, spec: { template }, status }],
    ['NodePool', { metadata: { name: 'broken' }, spec: { template } }],
    ['NodePool', { metadata: { name: 'fixed' }, spec: { template, replicas: 2 } }],
    ['PodDisruptionBudget', { metadata: { name: 'db', namespace: 'shop' }, spec: {} }],
  ]);
  expect(pools.map(({ nodePool }) => nodePool.metadata.name)).toEqual(['general', 'broken', 'fixed']);
  expect(pools[0]!.nodePool.spec.disruption).toMatchObject({
    consolidateAfter: '0s',
    consolidationPolicy: 'WhenEmptyOrUnderutilized',
    budgets: [{ nodes: '10%' }],
  });
  expect(scheduling.pools.map(({ nodePool }) => nodePool.metadata.name)).toEqual(['general']);
  expect(podDisruptionBudgets).toHaveLength(1);
});

test('a terminating pod still uses its node, a finished one does not', () => {
  const pod = (name: string, more: object, status: object = {}) =>
    [
      'Pod',
      { metadata: { name, namespace: 'shop', ...more }, spec: { nodeName: 'n1', containers: [] }, status },
    ] as const;
  const { scheduling } = disruptionOf([
    ['Node', { metadata: { name: 'n1' } }],
    pod('runs', {}),
    pod('ends', { deletionTimestamp: '2026-01-01T00:00:00Z' }),
    pod('done', { deletionTimestamp: '2026-01-01T00:00:00Z' }, { phase: 'Succeeded' }),
  ]);
  expect(scheduling.boundPods!.map(({ metadata }) => metadata.name)).toEqual(['runs', 'ends']);
});
