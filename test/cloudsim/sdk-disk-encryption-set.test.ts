import { ComputeManagementClient } from '@azure/arm-compute';
import { anAzure, type TestAzure } from '@chandler/cloudsim/azure/testing';
import { collect } from '@chandler/kube/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sdkOptions } from './sdk.fixture.ts';

let simulation: TestAzure;

beforeEach(async () => {
  simulation = await anAzure();
});

afterEach(() => simulation.close());

describe('a disk encryption set in ARM', () => {
  const client = () =>
    new ComputeManagementClient(
      simulation.credential,
      simulation.server.settings.subscriptionId,
      sdkOptions(simulation),
    );

  test('shows identity, key, state and rotation', async () => {
    const set = await client().diskEncryptionSets.get('playground', 'des-playground');
    expect(set).toMatchObject({
      location: 'eastus',
      identity: { type: 'SystemAssigned', principalId: simulation.byok.principalId },
      activeKey: { sourceVault: { id: simulation.byok.vaultId }, keyUrl: simulation.byok.keyUrl },
      encryptionType: 'EncryptionAtRestWithCustomerKey',
      provisioningState: 'Succeeded',
      rotationToLatestKeyVersionEnabled: false,
    });
    simulation.byok.reportRotationError('KeyVaultAccessForbidden', 'no way in');
    expect(
      (await client().diskEncryptionSets.get('playground', 'des-playground')).autoKeyRotationError,
    ).toEqual({
      code: 'KeyVaultAccessForbidden',
      message: 'no way in',
    });
  });

  test('is forbidden for a controller without Reader, and not found when deleted', async () => {
    simulation.byok.revokeReader();
    await expect(client().diskEncryptionSets.get('playground', 'des-playground')).rejects.toMatchObject({
      statusCode: 403,
      code: 'AuthorizationFailed',
      message: expect.stringContaining("'Microsoft.Compute/diskEncryptionSets/read'"),
    });
    simulation.byok.grantReader();
    simulation.byok.deleteSet();
    await expect(client().diskEncryptionSets.get('playground', 'des-playground')).rejects.toMatchObject({
      statusCode: 404,
      code: 'ResourceNotFound',
    });
  });

  test('is created by a PUT, with a system-assigned identity, and listed', async () => {
    await simulation.close();
    simulation = await anAzure({ rights: 'all', byok: false });
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
