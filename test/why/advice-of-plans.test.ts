/** The advice for a pod that no new node is launched for. */
import { describe, expect, test } from 'vitest';
import { azureDiagnosis } from '../../packages/chandler/src/cloud/azure/index.ts';

import { askAbout } from './ask.fixture.ts';
import { aClass, aController, aPool } from './cluster-objects.ts';
import { aClaim, aNode, anEvent, aPod } from './objects.ts';

const ask = (objects: Parameters<typeof askAbout>[1], question = 'pod/shop/web') =>
  askAbout(azureDiagnosis(), objects, question);

describe('a static NodePool with limits.nodes below its replicas', () => {
  const objects = (replicas: number, limit: string, gates = 'StaticCapacity=true') => [
    ...aController({ env: { FEATURE_GATES: gates } }),
    aClass(),
    aPool({
      name: 'ml',
      spec: { replicas, limits: { nodes: limit }, template: { metadata: { labels: { team: 'ml' } } } },
      status: { resources: { nodes: '1' } },
    }),
    aClaim({ name: 'ml-a', pool: 'ml' }),
    aNode({
      name: 'aks-ml-a',
      claim: 'ml-a',
      metadata: { labels: { 'karpenter.sh/nodepool': 'ml', team: 'ml' } },
    }),
    aPod({ age: '1h', spec: { nodeSelector: { team: 'ml' } } }),
  ];

  test.each(['pod/shop/web', 'nodepool/ml'])(
    'is the cause without an event as well: why %s',
    async (question) => {
      const { cause, also } = await ask(objects(3, '1'), question);
      expect(cause?.id).toBe('planning.node-limit');
      expect(cause?.summary).toBe('NodePool ml: limits.nodes is 1, and spec.replicas is 3');
      expect(also).toEqual([]);
    },
  );

  test.each([
    ['which is not below', objects(3, '3')],
    ['which is not reached', objects(3, '2')],
    ['which has no effect, as the feature gate is off', objects(3, '1', 'StaticCapacity=false')],
  ])('is not the cause with a limit %s', async (_, all) => {
    const { cause, also } = await ask(all);
    expect([cause, ...also].map((each) => each?.id)).not.toContain('planning.node-limit');
  });
});

test('a pod that requires a node by its name gets no labels of a NodePool', async () => {
  const message =
    "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) didn't match Pod's node affinity/selector.";
  const { cause } = await ask([
    ...aController(),
    aClass(),
    aPool(),
    aClaim({ age: '24h' }),
    aNode({ age: '24h' }),
    aPod({ age: '1h', spec: { nodeSelector: { 'kubernetes.io/hostname': 'aks-default-x7k2p' } } }),
    anEvent({ on: 'Pod/shop/web', reason: 'FailedScheduling', by: 'default-scheduler', message }, 0),
  ]);
  expect(cause?.id).toBe('scheduling.existing-nodes');
  expect(cause?.fix).toMatch(/^The pod requires node aks-default-x7k2p by its name/);
  expect(cause?.fix).not.toContain('add the labels');
});

describe('a resource that a NodeOverlay would add', () => {
  const overlay = (name: string, chips: string, condition?: object) => ({
    apiVersion: 'karpenter.sh/v1alpha1',
    kind: 'NodeOverlay',
    metadata: { name },
    spec: { requirements: [], capacity: { 'example.com/chip': chips } },
    ...(condition === undefined ? {} : { status: { conditions: [condition] } }),
  });
  const INVALID = {
    type: 'Ready',
    status: 'False',
    reason: 'Conflict',
    message: 'conflict with another overlay',
    lastTransitionTime: '2026-06-01T08:00:00Z',
  };
  const requests = { cpu: '1', 'example.com/chip': '1' };
  const asked = (...overlays: readonly ReturnType<typeof overlay>[]) =>
    ask([
      ...aController({ env: { FEATURE_GATES: 'NodeOverlay=true' } }),
      aClass(),
      aPool(),
      aClaim(),
      aNode({ metadata: { labels: { 'topology.kubernetes.io/region': 'westeurope' } } }),
      aPod({ age: '1h', spec: { containers: [{ name: 'app', image: 'a', resources: { requests } }] } }),
      ...overlays,
    ]);

  test('and that conflicts with another one is named', async () => {
    const { cause } = await asked(overlay('one', '1', INVALID), overlay('two', '2', INVALID));
    expect(cause?.id).toBe('scheduling.resource-unknown');
    expect(cause?.summary).toBe(
      'shop/web: no instance type of any NodePool offers example.com/chip; NodeOverlay one would add it and is not valid (Conflict: conflict with another overlay), and so is two',
    );
    expect(cause?.fix).toMatch(/^Correct NodeOverlay one/);
    expect(cause?.confirm).toContain('kubectl describe nodeoverlay one');
  });

  test('is there where the overlay is valid', async () => {
    const { cause } = await asked(overlay('one', '1'));
    expect(cause?.id).not.toBe('scheduling.resource-unknown');
  });
});
