import { NODES, PODS } from '@chandler/kube';
import { neverAborted } from '@chandler/kube/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { NODE_CLAIMS, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import { CloudError } from '../../packages/chandler/src/cloud/index.ts';

import { type FullStage, fullStage, settledPod } from './all-controllers.ts';

let full: FullStage;
afterEach(() => full.stage.end());

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const advance = (ms: number) => full.stage.world.clock.advance(ms);
const LOCKED = new CloudError('CreateFailed', 'a lock forbids it: the scope is locked', {
  reason: 'ScopeLocked',
});
const OF_AKS = new CloudError('ManagedElsewhere', 'its machine is not touched', {
  reason: 'ManagedByAKS',
  advice: { retry: 'never' },
});

interface Conditioned {
  status?: { conditions?: { type: string; status: string }[] };
}
const conditions = async (name: string) =>
  Object.fromEntries(
    ((await full.stage.get(NODE_CLAIMS, name)) as Conditioned).status!.conditions!.map(({ type, status }) => [
      type,
      status,
    ]),
  );
const told = async (object: string) =>
  (await full.stage.eventsOf(object)).filter(({ reason }) => reason === 'FailedTermination');
const isGone = (name: string) => async () =>
  (await full.stage.get(NODE_CLAIMS, name)) === undefined &&
  (await full.stage.get(NODES, `aks-${name}`)) === undefined;

async function settled(joins = true): Promise<string> {
  full = await fullStage();
  if (joins) return settledPod(full);
  full.stage.cloud.joins = false;
  const waiting = settledPod(full).catch(() => undefined);
  await waiting;
  return (await full.stage.list(NODE_CLAIMS))[0]!.metadata.name!;
}

const annotate = (name: string) =>
  full.stage.admin.patch(
    NODE_CLAIMS,
    { name },
    {
      type: 'merge',
      patch: { metadata: { annotations: { 'karpenter.azure.com/aks-machine-resource-id': '/m' } } },
    },
  );

describe('an instance that the cloud does not delete', () => {
  test('is reported on node and claim, with the reason and what to do; the conditions show that the node is drained', async () => {
    const name = await settled();
    const { stage } = full;
    stage.cloud.undeletable = LOCKED;
    await stage.admin.delete(NODE_POOLS, { name: 'general' });
    await stage.admin.delete(NODE_CLAIMS, { name });
    await advance(5 * MINUTE_MS);
    for (const object of [name, `aks-${name}`]) {
      const events = await told(object);
      expect(events).toHaveLength(1);
      expect(events[0]!.message).toMatch(/^Failed to terminate node, ScopeLocked: .*scope is locked.*lock/);
    }
    expect(await conditions(name)).toMatchObject({ Drained: 'True', VolumesDetached: 'True' });
    expect(stage.world.values.get('karpenter_nodes_drained_total{nodepool="general"}')).toBe(1);
    stage.cloud.undeletable = undefined;
    await stage.until('it goes when it may', isGone(name));
  });

  test('and that never registered is reported on the claim', async () => {
    const name = await settled(false);
    full.stage.cloud.undeletable = LOCKED;
    await full.stage.admin.delete(NODE_POOLS, { name: 'general' });
    await full.stage.admin.delete(NODE_CLAIMS, { name });
    await advance(MINUTE_MS);
    expect(await told(name)).toMatchObject([{ message: expect.stringMatching('ScopeLocked') }]);
  });

  test.each([
    new CloudError('Unreachable', 'no answer'),
    new CloudError('CreateFailed', 'another operation runs', { reason: 'OperationInterrupted' }),
    new CloudError('CreateFailed', 'who knows'),
  ])('is reported after minutes, not after the first error ($reason)', async (error) => {
    const name = await settled();
    full.stage.cloud.undeletable = error;
    await full.stage.admin.delete(NODE_POOLS, { name: 'general' });
    await full.stage.admin.delete(NODE_CLAIMS, { name });
    await advance(MINUTE_MS);
    expect(await told(name)).toEqual([]);
    await advance(5 * MINUTE_MS);
    expect(await told(name)).toHaveLength(1);
  });
});

describe('an instance that AKS created', () => {
  test('does not expire, because we cannot delete it', async () => {
    full = await fullStage();
    const spec = {
      nodeClassRef: { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' },
      requirements: [],
      expireAfter: '1h',
    };
    const name = await settledPod(full, { pool: { template: { spec } } });
    await annotate(name);
    await advance(2 * HOUR_MS);
    expect((await full.stage.get(NODE_CLAIMS, name))!.metadata.deletionTimestamp).toBeUndefined();
  });

  test('is drained when its claim is deleted, also when its node is not Ready, because the instance exists', async () => {
    const name = await settled();
    const { stage } = full;
    await annotate(name);
    stage.cloud.undeletable = OF_AKS;
    stage.cloud.unreadable = OF_AKS;
    const patch = { metadata: { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } } };
    await stage.admin.patch(PODS, { name: 'a', namespace: 'default' }, { type: 'merge', patch });
    stage.playground.standins!.stopNode(`aks-${name}`);
    await advance(2 * MINUTE_MS);
    await stage.admin.delete(NODE_CLAIMS, { name });
    await advance(2 * MINUTE_MS);
    expect(await stage.get(NODES, `aks-${name}`)).toBeDefined();
    expect(await conditions(name)).toMatchObject({ Drained: 'Unknown' });
  });

  test('has its claim removed once AKS has deleted it', async () => {
    const name = await settled();
    const { stage } = full;
    await annotate(name);
    stage.cloud.undeletable = OF_AKS;
    await stage.admin.delete(NODE_POOLS, { name: 'general' });
    await stage.admin.delete(NODE_CLAIMS, { name });
    await advance(5 * MINUTE_MS);
    expect((await told(name))[0]!.message).toMatch(/az aks nodepool delete-machines/);
    expect(await stage.get(NODES, `aks-${name}`)).toBeDefined();
    stage.cloud.machines.clear();
    stage.playground.standins!.stopNode(`aks-${name}`);
    await stage.until('all is gone', isGone(name), 5 * MINUTE_MS);
  });
});

describe('a node that is not Ready', () => {
  test('is looked up rarely, and is drained also when the cloud throttles the lookup', async () => {
    const name = await settled();
    const { stage } = full;
    const { get } = stage.cloud;
    let asked = 0;
    stage.cloud.get = (id) => {
      asked++;
      return get(id, neverAborted());
    };
    stage.cloud.unreadable = new CloudError('Throttled', 'later');
    const patch = { metadata: { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } } };
    await stage.admin.patch(PODS, { name: 'a', namespace: 'default' }, { type: 'merge', patch });
    stage.playground.standins!.stopNode(`aks-${name}`);
    await advance(2 * MINUTE_MS);
    await stage.admin.delete(NODE_CLAIMS, { name });
    await advance(MINUTE_MS);
    expect(await conditions(name)).toMatchObject({ Drained: 'Unknown' });
    asked = 0;
    await advance(2 * MINUTE_MS);
    expect(asked).toBeGreaterThanOrEqual(3);
    expect(asked).toBeLessThanOrEqual(5);
  });
});
