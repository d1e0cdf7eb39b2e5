import type { Fetch } from '@chandler/kube';
import { virtualWorld } from '@chandler/kube/testing';
import { describe, expect, test } from 'vitest';
import { AZURE_PUBLIC_CLOUD, createArmClients } from '../../../arm/index.ts';
import { armClusterReaders } from './arm-readers.ts';
import { clusterOptions, clusterReaders, nsg } from './cluster.fixture.ts';

const SUB = '/subscriptions/12345678-1234-1234-1234-123456789012';
const NETWORK = `${SUB}/resourceGroups/MC_rg/providers/Microsoft.Network`;

/** Answers by path; everything else is refused as ARM refuses. */
function readersOver(answers: Readonly<Record<string, unknown>>, env: Record<string, string> = {}) {
  const paths: string[] = [];
  const fetch: Fetch = async (input) => {
    const { pathname } = new URL(String(input));
    paths.push(pathname);
    const body = answers[pathname];
    if (body instanceof Response) return body;
    const missing = { error: { code: 'ResourceNotFound', message: `${pathname} was not found` } };
    return Response.json(body ?? missing, { status: body === undefined ? 404 : 200 });
  };
  const world = virtualWorld({ fetch });
  const options = clusterOptions(env);
  const clients = createArmClients({
    world,
    environment: AZURE_PUBLIC_CLOUD,
    credential: { getToken: async () => ({ token: 't', expiresOnTimestamp: Date.now() + 3600_000 }) },
    subscriptionId: options.azureSubscriptionId.value,
    version: '0.0.0',
  });
  const kubernetes = clusterReaders();
  return { readers: armClusterReaders({ clients, world, options: () => options, kubernetes }), paths };
}

describe('the reads from ARM', () => {
  test('security groups, route tables and networks of the node resource group', async () => {
    const { readers } = readersOver({
      [`${NETWORK}/networkSecurityGroups`]: { value: [nsg('12345678'), { name: 'no id' }] },
      [`${NETWORK}/routeTables`]: { value: [{ id: '/rt', name: 'rt' }] },
      [`${NETWORK}/virtualNetworks`]: { value: [{ id: '/vnet', name: 'vnet' }] },
    });
    expect(await readers.listNetworkSecurityGroups()).toEqual([nsg('12345678')]);
    expect(await readers.listNodeResourceNames()).toEqual(['rt', 'vnet']);
  });

  test('the GUID of a network, also in another subscription', async () => {
    const id = '/subscriptions/other/resourceGroups/net/providers/Microsoft.Network/virtualNetworks/v';
    const { readers } = readersOver({ [id]: { id, name: 'v', properties: { resourceGuid: 'guid' } } });
    expect(await readers.getVirtualNetwork(id)).toEqual({ resourceGuid: 'guid' });
    await expect(readers.getVirtualNetwork('/nonsense')).rejects.toThrow('ID of the virtual network');
  });

  test('the managed cluster, when its resource group is known; otherwise nothing is read', async () => {
    const path = `${SUB}/resourceGroups/rg/providers/Microsoft.ContainerService/managedClusters/my-cluster`;
    const properties = { diskEncryptionSetID: '/des', networkProfile: { networkPlugin: 'azure' } };
    const { readers } = readersOver({ [path]: { properties } }, { ARM_RESOURCE_GROUP: 'rg' });
    expect(await readers.managedCluster()).toMatchObject(properties);
    const without = readersOver({});
    expect(await without.readers.managedCluster()).toBeUndefined();
    expect(without.paths).toEqual([]);
  });

  test('a refusal keeps its status, and an answer that is not JSON is named', async () => {
    const path = `${NETWORK}/networkSecurityGroups`;
    await expect(readersOver({}).readers.listNetworkSecurityGroups()).rejects.toMatchObject({ status: 404 });
    const broken = { [path]: new Response('<html>', { headers: { 'content-type': 'application/json' } }) };
    await expect(readersOver(broken).readers.listNetworkSecurityGroups()).rejects.toMatchObject({
      name: 'ArmError',
    });
  });
});
