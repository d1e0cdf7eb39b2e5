import { afterEach, describe, expect, test } from 'vitest';
import { everyNth } from '../part.ts';
import { type ByokAzure, type ByokAzureOptions, byokAzure } from './byok.fixture.ts';

/** The subscription of the playground, and where its set is: known before the server starts. */
const SET =
  '/subscriptions/00000000-0000-4000-8000-000000000001/resourceGroups/playground/providers/Microsoft.Compute/diskEncryptionSets/des-playground';
const BY_ENV = { env: { NODE_OSDISK_DISKENCRYPTIONSET_ID: SET } };

let open: ByokAzure | undefined;

async function byok(options: ByokAzureOptions = BY_ENV): Promise<ByokAzure> {
  open = await byokAzure(options);
  return open;
}

afterEach(async () => {
  await open?.close();
  open = undefined;
});

describe('a node class over the wire, with everything in order', () => {
  test.each<[string, ByokAzureOptions, object, string]>([
    ['its own field', {}, { osDiskDiskEncryptionSetID: SET }, 'NodeClass'],
    ['the environment', BY_ENV, {}, 'env'],
    ['the flag', { args: ['--node-osdisk-diskencryptionset-id', SET] }, {}, 'flag'],
    ["[000-L1.5] the managed cluster's property", { cluster: { diskEncryptionSetID: SET } }, {}, 'cluster'],
  ])('shows the set from %s, verified', async (_, options, spec, source) => {
    const { look } = await byok(options);
    const { status, verified, ready } = await look(spec);
    expect(status.diskEncryptionSet).toEqual({ id: SET, source });
    expect([verified?.status, verified?.reason, verified?.message]).toEqual([
      'True',
      'DiskEncryptionVerified',
      expect.stringContaining(SET),
    ]);
    expect(ready).toMatchObject({ status: 'True' });
  });

  test('is verified with access policies too', async () => {
    const { look } = await byok({ ...BY_ENV, byok: { permissions: 'policies' } });
    expect((await look()).verified).toMatchObject({ status: 'True' });
  });

  test('is verified with the role granted on a management group', async () => {
    const { azure, look } = await byok();
    azure.byok.revokeWrapUnwrap();
    azure.roles.assign(
      azure.byok.principalId,
      'Key Vault Crypto Service Encryption User',
      '/providers/Microsoft.Management/managementGroups/platform',
    );
    expect((await look()).verified).toMatchObject({ status: 'True' });
  });

  test('[000-L1.1] shows none when none is named', async () => {
    const { look } = await byok({});
    const { status, verified, ready } = await look();
    expect(status.diskEncryptionSet).toBeUndefined();
    expect(verified).toBeUndefined();
    expect(ready).toMatchObject({ status: 'True' });
  });

  test('says which won when two differ', async () => {
    const other = SET.replace('des-playground', 'des-other');
    const { look } = await byok({ ...BY_ENV, cluster: { diskEncryptionSetID: other } });
    const { verified, validation } = await look();
    expect(verified?.message).toContain(`${other} from the managed cluster`);
    expect(validation).toMatchObject({ status: 'True' });
    expect(validation?.message).toContain('NODE_OSDISK_DISKENCRYPTIONSET_ID is used');
  });
});

type Break = (azure: ByokAzure) => void;
const breaking =
  (how: (byok: ByokAzure['azure']['byok']) => void): Break =>
  (each) =>
    how(each.azure.byok);

