import { neverAborted } from '@chandler/kube/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { adoptionRecords, exemptByAdoption } from '../../packages/chandler/src/cloud/azure/testing.ts';
import { isCloudError } from '../../packages/chandler/src/cloud/index.ts';
import { everyNth } from '../part.ts';
import type { ByokAzureOptions } from './byok.fixture.ts';
import { aClaim, type ByokCloud, byokCloud, encryptionSetOf, type Launched } from './byok-cloud.fixture.ts';

const SET =
  '/subscriptions/00000000-0000-4000-8000-000000000001/resourceGroups/playground/providers/Microsoft.Compute/diskEncryptionSets/des-playground';
const BY_ENV = { env: { NODE_OSDISK_DISKENCRYPTIONSET_ID: SET } };
const OTHER = SET.replace('des-playground', 'des-other');
const RECORD = 'chandler.sh/disk-encryption-set';

let open: ByokCloud | undefined;

async function byok(options: ByokAzureOptions): Promise<ByokCloud> {
  open = await byokCloud(options);
  return open;
}

afterEach(async () => {
  await open?.close();
  open = undefined;
});

describe('the VM request', () => {
  test.each<[string, ByokAzureOptions, object, string]>([
    ['[000-L3.1] the NodeClass', {}, { osDiskDiskEncryptionSetID: SET }, 'NodeClass'],
    ['[000-L2.1] the environment', BY_ENV, {}, 'env'],
    ['[000-L1.5] the managed cluster', { cluster: { diskEncryptionSetID: SET } }, {}, 'cluster'],
  ])('carries the set from %s', async (_, options, spec, source) => {
    const { classNow, launch, vmRequests } = await byok(options);
    const { instance, stages } = await launch(aClaim('a'), await classNow(spec));
    expect(vmRequests().map(encryptionSetOf)).toEqual([SET]);
    expect(instance.annotations[RECORD]).toBe(SET);
    const recorded = stages.filter((stage) => stage.facts?.['diskEncryptionSet'] !== undefined);
    expect(recorded.map((stage) => stage.name)).toEqual(
      expect.arrayContaining([
        'nodeClass',
        'launchTemplate',
        'vmObject',
        'vmRequest',
        'vmOperation',
        'vmResult',
      ]),
    );
    expect(recorded.find((stage) => stage.name === 'vmRequest')?.facts?.['diskEncryptionSet']).toEqual({
      value: SET,
      source,
    });
  });

  test('[000-L3.3] carries none when none is named, and the claim says so', async () => {
    const { classNow, launch, vmRequests } = await byok({});
    const { instance } = await launch(aClaim('a'), await classNow());
    expect(vmRequests().map(encryptionSetOf)).toEqual([undefined]);
    expect(instance.annotations[RECORD]).toBe('none');
  });

  test('[000-L3.4] carries it on managed and on ephemeral disks', async () => {
    const { classNow, launch, vmRequests } = await byok(BY_ENV);
    await launch(aClaim('managed', {}, 'Standard_D4s_v5'), await classNow());
    await launch(aClaim('ephemeral', {}, 'Standard_D4ds_v5'), await classNow({ osDiskSizeGB: 30 }));
    const disks = vmRequests().map((vm) => {
      const { storageProfile } = vm.properties as {
        storageProfile: { osDisk: { diffDiskSettings?: object } };
      };
      return [storageProfile.osDisk.diffDiskSettings !== undefined, encryptionSetOf(vm)];
    });
    expect(disks).toHaveLength(2);
    expect(disks).toContainEqual([false, SET]);
    expect(disks).toContainEqual([true, SET]);
  });
});

describe('a class that is not Ready', () => {
  test('sends nothing to Azure', async () => {
    const { azure, classNow, launch, server } = await byok(BY_ENV);
    azure.byok.setEncryptionType('ConfidentialVmEncryptedWithCustomerKey');
    const broken = await classNow();
    await expect(launch(aClaim('a'), broken)).rejects.toMatchObject({ kind: 'NodeClassNotReady' });
    expect(server.resources.calls().filter((call) => call.method === 'PUT')).toEqual([]);
  });
});

type Break = (key: ByokCloud['azure']['byok']) => void;

