import { NODES, PODS } from '@chandler/kube';
import { neverAborted } from '@chandler/kube/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { AKS_NODE_CLASSES, NODE_CLAIMS } from '../../packages/chandler/src/api/index.ts';
import { CloudError } from '../../packages/chandler/src/cloud/index.ts';
import { lifecycle, provisioner } from '../../packages/chandler/src/controllers/index.ts';
import {
  CLAIMS,
  ClaimPatch,
  finalize,
  LifecycleReporter,
} from '../../packages/chandler/src/controllers/testing.ts';

import { NODE_CLASS, pod, readyPool, type StageSet, setStage } from './stage.ts';

let stage: StageSet;
afterEach(() => stage.end());

const MINUTE_MS = 60_000;
const claimUids = async () => (await stage.list(NODE_CLAIMS)).map(({ metadata }) => metadata.uid);
const onePodWaits = async () => {
  stage = await setStage({ controllers: [provisioner, lifecycle] });
  await stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
  await readyPool(stage, 'general');
  await stage.apply(PODS, pod('a'));
};

test('the launch record of a claim stays the same when the class or the cluster changes before the launch completes', async () => {
  await onePodWaits();
  const { create } = stage.cloud;
  let looks = 0;
  stage.cloud.create = async (request) => {
    const step = await create(request, neverAborted());
    if (step.state !== 'launched') return step;
    looks++;
    const annotations = {
      'chandler.sh/cluster-ca': `of look ${looks}`,
      ...(looks > 1 ? { later: 'known' } : {}),
    };
    const instance = { ...step.instance, annotations };
    return looks < 3
      ? { ...step, instance, settled: false, retryAfterMs: 1_000 }
      : { ...step, instance, settled: true };
  };
  await stage.until('it is settled', () => looks === 3);
  await stage.world.clock.advance(1_000);
  expect((await stage.list(NODE_CLAIMS))[0]!.metadata.annotations).toMatchObject({
    'chandler.sh/cluster-ca': 'of look 1',
    later: 'known',
  });
});

test('a node registers while the cloud does not answer to the rest of its launch', async () => {
  await onePodWaits();
  const { create } = stage.cloud;
  let looks = 0;
  stage.cloud.create = async (request) => {
    looks++;
    if (looks > 1) throw new CloudError('Unreachable', 'the cloud does not answer');
    const step = await create(request, neverAborted());
    return step.state === 'launched' ? { ...step, settled: false, retryAfterMs: 1_000 } : step;
  };
  await stage.until('it is launched', () => looks > 1);
  await stage.world.clock.advance(20 * MINUTE_MS);
  const claims = await stage.list(NODE_CLAIMS);
  expect(claims).toHaveLength(1);
  expect(claims[0]!['status']).toMatchObject({
    conditions: expect.arrayContaining([
      expect.objectContaining({ type: 'Registered', status: 'True' }),
      expect.objectContaining({ type: 'Initialized', status: 'True' }),
    ]),
  });
});

test('the capacity of a claim stays that of its launch when its size is no longer offered', async () => {
  await onePodWaits();
  const { create } = stage.cloud;
  let looks = 0;
  stage.cloud.create = async (request) => {
    const step = await create(request, neverAborted());
    if (step.state !== 'launched') return step;
    looks++;
    return looks === 1
      ? { ...step, settled: false, retryAfterMs: 1_000 }
      : { ...step, instance: { ...step.instance, capacity: {}, allocatable: {} }, settled: true };
  };
  await stage.until('it is settled', () => looks === 2);
  await stage.world.clock.advance(1_000);
  expect((await stage.list(NODE_CLAIMS))[0]!.status).toMatchObject({
    capacity: { cpu: expect.anything() },
    allocatable: { cpu: expect.anything() },
  });
});