describe('proof stops launches, over the wire', () => {
  const rows: readonly [string, string, Break][] = [
    ['[000-L1.3] [000-L4.1] not found', 'DiskEncryptionSetNotFound', breaking((key) => key.deleteSet())],
    ['[000-L4.2] no Reader', 'DiskEncryptionSetRBACMissing', breaking((key) => key.revokeReader())],
    ['other region', 'DiskEncryptionSetWrongRegion', breaking((key) => key.moveRegion('northeurope'))],
    ['failed', 'DiskEncryptionSetFailed', breaking((key) => key.failSet())],
    [
      'for confidential VMs',
      'DiskEncryptionSetTypeUnsupported',
      breaking((key) => key.setEncryptionType('ConfidentialVmEncryptedWithCustomerKey')),
    ],
    ['without an identity', 'KeyVaultAccessMissing', breaking((key) => key.removeIdentity())],
    [
      '[000-L4.3] identity without wrap and unwrap',
      'KeyVaultAccessMissing',
      breaking((key) => key.revokeWrapUnwrap()),
    ],
    ['[000-L4.4] key disabled', 'KeyDisabled', breaking((key) => key.disableKey())],
    ['[000-L4.4] key expired', 'KeyExpired', breaking((key) => key.expireKey())],
    ['key not yet valid', 'KeyNotYetValid', breaking((key) => key.postponeKey())],
    ['[000-L4.4] key deleted', 'KeyDeleted', breaking((key) => key.deleteKey())],
    ['key purged', 'KeyDeleted', breaking((key) => key.purgeKey())],
    ['[000-L4.5] vault behind a firewall', 'KeyVaultUnreachable', breaking((key) => key.closeFirewall())],
    ['vault deleted', 'KeyVaultUnreachable', breaking((key) => key.deleteVault())],
  ];
  test.each(everyNth('refusals of a set', rows, 4))('%s: %s', async (_, reason, breakIt) => {
    const azure = await byok();
    breakIt(azure);
    const { validation, verified, ready } = await azure.look();
    expect([validation?.status, validation?.reason]).toEqual(['False', reason]);
    expect([verified?.status, verified?.reason]).toEqual(['False', reason]);
    expect(validation?.message).toContain('to fix this');
    expect(ready).toMatchObject({ status: 'False', message: 'ValidationSucceeded=False' });
  });

  test('[000-L4.3] identity without wrap and unwrap, by access policies', async () => {
    const { azure, look } = await byok({ ...BY_ENV, byok: { permissions: 'policies' } });
    azure.byok.revokeWrapUnwrap();
    const { validation } = await look();
    expect(validation).toMatchObject({ status: 'False', reason: 'KeyVaultAccessMissing' });
    expect(validation?.message).toContain(azure.byok.principalId);
  });

  test('[000-L1.2] malformed id, from a source that the API server does not check', async () => {
    const { look } = await byok({ cluster: { diskEncryptionSetID: '/subscriptions/nonsense' } });
    const { validation, status } = await look();
    // The cluster's own is checked where it is read; it never becomes a choice.
    expect(status.diskEncryptionSet).toBeUndefined();
    expect(validation).toMatchObject({ status: 'True' });
    const { validation: own } = await look({ osDiskDiskEncryptionSetID: 'des' });
    expect(own).toMatchObject({ status: 'False', reason: 'DiskEncryptionSetMalformed' });
  });

  test('subscription that does not exist', async () => {
    const far = SET.replace('000000000001', '0000000000ff');
    const { look } = await byok({ env: { NODE_OSDISK_DISKENCRYPTIONSET_ID: far } });
    expect((await look()).validation).toMatchObject({
      status: 'False',
      reason: 'DiskEncryptionSetSubscriptionUnreachable',
    });
  });

  test('ends with its cause', async () => {
    const { azure, look, later } = await byok();
    azure.byok.disableKey();
    const broken = await look();
    expect(broken.ready).toMatchObject({ status: 'False' });
    expect(broken.requeueAfterMs).toBe(60_000);
    azure.byok.enableKey();
    await later();
    expect((await look({}, { status: broken.status })).ready).toMatchObject({ status: 'True' });
  });
});

describe('what the controller may not read never stops a launch', () => {
  test('a hidden vault is Unknown, with the permission', async () => {
    const { azure, look } = await byok();
    azure.byok.hideVault();
    const { verified, validation, ready } = await look();
    expect(verified).toMatchObject({ status: 'Unknown' });
    expect(verified?.message).toContain('Microsoft.KeyVault/vaults/read');
    expect(verified?.message).toContain('Microsoft.KeyVault/vaults/keys/read');
    expect(validation).toMatchObject({ status: 'True' });
    expect(ready).toMatchObject({ status: 'True' });
  });

  test('a vault whose firewall keeps only us out is Unknown', async () => {
    const { azure, look } = await byok();
    azure.byok.closeFirewall({ trusted: true });
    const { verified, ready } = await look();
    expect(verified).toMatchObject({ status: 'Unknown', reason: 'KeyNotReadable' });
    expect(verified?.message).toContain('firewall');
    expect(ready).toMatchObject({ status: 'True' });
  });

  test('a hidden managed cluster is Unknown when nothing else names a set', async () => {
    const { azure, look } = await byok({ cluster: { diskEncryptionSetID: SET } });
    azure.hideCluster();
    const { verified, ready } = await look();
    expect(verified).toMatchObject({ status: 'Unknown', reason: 'ManagedClusterUnreadable' });
    expect(verified?.message).toContain('Microsoft.ContainerService/managedClusters/read');
    expect(ready).toMatchObject({ status: 'True' });
  });

  test('a rotation that failed gives way to a vault in order', async () => {
    const { azure, look, later } = await byok();
    azure.byok.reportRotationError();
    expect((await look()).verified).toMatchObject({ status: 'True' });
    azure.byok.hideVault();
    await later();
    const { verified, validation } = await look();
    expect(verified).toMatchObject({ status: 'False', reason: 'KeyVaultAccessMissing' });
    expect(validation).toMatchObject({ status: 'True' });
  });
});
