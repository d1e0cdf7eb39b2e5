import { EVENTS, PODS } from '@chandler/kube';
import { afterEach, describe, expect, test } from 'vitest';
import { AKS_NODE_CLASSES, NODE_CLAIMS, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import { type FullStage, fullStage, settledPod, UNDISRUPTED } from './all-controllers.ts';
import { NODE_CLASS, pod, pool } from './stage.ts';

let full: FullStage;
afterEach(() => full.stage.end());

const HASH = 'karpenter.azure.com/aksnodeclass-hash';
const VERSION = 'karpenter.azure.com/aksnodeclass-hash-version';
const IN_PLACE = 'karpenter.azure.com/in-place-update-hash';

interface Conditioned {
  status?: { conditions?: { type: string; status: string; reason: string }[]; kubernetesVersion?: string };
}
const nodeClass = () => full.stage.get(AKS_NODE_CLASSES, 'default');
const ready = async () =>
  ((await nodeClass()) as Conditioned | undefined)?.status?.conditions?.find(({ type }) => type === 'Ready');
const editClass = (patch: object) =>
  full.stage.admin.patch(AKS_NODE_CLASSES, { name: 'default' }, { type: 'merge', patch });
const annotate = (annotations: Record<string, string | null>) => editClass({ metadata: { annotations } });

describe('a node class', () => {
  test('gets its status, hash and finalizer, and pending pods get a node', async () => {
    full = await fullStage();
    const { stage } = full;
    await stage.apply(PODS, pod('a'));
    await stage.apply(NODE_POOLS, pool('general'));
    await stage.world.clock.advance(5_000);
    expect(await stage.list(NODE_CLAIMS)).toEqual([]);
    await stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
    await stage.until('a claim is made', async () => (await stage.list(NODE_CLAIMS)).length === 1, 3_000);
    const made = await nodeClass();
    expect((made as Conditioned).status?.kubernetesVersion).toBe('1.34.2');
    expect(await ready()).toMatchObject({ status: 'True' });
    expect(made?.metadata.finalizers).toEqual(['karpenter.azure.com/termination']);
    expect(made?.metadata.annotations).toMatchObject({
      [VERSION]: 'v3',
      [HASH]: expect.stringMatching(/^\d+$/),
    });
  });

  test('reports what is wrong, checks again, and recovers', async () => {
    full = await fullStage();
    full.azure.subnetMissing = true;
    await full.stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
    await full.stage.world.clock.advance(2_000);
    const custom =
      '/subscriptions/sub/resourceGroups/net/providers/Microsoft.Network/virtualNetworks/vnet/subnets/other';
    await editClass({ spec: { vnetSubnetID: custom } });
    await full.stage.world.clock.advance(2_000);
    expect(await ready()).toMatchObject({ status: 'False' });
    full.azure.subnetMissing = false;
    await full.stage.until('it is ready', async () => (await ready())?.status === 'True', 5 * 60_000);
  });

  test('that is deleted waits for its claims, names them, and is removed with the last', async () => {
    full = await fullStage();
    const { stage } = full;
    const name = await settledPod(full);
    await stage.admin.delete(AKS_NODE_CLASSES, { name: 'default' });
    await stage.world.clock.advance(10_000);
    expect((await nodeClass())?.metadata.deletionTimestamp).toBeDefined();
    const events = (await stage.list(EVENTS)).filter(
      ({ reason }) => reason === 'WaitingOnNodeClaimTermination',
    );
    expect(events[0]).toMatchObject({
      type: 'Normal',
      message: `Waiting on NodeClaim termination for ${name}`,
      involvedObject: { kind: 'AKSNodeClass' },
    });
    await stage.admin.delete(NODE_CLAIMS, { name });
    await stage.until('both are gone', async () => (await nodeClass()) === undefined);
    expect(await stage.get(NODE_CLAIMS, name)).toBeUndefined();
  });
});

describe('a new hash version', () => {
  test('writes the new hash to claims that have not drifted, and only the version to those that have', async () => {
    full = await fullStage();
    const { stage } = full;
    const name = await settledPod(full, { pool: UNDISRUPTED });
    const hash = (await nodeClass())!.metadata.annotations![HASH]!;
    const old = { [HASH]: '1', [VERSION]: 'v2' };
    const claim = { type: 'merge' as const, patch: { metadata: { annotations: old } } };
    await stage.admin.patch(NODE_CLAIMS, { name }, claim);
    await annotate(old);
    await stage.world.clock.advance(2_000);
    expect((await stage.get(NODE_CLAIMS, name))?.metadata.annotations).toMatchObject({
      [HASH]: hash,
      [VERSION]: 'v3',
    });

    stage.cloud.drifted = 'ImageDrift';
    await stage.world.clock.advance(6 * 60_000);
    await stage.admin.patch(NODE_CLAIMS, { name }, claim);
    await annotate(old);
    await stage.world.clock.advance(2_000);
    expect((await stage.get(NODE_CLAIMS, name))?.metadata.annotations).toMatchObject({
      [HASH]: '1',
      [VERSION]: 'v3',
    });
    expect((await nodeClass())?.metadata.annotations).toMatchObject({ [HASH]: hash, [VERSION]: 'v3' });
  });
});

describe('tags and identities', () => {
  test('are updated when the class changes, and the claim records the update', async () => {
    full = await fullStage();
    const { stage, azure } = full;
    const name = await settledPod(full);
    let patched = false;
    azure.update = async () => {
      if (patched) return { state: 'checked', annotations: { [IN_PLACE]: '77' } };
      patched = true;
      return { state: 'patched', retryAfterMs: 5_000 };
    };
    await editClass({ spec: { tags: { team: 'red' } } });
    await stage.world.clock.advance(1_000);
    expect(patched).toBe(true);
    expect((await stage.get(NODE_CLAIMS, name))?.metadata.annotations?.[IN_PLACE]).toBeUndefined();
    await stage.world.clock.advance(6_000);
    expect((await stage.get(NODE_CLAIMS, name))?.metadata.annotations?.[IN_PLACE]).toBe('77');
    const asked = azure.updates.length;
    await stage.world.clock.advance(60_000);
    expect(azure.updates).toHaveLength(asked);
  });

  test('are updated when their option changes at runtime, and not for another option', async () => {
    const listeners = new Set<(names: readonly string[]) => void>();
    full = await fullStage({
      settings: {
        onChange: (listener) => {
          listeners.add(listener);
          return () => void listeners.delete(listener);
        },
      },
    });
    const { stage, azure } = full;
    const name = await settledPod(full);
    const change = async (option: string) => {
      azure.updates.length = 0;
      for (const listener of listeners) listener([option]);
      await stage.world.clock.advance(1_000);
      return azure.updates;
    };
    expect(await change('batchIdleDuration')).toEqual([]);
    expect(await change('additionalTags')).toEqual([name]);
    expect(await change('nodeIdentities')).toEqual([name]);
    // Also when a machine is being looked at for the value before.
    let answer: () => void = () => undefined;
    azure.update = async () => {
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      return { state: 'checked', annotations: { [IN_PLACE]: '5' } };
    };
    await change('additionalTags');
    expect(await change('additionalTags')).toEqual([]);
    answer();
    await stage.world.clock.advance(1_000);
    expect(azure.updates).toEqual([name]);
    answer();
  });

  test('a correct hash of another version is not written again', async () => {
    full = await fullStage();
    const { stage, azure } = full;
    const name = await settledPod(full);
    const patch = { metadata: { annotations: { [IN_PLACE]: '5' } } };
    await stage.admin.patch(NODE_CLAIMS, { name }, { type: 'merge', patch });
    azure.update = async () => ({
      state: 'checked',
      annotations: { [IN_PLACE]: '5', 'chandler.sh/in-place-update': '{}' },
    });
    await full.restart();
    const before = stage.writes.length;
    await stage.world.clock.advance(60_000);
    expect(azure.updates).toContain(name);
    expect(stage.writes.slice(before)).toEqual([]);
  });
});

describe('leftovers of launches', () => {
  const nic = (name: string) => ({
    part: 'nic' as const,
    id: `/nics/${name}`,
    name,
    why: 'it has no NodeClaim',
  });

  test('are removed step by step, and resources of a claim are kept', async () => {
    full = await fullStage();
    const name = await settledPod(full);
    full.azure.orphans = [nic('aks-gone-1'), nic(`aks-${name}`)];
    await full.stage.world.clock.advance(6 * 60_000);
    expect(full.azure.removed).toEqual(['/nics/aks-gone-1']);
    expect(full.azure.asked).toEqual(['/nics/aks-gone-1', '/nics/aks-gone-1']);
  });

  test('instances are left to the garbage collection of claims', async () => {
    full = await fullStage();
    await settledPod(full);
    full.azure.orphans = [{ ...nic('aks-gone-2'), part: 'vm' }];
    await full.stage.world.clock.advance(11 * 60_000);
    expect(full.azure.asked).toEqual([]);
  });
});
