import { PODS } from '@chandler/kube';
import { afterEach, describe, expect, test } from 'vitest';
import {
  AKS_NODE_CLASSES,
  NODE_CLAIMS,
  NODE_OVERLAYS,
  NODE_POOLS,
} from '../../packages/chandler/src/api/index.ts';
import { CloudError } from '../../packages/chandler/src/cloud/index.ts';
import { DEFAULT_SETTINGS } from '../../packages/chandler/src/controllers/testing.ts';

import { type FullStage, fullStage, settledPod } from './all-controllers.ts';
import { NODE_CLASS, pod, pool } from './stage.ts';

let full: FullStage;
afterEach(() => full.stage.end());

const settings = { gates: { ...DEFAULT_SETTINGS.gates, NodeOverlay: true } };
const TYPE = 'node.kubernetes.io/instance-type';

async function overlay(name: string, spec: Record<string, unknown>) {
  const requirements = [{ key: TYPE, operator: 'In', values: ['paper-2'] }];
  await full.stage.apply(NODE_OVERLAYS, {
    apiVersion: 'karpenter.sh/v1alpha1',
    kind: 'NodeOverlay',
    metadata: { name },
    spec: { requirements, ...spec },
  });
  await full.stage.world.clock.advance(2_000);
}
const conditions = async (name: string) =>
  (
    (await full.stage.get(NODE_OVERLAYS, name)) as {
      status?: { conditions?: { type: string; status: string; reason: string; message: string }[] };
    }
  ).status?.conditions;
const verdict = async (name: string) =>
  (await conditions(name))?.find(({ type }) => type === 'ValidationSucceeded');

async function withPool(spec: Record<string, unknown> = {}) {
  full = await fullStage({ settings });
  await full.stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
  await full.stage.apply(NODE_POOLS, pool('general', spec));
  await full.stage.world.clock.advance(2_000);
}

