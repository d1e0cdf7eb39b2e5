import { ContainerServiceClient } from '@azure/arm-containerservice';
import { anAzure, type TestAzure } from '@chandler/cloudsim/azure/testing';
import { collect } from '@chandler/kube/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sdkOptions } from './sdk.fixture.ts';

let simulation: TestAzure;

beforeEach(async () => {
  simulation = await anAzure();
});

afterEach(() => simulation.close());

const client = () =>
  new ContainerServiceClient(
    simulation.credential,
    simulation.server.settings.subscriptionId,
    sdkOptions(simulation),
  );

const clusterPath = () =>
  `${simulation.subscription}/resourceGroups/playground/providers/Microsoft.ContainerService/managedClusters/playground`;

/** The server's time passes while the client polls. */
async function untilDone<T>(call: PromiseLike<T>): Promise<T> {
  let ended = false;
  const result = Promise.resolve(call).finally(() => {
    ended = true;
  });
  while (!ended) {
    await simulation.world.clock.advance(50);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return result;
}

describe('the managed cluster', () => {
  test('shows what a controller reads, through the official client', async () => {
    const cluster = await client().managedClusters.get('playground', 'playground');
    expect(cluster).toMatchObject({
      location: 'eastus',
      kubernetesVersion: '1.34',
      currentKubernetesVersion: '1.34.2',
      nodeResourceGroup: simulation.server.settings.nodeResourceGroup,
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

  test('takes a PUT, and a PATCH of its tags, through the official client', async () => {
    await simulation.close();
    simulation = await anAzure({ rights: 'all' });
    const clusters = client().managedClusters;
    const before = await clusters.get('playground', 'playground');
    const network = { ...before.networkProfile, networkPolicy: 'azure' };
    const changed = await untilDone(
      clusters.createOrUpdate(
        'playground',
        'playground',
        { location: before.location, networkProfile: network, tags: { team: 'a' } },
        { updateIntervalInMs: 5 },
      ),
    );
    expect(changed).toMatchObject({
      provisioningState: 'Succeeded',
      networkProfile: { networkPolicy: 'azure', dnsServiceIP: '10.0.0.10' },
      tags: { team: 'a' },
      currentKubernetesVersion: before.currentKubernetesVersion,
    });
    const tagged = await untilDone(
      clusters.updateTags('playground', 'playground', { tags: { team: 'b' } }, { updateIntervalInMs: 5 }),
    );
    expect(tagged).toMatchObject({ tags: { team: 'b' }, networkProfile: { networkPolicy: 'azure' } });
    // AKS decides it when the cluster is created.
    await expect(
      clusters.createOrUpdate('playground', 'playground', {
        location: before.location,
        diskEncryptionSetID: simulation.byok.diskEncryptionSetId,
      }),
    ).rejects.toMatchObject({ code: 'PropertyChangeNotAllowed' });
  });

  test('contains a configured disk encryption set', async () => {
    const path = `${clusterPath()}?api-version=2026-05-02-preview`;
    const read = async () =>
      (await simulation.call<{ properties: { diskEncryptionSetID?: string } }>(path)).body.properties
        .diskEncryptionSetID;
    simulation.azure.setClusterDiskEncryptionSet(simulation.byok.diskEncryptionSetId);
    expect(await read()).toBe(simulation.byok.diskEncryptionSetId);
    expect((await client().managedClusters.get('playground', 'playground')).diskEncryptionSetID).toBe(
      simulation.byok.diskEncryptionSetId,
    );
    simulation.azure.setClusterDiskEncryptionSet(undefined);
    expect(await read()).toBeUndefined();
  });

  test('has the configured properties', async () => {
    await simulation.close();
    simulation = await anAzure({
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

  test('can be forbidden or missing', async () => {
    simulation.azure.hideCluster();
    await expect(client().managedClusters.get('playground', 'playground')).rejects.toMatchObject({
      code: 'AuthorizationFailed',
    });
    await simulation.close();
    simulation = await anAzure({ cluster: false, rights: 'all' });
    await expect(client().managedClusters.get('playground', 'playground')).rejects.toMatchObject({
      code: 'ResourceNotFound',
    });
    expect(await collect(client().managedClusters.list())).toEqual([]);
  });
});
