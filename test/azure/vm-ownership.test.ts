import type { Stored } from '@chandler/kube';
import { neverAborted } from '@chandler/kube/testing';
import { afterEach, describe, expect, test } from 'vitest';
import type { NodeClaim } from '../../packages/chandler/src/api/index.ts';
import {
  aClaim,
  inventory,
  removeVm,
  settleMachine,
  type VmCloud,
  type VmCloudOptions,
  vmCloud,
} from './vm-cloud.fixture.ts';

let open: VmCloud | undefined;

async function azure(options: VmCloudOptions = {}): Promise<VmCloud> {
  open = await vmCloud(options);
  return open;
}

afterEach(async () => {
  await open?.close();
  open = undefined;
});

async function launched(fixture: VmCloud, claim: Stored<NodeClaim>): Promise<Stored<NodeClaim>> {
  const { last } = await settleMachine(fixture, fixture.cloud, claim, fixture.nodeClass());
  return { ...claim, status: { providerID: last.instance.providerID } };
}

describe('an orphan that was found earlier', () => {
  test('is not confused with the VM of a new claim of the same name', async () => {
    const fixture = await azure();
    const old = await launched(fixture, aClaim('a', { uid: 'old' }));
    await fixture.clock.advance(10 * 60_000);
    const { garbage } = fixture.startProcess().cloud;
    const [orphan] = await garbage.find([], neverAborted());
    expect(orphan).toMatchObject({ part: 'vm', name: 'aks-a' });
    await removeVm(fixture, fixture.cloud, old);
    await launched(fixture, aClaim('a', { uid: 'new' }));
    expect(await garbage.remove(orphan!, neverAborted())).toEqual({ state: 'gone' });
    await fixture.clock.advance(60_000);
    expect(inventory(fixture)).toMatchObject({ vms: ['aks-a'], nics: ['aks-a'], disks: ['aks-a'] });
  });

  test('and neither is its network interface', async () => {
    const fixture = await azure();
    const claim = aClaim('a', { uid: 'old' });
    await fixture.cloud.create({ claim, nodeClass: fixture.nodeClass() }, neverAborted());
    await fixture.clock.advance(10 * 60_000);
    const { garbage } = fixture.startProcess().cloud;
    const [orphan] = await garbage.find([], neverAborted());
    expect(orphan).toMatchObject({ part: 'nic', name: 'aks-a' });
    await removeVm(fixture, fixture.cloud, claim);
    await fixture.cloud.create(
      { claim: aClaim('a', { uid: 'new' }), nodeClass: fixture.nodeClass() },
      neverAborted(),
    );
    expect(await garbage.remove(orphan!, neverAborted())).toEqual({ state: 'gone' });
    await fixture.clock.advance(60_000);
    expect(inventory(fixture).nics).toEqual(['aks-a']);
  });
});

describe('a claim that names a VM in another resource group or subscription', () => {
  test.each([
    ['resourceGroups/[^/]+', 'resourceGroups/elsewhere'],
    ['subscriptions/[^/]+', 'subscriptions/12345678-0000-0000-0000-000000000000'],
  ])('is not reported as gone: it may still run there (%s)', async (from, to) => {
    const fixture = await azure();
    const claim = await launched(fixture, aClaim('a'));
    const elsewhere = claim.status!.providerID!.replace(new RegExp(from), to);
    const failing = fixture.cloud.delete({ ...claim, status: { providerID: elsewhere } }, neverAborted());
    await expect(failing).rejects.toMatchObject({
      name: 'CloudError',
      reason: 'MachineElsewhere',
      message: expect.stringContaining('node-resource-group'),
    });
    await expect(fixture.cloud.get(elsewhere, neverAborted())).rejects.toMatchObject({
      reason: 'MachineElsewhere',
    });
    expect(inventory(fixture).vms).toEqual(['aks-a']);
  });

  test.each(['no VM', 'a VM'])(
    'whose launch settles is kept, and retried, with %s of its name here',
    async (here) => {
      const { cloud, claim, nodeClass, fixture } = await elsewhere();
      if (here === 'no VM') await removeVm(fixture, cloud, aClaim('a'));
      const failing = cloud.create({ claim, nodeClass }, neverAborted());
      await expect(failing).rejects.toMatchObject({
        reason: 'MachineElsewhere',
        advice: { retry: 'backoff' },
        instanceFailed: false,
      });
    },
  );

  test('is neither updated in place nor adopted with what a VM of the same name has', async () => {
    const { cloud, claim, nodeClass } = await elsewhere();
    const refused = { reason: 'MachineElsewhere' };
    await expect(cloud.updateInPlace({ claim, nodeClass }, neverAborted())).rejects.toMatchObject(refused);
    await expect(cloud.adopt({ claim, nodeClass }, neverAborted())).rejects.toMatchObject(refused);
  });

  /** A VM of the same name is in our resource group. */
  async function elsewhere() {
    const fixture = await azure();
    const { status, ...claim } = await launched(fixture, aClaim('a'));
    const providerID = status!.providerID!.replace(/resourceGroups\/[^/]+/, 'resourceGroups/elsewhere');
    const { cloud } = fixture.startProcess();
    return { fixture, cloud, claim: { ...claim, status: { providerID } }, nodeClass: fixture.nodeClass() };
  }
});

test('a claim with a VM made by AKS gets none of ours, even before it names its VM', async () => {
  const fixture = await azure();
  const claim = aClaim('theirs');
  const annotations = { 'karpenter.azure.com/aks-machine-resource-id': '/machines/theirs' };
  const made = { ...claim, metadata: { ...claim.metadata, annotations } };
  const step = await fixture.cloud.create({ claim: made, nodeClass: fixture.nodeClass() }, neverAborted());
  expect(step.state).toBe('waiting');
  await fixture.clock.advance(60_000);
  expect(inventory(fixture).vms).toEqual([]);
  expect(inventory(fixture).nics).toEqual([]);
});