describe("ARM's error at VM creation, when the class was Ready until now", () => {
  const rows: readonly [string, string, Break][] = [
    ['[000-L4.1] set gone', 'DiskEncryptionSetNotFound', (key) => key.deleteSet()],
    ['[000-L4.2] Reader gone', 'DiskEncryptionSetRBACMissing', (key) => key.revokeReader()],
    ['other region', 'DiskEncryptionSetWrongRegion', (key) => key.moveRegion('northeurope')],
    ['set failed', 'DiskEncryptionSetFailed', (key) => key.failSet()],
    [
      'set for confidential VMs',
      'DiskEncryptionSetTypeUnsupported',
      (key) => key.setEncryptionType('ConfidentialVmEncryptedWithCustomerKey'),
    ],
    ['[000-L4.3] wrap and unwrap gone', 'KeyVaultAccessMissing', (key) => key.revokeWrapUnwrap()],
    ['[000-L4.4] key disabled', 'KeyDisabled', (key) => key.disableKey()],
    ['[000-L4.4] key expired', 'KeyExpired', (key) => key.expireKey()],
    ['[000-L4.4] key deleted', 'KeyDeleted', (key) => key.deleteKey()],
    ['[000-L4.5] firewall closed', 'KeyVaultUnreachable', (key) => key.closeFirewall()],
    ['vault deleted', 'KeyVaultUnreachable', (key) => key.deleteVault()],
  ];
  test.each(everyNth('refusals of a set', rows, 4))('%s: %s', async (_, reason, breakIt) => {
    const { azure, classNow, launch, look, later } = await byok(BY_ENV);
    const ready = await classNow();
    breakIt(azure.byok);
    const error: unknown = await launch(aClaim('a'), ready).catch((thrown: unknown) => thrown);
    expect(isCloudError(error, 'CreateFailed') && error.reason).toBe(reason);
    // What ARM said reaches the class, also where the vault itself may not be seen.
    azure.byok.hideVault();
    await later();
    const { validation } = await look();
    expect([validation?.status, validation?.reason]).toEqual(['False', reason]);
  });

  test.each(['key-disabled', 'key-vault-forbidden'])(
    '%s during the VM operation: nothing else is launched with the set, even before the class is reconciled',
    async (fault) => {
      const { server, classNow, launch } = await byok(BY_ENV);
      const ready = await classNow();
      server.faults.add(`${fault}@phase=async`);
      await expect(launch(aClaim('a'), ready)).rejects.toMatchObject({ kind: 'CreateFailed' });
      const puts = () => server.resources.calls().filter(({ method }) => method === 'PUT').length;
      const before = puts();
      await expect(launch(aClaim('b'), ready)).rejects.toMatchObject({ kind: 'NodeClassNotReady' });
      expect(puts()).toBe(before);
    },
  );

  test('expires, so that a launch may try again, and is cleared by one that succeeds', async () => {
    const { azure, classNow, launch, look, later } = await byok(BY_ENV);
    const ready = await classNow();
    azure.byok.hideVault();
    azure.byok.revokeWrapUnwrap();
    await expect(launch(aClaim('a'), ready)).rejects.toMatchObject({ reason: 'KeyVaultAccessMissing' });
    azure.byok.grantWrapUnwrap();
    await later(10_000);
    expect((await look()).ready).toMatchObject({ status: 'False' });
    await later(5 * 60_000);
    expect((await look()).ready).toMatchObject({ status: 'True' });
    await launch(aClaim('b'), ready);
    expect((await look()).verified).toMatchObject({ status: 'Unknown' });
  });
});

/** A claim as the API server would hold it after the launch. */
function stored(name: string, { instance }: Launched, annotations: object = instance.annotations) {
  const claim = aClaim(name, { ...annotations } as Record<string, string>);
  claim.status = { imageID: instance.imageID!, providerID: instance.providerID };
  return claim;
}

describe('drift', () => {
  test('comes when the set changes, from whichever source, with both ids', async () => {
    const { azure, classNow, launch, cloud, detector, later } = await byok({
      cluster: { diskEncryptionSetID: SET },
    });
    const claim = stored('a', await launch(aClaim('a'), await classNow()));
    expect(await cloud.drift({ claim, nodeClass: await classNow() }, neverAborted())).toBeUndefined();
    azure.setClusterDiskEncryptionSet(OTHER);
    await later(15 * 60_000);
    await detector.refresh();
    const drift = await cloud.drift({ claim, nodeClass: await classNow() }, neverAborted());
    expect(drift).toMatchObject({ reason: 'DiskEncryptionSetDrift' });
    expect(drift?.message).toContain(SET);
    expect(drift?.message).toContain(OTHER);
    const own = await classNow({ osDiskDiskEncryptionSetID: SET.toUpperCase() });
    expect(await cloud.drift({ claim, nodeClass: own }, neverAborted())).toBeUndefined();
  });

  test.each([
    ['recorded', undefined],
    ['actual', 'DiskEncryptionSetDrift'],
  ])(
    'of a claim that was adopted with another set, DISK_ENCRYPTION_SET_DRIFT=%s: %s',
    async (mode, reason) => {
      const { classNow, launch, cloud, detector, clients, server } = await byok({
        env: { ...BY_ENV.env, DISK_ENCRYPTION_SET_DRIFT: mode },
      });
      // Launched by another controller: the VM has a set, the claim has no record of it.
      const launched = await launch(aClaim('a'), await classNow());
      const compute = await clients.compute();
      const vm = await compute.virtualMachines.get(server.settings.nodeResourceGroup, launched.instance.name);
      const actual = vm.storageProfile?.osDisk?.managedDisk?.diskEncryptionSet?.id;
      expect(actual).toBe(SET);
      const nodeClass = await classNow({ osDiskDiskEncryptionSetID: OTHER });
      const bare = stored('a', launched, {});
      expect(await cloud.drift({ claim: bare, nodeClass }, neverAborted())).toBeUndefined();
      const records = adoptionRecords({
        claim: bare,
        diskEncryptionSet: { actual, now: OTHER },
        cluster: detector.current().facts,
      });
      expect(records[RECORD]).toBe(SET);
      const adopted = stored('a', launched, records);
      expect((await cloud.drift({ claim: adopted, nodeClass }, neverAborted()))?.reason).toBe(reason);
      const [pool] = exemptByAdoption([adopted], () => ({ id: OTHER }));
      expect(pool?.message).toContain(`a has disk encryption set ${SET}, not disk encryption set ${OTHER}`);
    },
  );
});