describe('an overlay', () => {
  test('that is valid is Ready', async () => {
    await withPool();
    await overlay('cheap', { price: '0.01' });
    expect(await verdict('cheap')).toMatchObject({ status: 'True' });
    expect((await conditions('cheap'))?.find(({ type }) => type === 'Ready')).toMatchObject({
      status: 'True',
    });
  });

  test('with another price than one of the same weight is in conflict, and so is the other', async () => {
    await withPool();
    await overlay('one', { price: '0.01', weight: 5 });
    await overlay('two', { price: '0.02', weight: 5 });
    const conflict = { status: 'False', reason: 'Conflict', message: 'conflict with another overlay' };
    expect(await verdict('one')).toMatchObject(conflict);
    expect(await verdict('two')).toMatchObject(conflict);
    await full.stage.admin.delete(NODE_OVERLAYS, { name: 'two' });
    await full.stage.world.clock.advance(2_000);
    expect(await verdict('one')).toMatchObject({ status: 'True' });
  });

  test('stays in conflict while the instance types of a pool cannot be read, and is evaluated again after a minute', async () => {
    await withPool();
    await overlay('one', { price: '0.01', weight: 5 });
    await overlay('two', { price: '0.02', weight: 5 });
    const { cloud, world, admin } = full.stage;
    const read = cloud.instanceTypes;
    cloud.instanceTypes = async () => {
      throw new CloudError('Unreachable', 'the cloud does not answer');
    };
    // A change of the pool is a reason to look again.
    const patch = { spec: { weight: 7 } };
    await admin.patch(NODE_POOLS, { name: 'general' }, { type: 'merge', patch });
    await world.clock.advance(5_000);
    expect(await verdict('one')).toMatchObject({ status: 'False', reason: 'Conflict' });
    // Of a new one, nothing is known.
    await overlay('three', { price: '0.03', weight: 9 });
    expect((await verdict('three'))?.status).not.toBe('True');
    await admin.delete(NODE_OVERLAYS, { name: 'two' });
    cloud.instanceTypes = read;
    await world.clock.advance(2 * 60_000);
    expect(await verdict('one')).toMatchObject({ status: 'True' });
    expect(await verdict('three')).toMatchObject({ status: 'True' });
  });

  test('in a cluster with NodePools of another cloud keeps a conflict that the other process found', async () => {
    await withPool();
    const { admin, world, apply } = full.stage;
    const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'theirs' };
    await apply(NODE_POOLS, pool('theirs', { template: { spec: { nodeClassRef, requirements: [] } } }));
    await overlay('one', { price: '0.01', weight: 5 });
    await overlay('two', { price: '0.02', weight: 5 });
    expect(await verdict('one')).toMatchObject({
      message: 'conflict with another overlay in NodePools of AKSNodeClass',
    });
    await admin.delete(NODE_OVERLAYS, { name: 'two' });
    await world.clock.advance(2_000);
    expect(await verdict('one')).toMatchObject({ status: 'True' });
    const found = (await conditions('one'))!.map((condition) =>
      condition.type === 'ValidationSucceeded'
        ? {
            ...condition,
            status: 'False',
            reason: 'Conflict',
            message: 'conflict with another overlay in NodePools of EC2NodeClass',
          }
        : condition,
    );
    const patch = { status: { conditions: found } };
    await admin.patchStatus(NODE_OVERLAYS, { name: 'one' }, { type: 'merge', patch });
    await overlay('three', { price: '0.03', weight: 9 });
    expect(await verdict('one')).toMatchObject({ status: 'False', reason: 'Conflict' });
    // Nobody else judges any more.
    await admin.delete(NODE_POOLS, { name: 'theirs' });
    await world.clock.advance(5_000);
    expect(await verdict('one')).toMatchObject({ status: 'True' });
  });

  test('of another weight is in no conflict', async () => {
    await withPool();
    await overlay('one', { price: '0.01', weight: 5 });
    await overlay('two', { price: '0.02', weight: 6 });
    expect(await verdict('one')).toMatchObject({ status: 'True' });
    expect(await verdict('two')).toMatchObject({ status: 'True' });
  });

  test('is evaluated again when a matching pool is created', async () => {
    full = await fullStage({ settings });
    await overlay('one', { capacity: { 'example.com/gpu': '1' }, weight: 5 });
    await overlay('two', { capacity: { 'example.com/gpu': '2' }, weight: 5 });
    expect(await verdict('one')).toMatchObject({ status: 'True' });
    await full.stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
    await full.stage.apply(NODE_POOLS, pool('general'));
    await full.stage.world.clock.advance(2_000);
    expect(await verdict('one')).toMatchObject({ status: 'False', reason: 'Conflict' });
  });
});

describe('outside of plans an overlay holds as well', () => {
  const device = 'example.com/device';
  const wanting = (name: string) => {
    const limits = { [device]: '1' };
    const resources = { requests: { cpu: '500m', ...limits }, limits };
    return pod(name, { containers: [{ name: 'main', image: 'i', resources }] });
  };

  test('a limit of its resource counts claims that have no instance yet', async () => {
    await withPool({ limits: { [device]: '2' } });
    await overlay('devices', { capacity: { [device]: '1' } });
    full.stage.cloud.limit = 'of the cloud';
    for (const name of ['a', 'b', 'c', 'd']) {
      await full.stage.apply(PODS, wanting(name));
      await full.stage.world.clock.advance(12_000);
    }
    expect(await full.stage.list(NODE_CLAIMS)).toHaveLength(2);
  });

  test('a claim that requests its resource is launched, and its status has it', async () => {
    await withPool();
    await overlay('devices', { capacity: { [device]: '1' } });
    await full.stage.apply(PODS, wanting('a'));
    await full.stage.until('a machine is there', () => full.stage.cloud.machines.size === 1);
    await full.stage.world.clock.advance(1_000);
    const [claim] = await full.stage.list(NODE_CLAIMS);
    expect(claim?.['status']).toMatchObject({ capacity: { [device]: '1' }, allocatable: { [device]: '1' } });
  });

  test('the cost of a pool is at its prices', async () => {
    full = await fullStage({ settings });
    await overlay('cheap', { price: '0.03' });
    await settledPod(full);
    full.stage.world.scrape();
    const costs = [...full.stage.world.values].filter(([key]) =>
      key.startsWith('karpenter_nodepools_cost_total'),
    );
    expect(costs.map(([, value]) => value)).toEqual([0.03]);
  });
});
