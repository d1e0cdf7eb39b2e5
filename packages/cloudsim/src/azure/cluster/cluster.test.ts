import { ContainerServiceClient } from '@azure/arm-containerservice';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { all, anAzure, type ErrorBody, type TestAzure } from './azure.fixture.ts';

let test: TestAzure;

beforeEach(async () => {
  test = await anAzure();
});

afterEach(() => test.close());

const client = () =>
  new ContainerServiceClient(test.credential, test.server.settings.subscriptionId, test.clientOptions);

const clusterPath = () =>
  `${test.subscription}/resourceGroups/playground/providers/Microsoft.ContainerService/managedClusters/playground`;

describe('the managed cluster', () => {
  it('says what a controller would like to know, through the official client', async () => {
    const cluster = await client().managedClusters.get('playground', 'playground');
    expect(cluster).toMatchObject({
      location: 'eastus',
      kubernetesVersion: '1.34',
      currentKubernetesVersion: '1.34.2',
      nodeResourceGroup: test.server.settings.nodeResourceGroup,
      provisioningState: 'Succeeded',
      networkProfile: {
        networkPlugin: 'azure',
        networkPluginMode: 'overlay',
        networkDataplane: 'cilium',
        dnsServiceIP: '10.0.0.10',
      },
    });
    expect(cluster.fqdn).toMatch(/\.hcp\.eastus\.azmk8s\.io$/);
    expect(cluster.diskEncryptionSetID).toBeUndefined();
  });

  it('carries a disk encryption set when it is given one', async () => {
    const path = `${clusterPath()}?api-version=2026-05-02-preview`;
    const read = async () =>
      (await test.call<{ properties: { diskEncryptionSetID?: string } }>(path)).body.properties
        .diskEncryptionSetID;
    test.azure.setClusterDiskEncryptionSet(test.byok.diskEncryptionSetId);
    expect(await read()).toBe(test.byok.diskEncryptionSetId);
    expect((await client().managedClusters.get('playground', 'playground')).diskEncryptionSetID).toBe(
      test.byok.diskEncryptionSetId,
    );
    test.azure.setClusterDiskEncryptionSet(undefined);
    expect(await read()).toBeUndefined();
  });

  it('is as it was ordered', async () => {
    await test.close();
    test = await anAzure({
      cluster: {
        kubernetesVersion: '1.33.5',
        networkProfile: { networkPluginMode: undefined, networkPolicy: 'azure' },
      },
    });
    const cluster = await client().managedClusters.get('playground', 'playground');
    expect(cluster.currentKubernetesVersion).toBe('1.33.5');
    expect(cluster.networkProfile?.networkPluginMode).toBeUndefined();
    expect(cluster.networkProfile?.networkPolicy).toBe('azure');
  });

  it('is hidden, or not there', async () => {
    test.azure.hideCluster();
    await expect(client().managedClusters.get('playground', 'playground')).rejects.toMatchObject({
      code: 'AuthorizationFailed',
    });
    await test.close();
    test = await anAzure({ cluster: false, rights: 'all' });
    await expect(client().managedClusters.get('playground', 'playground')).rejects.toMatchObject({
      code: 'ResourceNotFound',
    });
    expect(await all(client().managedClusters.list())).toEqual([]);
  });
});

describe('a controller with the rights it needs', () => {
  const nodes = () =>
    `${test.subscription}/resourceGroups/${test.server.settings.nodeResourceGroup}/providers`;

  it('may do its work and nothing else', async () => {
    const { access } = test.server.context;
    const { objectId } = test.server.credentials;
    const may = (action: string, scope: string) => access.allowed(objectId, action, scope);
    expect(
      may('Microsoft.Compute/virtualMachines/write', `${nodes()}/Microsoft.Compute/virtualMachines/a`),
    ).toBe(true);
    expect(
      may('Microsoft.Network/networkInterfaces/delete', `${nodes()}/Microsoft.Network/networkInterfaces/a`),
    ).toBe(true);
    expect(may('Microsoft.Compute/skus/read', test.subscription)).toBe(true);
    expect(may('Microsoft.Compute/diskEncryptionSets/read', test.byok.diskEncryptionSetId)).toBe(true);
    expect(may('Microsoft.Compute/diskEncryptionSets/write', test.byok.diskEncryptionSetId)).toBe(false);
    expect(may('Microsoft.Compute/virtualMachines/write', `${test.subscription}/resourceGroups/other`)).toBe(
      false,
    );
    expect(may('Microsoft.ContainerService/managedClusters/read', clusterPath())).toBe(true);
    expect(may('Microsoft.ContainerService/managedClusters/write', clusterPath())).toBe(false);
    const identity = `${nodes()}/Microsoft.ManagedIdentity/userAssignedIdentities/a`;
    expect(may('Microsoft.ManagedIdentity/userAssignedIdentities/assign/action', identity)).toBe(true);
  });

  it('is told over the wire what it lacks', async () => {
    test.azure.roles.revoke(
      test.server.credentials.objectId,
      `${test.subscription}/resourceGroups/${test.server.settings.nodeResourceGroup}`,
      'Virtual Machine Contributor',
    );
    const path = `${nodes()}/Microsoft.Compute/virtualMachines/aks-a`;
    const answer = await test.call<ErrorBody>(`${path}?api-version=2025-04-01`);
    expect(answer.status).toBe(403);
    expect(answer.body.error).toMatchObject({
      code: 'AuthorizationFailed',
      message: expect.stringContaining("perform action 'Microsoft.Compute/virtualMachines/read' over scope"),
    });
  });
});
