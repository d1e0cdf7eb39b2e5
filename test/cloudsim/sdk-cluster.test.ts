import { ContainerServiceClient } from '@azure/arm-containerservice';
import { anAzure, type TestAzure } from '@chandler/cloudsim/azure/testing';
import { collect } from '@chandler/kube/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sdkOptions } from './sdk.fixture.ts';

let test: TestAzure;

beforeEach(async () => {
  test = await anAzure();
});

afterEach(() => test.close());

const client = () =>
  new ContainerServiceClient(test.credential, test.server.settings.subscriptionId, sdkOptions(test));

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
    expect(await collect(client().managedClusters.list())).toEqual([]);
  });
});
