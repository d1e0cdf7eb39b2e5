import { EVENTS, NODES, PODS, type ResourceRef } from '@chandler/kube';
import { afterEach, describe, expect, test } from 'vitest';
import { AKS_NODE_CLASSES, NODE_CLAIMS, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import {
  claimHydration,
  drift,
  expiration,
  garbageCollection,
  lifecycle,
  nodeHydration,
  poolCounter,
  poolHash,
  poolReadiness,
  poolValidation,
  provisioner,
} from '../../packages/chandler/src/controllers/index.ts';

import { NODE_CLASS, pod, pool, type StageSet, setStage } from './stage.ts';

let stage: StageSet;
afterEach(() => stage.end());

const controllers = [
  provisioner,
  lifecycle,
  drift,
  expiration,
  garbageCollection,
  claimHydration,
  nodeHydration,
  poolCounter,
  poolHash,
  poolReadiness,
  poolValidation,
];

interface Conditioned {
  status?: { conditions?: { type: string; status: string; reason: string; message: string }[] };
}
const condition = async (resource: ResourceRef, name: string, type: string) =>
  ((await stage.get(resource, name)) as Conditioned | undefined)?.status?.conditions?.find(
    (one) => one.type === type,
  );

/** The status of the class is the cloud's business; here it is put on by hand. */
async function classBecomes(status: 'True' | 'False') {
  const ready = {
    type: 'Ready',
    status,
    reason: status === 'True' ? 'Ready' : 'SubnetNotFound',
    message: 'no such subnet',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  };
  const patch = { status: { conditions: [ready] } };
  await stage.admin.patchStatus(AKS_NODE_CLASSES, { name: 'default' }, { type: 'merge', patch });
}

async function running(spec: Record<string, unknown> = {}) {
  stage = await setStage({ controllers });
  await stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
  await classBecomes('True');
  await stage.apply(NODE_POOLS, pool('general', spec));
  await stage.apply(PODS, pod('a'));
  const initialized = async () =>
    (await stage.list(NODE_CLAIMS)).length === 1 && (await stageOf())?.status === 'True';
  await stage.until('the claim is complete', initialized);
  return (await stage.list(NODE_CLAIMS))[0]!;
}
const stageOf = async () =>
  condition(NODE_CLAIMS, (await stage.list(NODE_CLAIMS))[0]!.metadata.name!, 'Initialized');

describe('a pool', () => {
  test('names what it waits for, and is ready when its class is', async () => {
    stage = await setStage({ controllers });
    await stage.apply(NODE_POOLS, pool('general'));
    await stage.world.clock.advance(100);
    expect(await condition(NODE_POOLS, 'general', 'NodeClassReady')).toMatchObject({
      status: 'False',
      reason: 'NodeClassNotFound',
    });
    await stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
    await stage.world.clock.advance(100);
    expect(await condition(NODE_POOLS, 'general', 'NodeClassReady')).toMatchObject({
      reason: 'NodeClassReadinessUnknown',
    });
    await classBecomes('False');
    await stage.world.clock.advance(100);
    expect(await condition(NODE_POOLS, 'general', 'NodeClassReady')).toMatchObject({
      reason: 'SubnetNotFound',
      message: 'no such subnet',
    });
    await classBecomes('True');
    await stage.world.clock.advance(100);
    expect(await condition(NODE_POOLS, 'general', 'Ready')).toMatchObject({ status: 'True' });
  });

  test('that fails validation names the field and does not plan', async () => {
    stage = await setStage({ controllers });
    await stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
    await classBecomes('True');
    const nodeClassRef = { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' };
    const taint = { key: 'a', effect: 'NoSchedule' };
    const spec = { nodeClassRef, requirements: [], taints: [taint], startupTaints: [taint] };
    await stage.apply(NODE_POOLS, pool('general', { template: { spec } }));
    await stage.apply(PODS, pod('a'));
    await stage.world.clock.advance(15_000);
    const verdict = await condition(NODE_POOLS, 'general', 'ValidationSucceeded');
    expect(verdict).toMatchObject({ status: 'False', reason: 'NodePoolValidationFailed' });
    expect(verdict?.message).toContain('spec.template.spec.startupTaints[0]');
    expect(await stage.list(NODE_CLAIMS)).toEqual([]);
  });

  test('with a schedule that only upstream accepts is Ready, with a warning', async () => {
    const budgets = [{ nodes: '1', schedule: '0 0 9 * * *', duration: '1h' }];
    const claim = await running({ disruption: { budgets } });
    expect(claim.metadata.name).toContain('general');
    expect(await condition(NODE_POOLS, 'general', 'ValidationSucceeded')).toMatchObject({
      status: 'True',
      message: expect.stringContaining('spec.disruption.budgets[0].schedule: a schedule has 5 fields'),
    });
    // The pool is reconciled again and again; the event is not repeated within an hour.
    for (const at of ['1', '2', '3']) {
      await stage.world.clock.advance(10 * 60_000);
      const patch = { metadata: { labels: { at } } };
      await stage.admin.patch(NODE_POOLS, { name: 'general' }, { type: 'merge', patch });
    }
    await stage.world.clock.advance(1_000);
    const events = (await stage.list(EVENTS)) as unknown as { reason: string; type: string; count: number }[];
    const warnings = events.filter(({ reason }) => reason === 'DoubtfulValue');
    expect(warnings).toMatchObject([{ type: 'Warning', count: 1 }]);
  });

  test('counts the resources of its nodes', async () => {
    await running();
    await stage.world.clock.advance(100);
    expect(await stage.get(NODE_POOLS, 'general')).toMatchObject({
      status: { nodes: 1, resources: { nodes: '1', cpu: '2' } },
    });
  });
});

describe('a claim', () => {
  test('drifts when its pool changes, and no longer when the change is reverted', async () => {
    const { name } = (await running()).metadata;
    const relabel = (labels: object) =>
      stage.admin.patch(
        NODE_POOLS,
        { name: 'general' },
        { type: 'merge', patch: { spec: { template: { metadata: { labels } } } } },
      );
    await relabel({ team: 'red' });
    await stage.world.clock.advance(500);
    expect(await condition(NODE_CLAIMS, name!, 'Drifted')).toMatchObject({
      status: 'True',
      reason: 'NodePoolDrifted',
    });
    // The hash differs for an empty map and a missing one, so the whole map is removed.
    await stage.admin.patch(
      NODE_POOLS,
      { name: 'general' },
      {
        type: 'merge',
        patch: { spec: { template: { metadata: null } } },
      },
    );
    await stage.world.clock.advance(500);
    expect(await condition(NODE_CLAIMS, name!, 'Drifted')).toBeUndefined();
  });

  test('drifts when the requirements of the pool exclude its labels, and names the requirement', async () => {
    const { name } = (await running()).metadata;
    const requirements = [{ key: 'topology.kubernetes.io/zone', operator: 'In', values: ['eastus-3'] }];
    const patch = { spec: { template: { spec: { requirements } } } };
    await stage.admin.patch(NODE_POOLS, { name: 'general' }, { type: 'merge', patch });
    await stage.world.clock.advance(500);
    const drifted = await condition(NODE_CLAIMS, name!, 'Drifted');
    expect(drifted).toMatchObject({ reason: 'RequirementsDrifted' });
    expect(drifted?.message).toContain('eastus-3');
  });

  test('does not drift for a well-known label that only its node has', async () => {
    const { name } = (await running()).metadata;
    const labelled = { metadata: { labels: { 'kubernetes.azure.com/mode': 'user' } } };
    await stage.admin.patch(NODES, { name: `aks-${name}` }, { type: 'merge', patch: labelled });
    const require = (mode: string) => {
      const requirements = [{ key: 'kubernetes.azure.com/mode', operator: 'In', values: [mode] }];
      const patch = { spec: { template: { spec: { requirements } } } };
      return stage.admin.patch(NODE_POOLS, { name: 'general' }, { type: 'merge', patch });
    };
    await require('user');
    await stage.world.clock.advance(6 * 60_000);
    expect(await condition(NODE_CLAIMS, name!, 'Drifted')).toBeUndefined();
    await require('system');
    await stage.world.clock.advance(500);
    expect(await condition(NODE_CLAIMS, name!, 'Drifted')).toMatchObject({ reason: 'RequirementsDrifted' });
  });

  test('drifts when the cloud says so', async () => {
    const { name } = (await running()).metadata;
    stage.cloud.drifted = 'ImageDrift';
    await stage.world.clock.advance(6 * 60_000);
    expect(await condition(NODE_CLAIMS, name!, 'Drifted')).toMatchObject({
      reason: 'ImageDrift',
      message: 'as the test says',
    });
  });

  describe('expires', () => {
    const nodeClassRef = { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' };
    const spec = { template: { spec: { nodeClassRef, requirements: [], expireAfter: '1h' } } };
    const going = async (name: string) => {
      const claim = await stage.get(NODE_CLAIMS, name);
      return claim === undefined || claim.metadata.deletionTimestamp !== undefined;
    };

    test('at its age', async () => {
      const { name } = (await running(spec)).metadata;
      await stage.world.clock.advance(55 * 60_000);
      expect(await going(name!)).toBe(false);
      await stage.until('it goes', () => going(name!), 6 * 60_000);
    });

    test('only when the freeze of its NodePool is over', async () => {
      const { name } = (await running(spec)).metadata;
      const freeze = (value: string | null) =>
        stage.admin.patch(
          NODE_POOLS,
          { name: 'general' },
          { type: 'merge', patch: { metadata: { annotations: { 'chandler.sh/freeze': value } } } },
        );
      await freeze('true');
      await stage.world.clock.advance(90 * 60_000);
      expect(await going(name!)).toBe(false);
      await freeze(null);
      await stage.until('it goes', () => going(name!), 11 * 60_000);
    });
  });

  test('whose instance is gone is deleted, but not on the first list', async () => {
    const claim = await running();
    stage.cloud.machines.clear();
    await stage.playground.standins!.removeNode(`aks-${claim.metadata.name}`);
    await stage.world.clock.advance(60_000);
    expect((await stage.get(NODE_CLAIMS, claim.metadata.name!))?.metadata.deletionTimestamp).toBeUndefined();
    await stage.until(
      'it is deleted',
      async () => {
        const now = await stage.get(NODE_CLAIMS, claim.metadata.name!);
        return now === undefined || now.metadata.deletionTimestamp !== undefined;
      },
      10 * 60_000,
    );
  });
});

describe('an instance without a claim', () => {
  test('is terminated, but not while it is young', async () => {
    const claim = await running();
    const machine = [...stage.cloud.machines.values()][0]!;
    const stray = {
      ...machine.instance,
      providerID: 'azure:///paper/stray',
      name: 'stray',
      claimUid: 'nobody',
    };
    stage.cloud.machines.set('nobody', { instance: stray, deleting: false });
    await stage.world.clock.advance(60_000);
    expect(stage.cloud.machines.size).toBe(2);
    await stage.until('only the owned one is left', () => stage.cloud.machines.size === 1, 10 * 60_000);
    expect([...stage.cloud.machines.keys()]).toEqual([claim.metadata.uid]);
  });
});
