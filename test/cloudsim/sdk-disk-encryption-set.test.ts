import { ComputeManagementClient } from '@azure/arm-compute';
import { anAzure, type TestAzure } from '@chandler/cloudsim/azure/testing';
import { collect } from '@chandler/kube/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sdkOptions } from './sdk.fixture.ts';

let test: TestAzure;

beforeEach(async () => {
  test = await anAzure();
});

afterEach(() => test.close());

describe('a disk encryption set in ARM', () => {
  const client = () =>
    new ComputeManagementClient(test.credential, test.server.settings.subscriptionId, sdkOptions(test));

  it('shows identity, key, state and rotation', async () => {
    const set = await client().diskEncryptionSets.get('playground', 'des-playground');
    expect(set).toMatchObject({
      location: 'eastus',
      identity: { type: 'SystemAssigned', principalId: test.byok.principalId },
      activeKey: { sourceVault: { id: test.byok.vaultId }, keyUrl: test.byok.keyUrl },
      encryptionType: 'EncryptionAtRestWithCustomerKey',
      provisioningState: 'Succeeded',
      rotationToLatestKeyVersionEnabled: false,
    });
    test.byok.reportRotationError('KeyVaultAccessForbidden', 'no way in');
    expect(
      (await client().diskEncryptionSets.get('playground', 'des-playground')).autoKeyRotationError,
    ).toEqual({
      code: 'KeyVaultAccessForbidden',
      message: 'no way in',
    });
  });

  it('is refused to a controller without Reader, and not found when deleted', async () => {
    test.byok.revokeReader();
    await expect(client().diskEncryptionSets.get('playground', 'des-playground')).rejects.toMatchObject({
      statusCode: 403,
      code: 'AuthorizationFailed',
      message: expect.stringContaining("'Microsoft.Compute/diskEncryptionSets/read'"),
    });
    test.byok.grantReader();
    test.byok.deleteSet();
    await expect(client().diskEncryptionSets.get('playground', 'des-playground')).rejects.toMatchObject({
      statusCode: 404,
      code: 'ResourceNotFound',
    });
  });

  it('is made by a PUT, with an identity of its own, and listed', async () => {
    await test.close();
    test = await anAzure({ rights: 'all', byok: false });
    const poller = client().diskEncryptionSets.createOrUpdate('playground', 'mine', {
      location: 'eastus',
      identity: { type: 'SystemAssigned' },
      activeKey: { keyUrl: 'https://kv.vault.azure.net/keys/k/1' },
    });
    const made = await poller;
    expect(made.identity?.principalId).toMatch(/^[0-9a-f-]{36}$/);
    expect((await collect(client().diskEncryptionSets.list())).map((set) => set.name)).toEqual(['mine']);
    expect((await collect(client().diskEncryptionSets.listByResourceGroup('playground'))).length).toBe(1);
  });
});
