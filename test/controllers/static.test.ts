import { NODES, PODS } from '@chandler/kube';
import { afterEach, describe, expect, test } from 'vitest';
import { AKS_NODE_CLASSES, NODE_CLAIMS, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import { DEFAULT_SETTINGS } from '../../packages/chandler/src/controllers/testing.ts';

import { type FullStage, fullStage } from './all-controllers.ts';
import { NODE_CLASS, pod, pool } from './stage.ts';

let full: FullStage;
afterEach(() => full.stage.end());

const settings = { gates: { ...DEFAULT_SETTINGS.gates, StaticCapacity: true } };

async function staticPool(spec: Record<string, unknown>) {
  full = await fullStage({ settings });
  await full.stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
  await full.stage.apply(NODE_POOLS, pool('fixed', spec));
}
const claims = () => full.stage.list(NODE_CLAIMS);
const names = async () => (await claims()).map(({ metadata }) => metadata.name!);
const nodes = (count: number) => async () =>
  (await full.stage.list(NODES)).length === count && (await claims()).length === count;
const scale = (replicas: number) =>
  full.stage.admin.patch(NODE_POOLS, { name: 'fixed' }, { type: 'merge', patch: { spec: { replicas } } });

describe('a static pool', () => {
  test('launches its nodes without any pod, and leaves the instance type to the cloud', async () => {
    const requirements = [{ key: 'topology.kubernetes.io/zone', operator: 'In', values: ['eastus-2'] }];
    const nodeClassRef = { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' };
    const template = { metadata: { labels: { team: 'red' } }, spec: { nodeClassRef, requirements } };
    await staticPool({ replicas: 3, template });
    await full.stage.until('three nodes', nodes(3));
    const [claim] = await claims();
    const asked = (claim!['spec'] as { requirements: { key: string; values: string[] }[] }).requirements;
    expect(asked.find(({ key }) => key === 'node.kubernetes.io/instance-type')).toBeUndefined();
    expect(asked.find(({ key }) => key === 'topology.kubernetes.io/zone')?.values).toEqual(['eastus-2']);
    expect(claim?.metadata.labels).toMatchObject({ 'karpenter.sh/nodepool': 'fixed', team: 'red' });
    expect((await full.stage.list(NODES))[0]?.metadata.labels).toMatchObject({ team: 'red' });
  });

  test('replaces a deleted claim, under another name', async () => {
    await staticPool({ replicas: 2 });
    await full.stage.until('two nodes', nodes(2));
    const before = await names();
    await full.stage.admin.delete(NODE_CLAIMS, { name: before[0]! });
    await full.stage.until('the first is gone', async () => !(await names()).includes(before[0]!));
    await full.stage.until('two again', nodes(2));
    expect(await names()).toContain(before[1]);
  });

  test('creates no claim twice, also across a restart', async () => {
    await staticPool({ replicas: 3 });
    await full.stage.until('claims are there', async () => (await claims()).length === 3);
    await full.restart();
    await full.stage.world.clock.advance(5 * 60_000);
    expect(await claims()).toHaveLength(3);
    expect([...full.stage.cloud.launches.values()]).toEqual([1, 1, 1]);
  });

  test('deletes empty nodes first', async () => {
    await staticPool({ replicas: 3 });
    await full.stage.until('three nodes', nodes(3));
    await full.stage.apply(PODS, pod('a'));
    const nodeOf = async () =>
      ((await full.stage.get(PODS, 'a'))?.['spec'] as { nodeName?: string } | undefined)?.nodeName;
    await full.stage.until('the pod has a node', async () => (await nodeOf()) !== undefined);
    const home = await nodeOf();
    await scale(1);
    await full.stage.until('one node', nodes(1));
    expect((await full.stage.list(NODES))[0]?.metadata.name).toBe(home);
  });

  test('scales to zero and up again', async () => {
    await staticPool({ replicas: 2 });
    await full.stage.until('two nodes', nodes(2));
    await scale(0);
    await full.stage.until('none', nodes(0));
    await scale(1);
    await full.stage.until('one', nodes(1));
  });

  test('respects its limit', async () => {
    await staticPool({ replicas: 5, limits: { nodes: '2' } });
    await full.stage.until('two nodes', nodes(2));
    await full.stage.world.clock.advance(3 * 60_000);
    expect(await claims()).toHaveLength(2);
  });

  test('scales no faster than the launch guard allows, and publishes an event', async () => {
    full = await fullStage({ settings: { ...settings, maxLaunchesPerMinute: 2 } });
    await full.stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
    await full.stage.apply(NODE_POOLS, pool('fixed', { replicas: 5 }));
    await full.stage.world.clock.advance(20_000);
    expect(await claims()).toHaveLength(2);
    expect((await full.stage.eventsOf('fixed')).map(({ reason }) => reason)).toContain('LaunchesLimited');
    await full.stage.until('all five', nodes(5), 4 * 60_000);
  });

  test('does nothing while the gate is off', async () => {
    full = await fullStage();
    await full.stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
    await full.stage.apply(NODE_POOLS, pool('fixed', { replicas: 2 }));
    await full.stage.world.clock.advance(3 * 60_000);
    expect(await claims()).toEqual([]);
  });
});