describe('a claim without a usable class', () => {
  test.each(['missing', 'terminating'])(
    '(%s) is deleted as without capacity, with NodeClassResolutionError',
    async (which) => {
      stage = await setStage({ controllers: [] });
      if (which === 'terminating') {
        const metadata = { name: 'default', finalizers: ['example.com/held'] };
        await stage.apply(AKS_NODE_CLASSES, { ...NODE_CLASS, metadata });
        await stage.admin.delete(AKS_NODE_CLASSES, { name: 'default' });
      }
      await stage.start([lifecycle]);
      await stage.apply(NODE_CLAIMS, {
        apiVersion: 'karpenter.sh/v1',
        kind: 'NodeClaim',
        metadata: { name: 'alone', labels: { 'karpenter.sh/nodepool': 'general' } },
        spec: {
          nodeClassRef: { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' },
          requirements: [],
          resources: { requests: {} },
        },
      });
      await stage.until('it is deleted', async () => (await stage.list(NODE_CLAIMS)).length === 0);
      const problem = which === 'missing' ? 'does not exist' : 'is being deleted';
      expect(await stage.eventsOf('alone')).toContainEqual({
        reason: 'NodeClassResolutionError',
        message: `Failed resolving NodeClass: AKSNodeClass default (karpenter.azure.com) ${problem}`,
      });
      const disrupted = [...stage.world.values].filter(([name]) =>
        name.startsWith('karpenter_nodeclaims_disrupted_total'),
      );
      expect(disrupted).toEqual([[expect.stringContaining('reason="insufficient_capacity"'), 1]]);
      expect(stage.cloud.machines.size).toBe(0);
    },
  );
});

describe('a launch that waits', () => {
  test('for the cloud times out after five minutes', async () => {
    await onePodWaits();
    stage.cloud.limit = 'of the cloud';
    await stage.until('a claim is there', async () => (await claimUids()).length === 1);
    const [first] = await claimUids();
    await stage.world.clock.advance(6 * MINUTE_MS);
    expect(await claimUids()).not.toContain(first);
  });

  test('for our own rate limit does not time out, because a replacement would wait too; its timeout starts with its turn', async () => {
    await onePodWaits();
    stage.cloud.limit = 'ours';
    await stage.until('a claim is there', async () => (await claimUids()).length === 1);
    const before = await claimUids();
    await stage.world.clock.advance(20 * MINUTE_MS);
    expect(await claimUids()).toEqual(before);
    stage.cloud.limit = 'of the cloud';
    await stage.world.clock.advance(4 * MINUTE_MS);
    expect(await claimUids()).toEqual(before);
    await stage.world.clock.advance(2 * MINUTE_MS);
    expect(await claimUids()).not.toContain(before[0]);
  });

  test('for our own rate limit has the full registration timeout once it is launched', async () => {
    await onePodWaits();
    stage.cloud.limit = 'ours';
    await stage.until('a claim is there', async () => (await claimUids()).length === 1);
    const before = await claimUids();
    await stage.world.clock.advance(20 * MINUTE_MS);
    stage.cloud.joins = false;
    stage.cloud.limit = undefined;
    await stage.until('a machine is there', () => stage.cloud.machines.size === 1);
    await stage.world.clock.advance(14 * MINUTE_MS);
    expect(await claimUids()).toEqual(before);
    await stage.world.clock.advance(2 * MINUTE_MS);
    expect(await claimUids()).not.toContain(before[0]);
  });

  test('has a new timeout when another process takes over, because the time it waited for the rate limit is unknown', async () => {
    await onePodWaits();
    stage.cloud.limit = 'ours';
    await stage.until('a claim is there', async () => (await claimUids()).length === 1);
    const before = await claimUids();
    await stage.world.clock.advance(20 * MINUTE_MS);
    stage.cloud.limit = 'of the cloud';
    await stage.start([provisioner, lifecycle]);
    await stage.world.clock.advance(4 * MINUTE_MS);
    expect(await claimUids()).toEqual(before);
    await stage.world.clock.advance(2 * MINUTE_MS);
    expect(await claimUids()).not.toContain(before[0]);
  });
});

describe('a claim that is deleted', () => {
  test('waits for the Node of its instance that no watch has shown yet', async () => {
    await onePodWaits();
    await stage.until('the node is registered', async () =>
      (await stage.list(NODES)).some(({ metadata }) => (metadata.finalizers ?? []).length > 0),
    );
    await stage.start([]);
    const [{ metadata }] = (await stage.list(NODE_CLAIMS)) as [{ metadata: { name: string } }];
    await stage.admin.delete(NODE_CLAIMS, { name: metadata.name });
    const { stores } = stage.context;
    const blind = {
      ...stage.context,
      signal: neverAborted(),
      stores: Object.create(stores, {
        nodes: { value: { failingMs: 0, store: { by: () => [] } } },
      }) as typeof stores,
    };
    const step = async () => {
      const claimPatch = new ClaimPatch(
        await stage.admin.get(CLAIMS, { name: metadata.name }),
        stage.world.clock.now(),
      );
      const result = await finalize(blind, claimPatch, new LifecycleReporter(blind));
      await stage.world.clock.advance(result.requeueAfterMs ?? 0);
    };
    for (let steps = 0; stage.cloud.machines.size > 0 && steps < 10; steps++) await step();
    await step();
    const [node] = await stage.list(NODES);
    expect(node?.metadata.deletionTimestamp).toBeDefined();
    expect(await claimUids()).toHaveLength(1);
    const patch = { metadata: { finalizers: [] } };
    await stage.admin.patch(NODES, { name: node!.metadata.name! }, { type: 'merge', patch });
    await step();
    expect(await claimUids()).toEqual([]);
  });
});
