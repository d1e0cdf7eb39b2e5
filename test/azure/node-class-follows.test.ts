import { PODS } from '@chandler/kube';
import { afterEach, describe, expect, test } from 'vitest';
import { AKS_NODE_CLASSES, type AKSNodeClass } from '../../packages/chandler/src/api/index.ts';
import { type FullStage, fullStage, settledPod } from '../controllers/all-controllers.ts';
import { NODE_CLASS, pod } from '../controllers/stage.ts';

let full: FullStage;
afterEach(() => full.stage.end());

const SET =
  '/subscriptions/00000000-0000-0000-0000-000000000002/resourceGroups/keys/providers/Microsoft.Compute/diskEncryptionSets/des';
const FORBIDDEN = {
  code: 'KeyVaultAccessForbidden',
  message: "Unable to access key vault resource of disk encryption set 'des' to enable encryption at rest.",
};

async function classNow(name = 'default') {
  const found = (await full.stage.get(AKS_NODE_CLASSES, name)) as unknown as AKSNodeClass;
  const ready = found.status?.conditions?.find(({ type }) => type === 'Ready');
  return { set: found.status?.diskEncryptionSet?.id, ready: ready?.status, message: ready?.message };
}

describe('a node class that is being deleted', () => {
  test('is not Ready, and the event of a pending pod names it', async () => {
    full = await fullStage();
    const { stage } = full;
    await settledPod(full);
    expect(await classNow()).toMatchObject({ ready: 'True' });
    await stage.admin.delete(AKS_NODE_CLASSES, { name: 'default' });
    await stage.apply(PODS, pod('b', { nodeSelector: { 'topology.kubernetes.io/zone': 'eastus-3' } }));
    await stage.world.clock.advance(15_000);
    expect(await classNow()).toMatchObject({
      ready: 'False',
      message: 'the AKSNodeClass is being deleted',
    });
    const [failed] = (await stage.eventsOf('b')).filter(({ message }) =>
      message.startsWith('Failed to schedule pod'),
    );
    expect(failed?.message).toContain(
      'nodepool "general" is left out, its AKSNodeClass default is being deleted',
    );
    expect(failed?.message).not.toContain('no dynamic nodepools found');
  });
});

describe('a node class follows', () => {
  test("Azure's answer about its disk encryption set within one reconcile", async () => {
    full = await fullStage();
    const { stage, azure } = full;
    await stage.apply(AKS_NODE_CLASSES, {
      ...NODE_CLASS,
      spec: { osDiskDiskEncryptionSetID: SET },
    });
    await stage.apply(AKS_NODE_CLASSES, { ...NODE_CLASS, metadata: { name: 'other' } });
    await stage.world.clock.advance(2_000);
    expect(await classNow()).toMatchObject({ set: SET, ready: 'True' });
    const looks = azure.looks.length;
    azure.launchEvidence.refused(SET.toUpperCase(), FORBIDDEN, stage.world.clock.now());
    await stage.world.clock.advance(1_000);
    expect(await classNow()).toMatchObject({ ready: 'False' });
    expect((await classNow()).message).toContain('ValidationSucceeded=False');
    // The class with the platform's key has nothing to do with it.
    expect(await classNow('other')).toMatchObject({ ready: 'True' });
    expect(azure.looks.slice(looks).map(({ metadata }) => metadata.name)).not.toContain('other');
    // It is checked again every minute.
    const afterRefusal = azure.looks.length;
    await stage.world.clock.advance(61_000);
    expect(azure.looks.slice(afterRefusal).map(({ metadata }) => metadata.name)).toContain('default');
    azure.launchEvidence.accepted(SET, stage.world.clock.now());
    await stage.world.clock.advance(1_000);
    expect(await classNow()).toMatchObject({ ready: 'True' });
  });

  test('a change of the option that names the disk encryption set within seconds', async () => {
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
    await stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
    await stage.world.clock.advance(2_000);
    expect(await classNow()).toMatchObject({ set: undefined, ready: 'True' });
    const looks = azure.looks.length;
    for (const listener of listeners) listener(['batchIdleDuration']);
    await stage.world.clock.advance(1_000);
    expect(azure.looks).toHaveLength(looks);
    azure.diskEncryptionSet = SET;
    for (const listener of listeners) listener(['nodeOsdiskDiskencryptionsetId']);
    await stage.world.clock.advance(1_000);
    expect(await classNow()).toMatchObject({ set: SET, ready: 'True' });
  });
});
