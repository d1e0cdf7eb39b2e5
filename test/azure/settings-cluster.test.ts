/** Cluster values found out over ARM, as the official SDK asks and our ARM server answers. */
import { anAzure, type TestAzure } from '@chandler/cloudsim/azure/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { AZURE_PUBLIC_CLOUD, createArmClients } from '../../packages/chandler/src/arm/index.ts';
import { armClusterReaders, ClusterDetector } from '../../packages/chandler/src/cloud/azure/index.ts';
import { clusterOptions, clusterReaders } from '../../packages/chandler/src/cloud/azure/testing.ts';

let azure: TestAzure | undefined;

afterEach(async () => {
  await azure?.close();
  azure = undefined;
});

async function detectorOver(options: Parameters<typeof anAzure>, env: Record<string, string> = {}) {
  azure = await anAzure(...options);
  const { world, server, credential } = azure;
  const { settings, url } = server;
  const values = clusterOptions({
    CLUSTER_NAME: settings.clusterName,
    ARM_RESOURCE_GROUP: settings.clusterResourceGroup,
    AZURE_NODE_RESOURCE_GROUP: settings.nodeResourceGroup,
    AZURE_SUBSCRIPTION_ID: settings.subscriptionId,
    VNET_SUBNET_ID: `/subscriptions/${settings.subscriptionId}/resourceGroups/${settings.nodeResourceGroup}/providers/Microsoft.Network/virtualNetworks/aks-vnet-${settings.clusterId}/subnets/aks-subnet`,
    ...env,
  });
  const clients = createArmClients({
    world,
    fetch: server.fetch,
    environment: { ...AZURE_PUBLIC_CLOUD, resourceManagerUrl: url, wellKnown: false },
    credential,
    subscriptionId: settings.subscriptionId,
    version: '0.0.0',
  });
  const readers = armClusterReaders({ clients, world, options: () => values, kubernetes: clusterReaders() });
  return { detector: new ClusterDetector({ world, readers, options: () => values }), settings };
}

describe('a cluster seen through ARM', () => {
  test('[000-L1.4] gives its id, security group, network, GUID and disk encryption set', async () => {
    const des = `/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/k/providers/Microsoft.Compute/diskEncryptionSets/d`;
    const { detector, settings } = await detectorOver([{ cluster: { diskEncryptionSetID: des } }]);
    const { facts, problems } = await detector.refresh();
    expect(problems).toEqual([]);
    expect(facts).toMatchObject({
      clusterId: { value: settings.clusterId, source: 'cluster' },
      networkSecurityGroup: { value: { name: `aks-agentpool-${settings.clusterId}-nsg` } },
      network: { plugin: { value: 'azure', source: 'cluster' }, pluginMode: { value: 'overlay' } },
      diskEncryptionSetId: { value: des, source: 'cluster' },
    });
    expect(facts.vnetGuid?.value).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('that the identity may not read is said to be denied', async () => {
    const { detector } = await detectorOver([{}]);
    azure!.azure.hideCluster();
    const { problems } = await detector.refresh();
    expect(problems).toMatchObject([{ fact: 'diskEncryptionSetId', code: 'Denied', blocks: false }]);
    expect(detector.facts().network.plugin.source).toBe('hardcoded');
  });
});
