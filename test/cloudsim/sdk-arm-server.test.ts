import { ComputeManagementClient } from '@azure/arm-compute';
import { NetworkManagementClient } from '@azure/arm-network';
import { ResourceGraphClient } from '@azure/arm-resourcegraph';
import { ClientSecretCredential } from '@azure/identity';
import { type ArmServer, cseBody, nicBody, startArmServer, vmBody } from '@chandler/cloudsim/azure/testing';
import { systemClock, systemRandom } from '@chandler/kube';
import { collect, virtualWorld } from '@chandler/kube/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

describe('the official SDKs over HTTPS', () => {
  let server: ArmServer;
  let compute: ComputeManagementClient;
  let network: NetworkManagementClient;
  let graph: ResourceGraphClient;
  let rg: string;

  beforeAll(async () => {
    server = await startArmServer({
      world: { ...virtualWorld(), clock: systemClock, random: systemRandom },
      providers: [],
      latencies: { graphLagMs: 0 },
    });
    const tlsOptions = { ca: server.caPem! };
    const { tenantId, clientId, clientSecret, authorityHost } = server.credentials;
    const credential = new ClientSecretCredential(tenantId, clientId, clientSecret, {
      authorityHost,
      disableInstanceDiscovery: true,
      tlsOptions,
    });
    const options = { endpoint: server.url, tlsOptions, retryOptions: { maxRetries: 0 } };
    const { subscriptionId, nodeResourceGroup } = server.settings;
    compute = new ComputeManagementClient(credential, subscriptionId, options);
    network = new NetworkManagementClient(credential, subscriptionId, options);
    graph = new ResourceGraphClient(credential, options);
    rg = nodeResourceGroup;
  });
  afterAll(() => server.close());

  test('a node is created step by step, listed, and deleted with its NIC and disk', async () => {
    const nic = await stepped(
      network.networkInterfaces.createOrUpdate(rg, 'aks-sdk', flat(nicBody(server, 'aks-sdk'))),
    );
    expect(nic?.ipConfigurations?.[0]?.privateIPAddress).toMatch(/^10\.224\./);
    const vm = await stepped(
      compute.virtualMachines.createOrUpdate(rg, 'aks-sdk', flat(vmBody(server, 'aks-sdk'))),
    );
    expect(vm?.provisioningState).toBe('Succeeded');
    await stepped(
      compute.virtualMachineExtensions.createOrUpdate(rg, 'aks-sdk', 'cse-agent-karpenter', {
        ...(flat(cseBody(server)) as object),
        typePropertiesType: 'CustomScript',
      } as never),
    );
    const viewed = await compute.virtualMachines.get(rg, 'aks-sdk', { expand: 'instanceView' });
    expect(viewed.instanceView?.statuses?.map((status) => status.code)).toEqual([
      'ProvisioningState/succeeded',
      'PowerState/running',
    ]);
    expect(viewed.instanceView?.extensions?.[0]?.name).toBe('cse-agent-karpenter');
    const listed = await graph.resources({
      subscriptions: [server.settings.subscriptionId],
      query: `Resources | where type == 'microsoft.compute/virtualmachines' | where resourceGroup == '${rg.toLowerCase()}'`,
      options: { resultFormat: 'objectArray' },
    });
    expect((listed.data as { name: string }[]).map((row) => row.name)).toEqual(['aks-sdk']);
    await stepped(compute.virtualMachines.delete(rg, 'aks-sdk', { forceDeletion: true }));
    expect(server.resources.nics()).toEqual([]);
    expect(server.resources.disks()).toEqual([]);
    await expect(compute.virtualMachines.get(rg, 'aks-sdk')).rejects.toMatchObject({
      statusCode: 404,
      code: 'ResourceNotFound',
    });
  });

  test('an operation is resumed from its serialized state by another client', async () => {
    await stepped(network.networkInterfaces.createOrUpdate(rg, 'aks-r', flat(nicBody(server, 'aks-r'))));
    const poller = compute.virtualMachines.createOrUpdate(rg, 'aks-r', flat(vmBody(server, 'aks-r')));
    const state = await poller.serialize();
    const { restorePoller } = await import('@azure/arm-compute');
    const resumed = restorePoller(compute, state, compute.virtualMachines.createOrUpdate, {
      updateIntervalInMs: 5,
    });
    const vm = await resumed;
    expect(vm.name).toBe('aks-r');
    expect(server.resources.vms()).toHaveLength(1);
    await stepped(compute.virtualMachines.delete(rg, 'aks-r', { forceDeletion: true }));
  });

  test('a failed operation carries the code that the server gave', async () => {
    server.faults.add('zonal-allocation@count=1');
    await stepped(network.networkInterfaces.createOrUpdate(rg, 'aks-f', flat(nicBody(server, 'aks-f'))));
    const failure = stepped(
      compute.virtualMachines.createOrUpdate(rg, 'aks-f', flat(vmBody(server, 'aks-f'))),
    );
    await expect(failure).rejects.toThrow(/ZonalAllocationFailed/);
    await stepped(compute.virtualMachines.delete(rg, 'aks-f', { forceDeletion: true }));
  });

  test('lists of load balancers, security groups and subnets read as the SDK expects', async () => {
    const balancers = await collect(network.loadBalancers.list(rg));
    expect(balancers[0]?.backendAddressPools?.map((pool) => pool.name)).toEqual([
      'aksOutboundBackendPool',
      'kubernetes',
    ]);
    const groups = await collect(network.networkSecurityGroups.list(rg));
    expect(groups.map((group) => group.name)).toEqual([`aks-agentpool-${server.settings.clusterId}-nsg`]);
    const vnet = await network.virtualNetworks.get(rg, `aks-vnet-${server.settings.clusterId}`);
    expect(vnet.resourceGuid).toMatch(/^[0-9a-f-]{36}$/);
    expect(vnet.subnets?.[0]?.name).toBe('aks-subnet');
    const subnet = await network.subnets.get(rg, vnet.name!, 'aks-subnet');
    expect(subnet.addressPrefix).toBe('10.224.0.0/16');
  });

  test('a wrong secret is rejected with its AADSTS code', async () => {
    const { tenantId, clientId, authorityHost } = server.credentials;
    const credential = new ClientSecretCredential(tenantId, clientId, 'wrong', {
      authorityHost,
      disableInstanceDiscovery: true,
      tlsOptions: { ca: server.caPem! },
      retryOptions: { maxRetries: 0 },
    });
    await expect(credential.getToken('https://management.azure.com/.default')).rejects.toThrow(/7000215/);
  });

  test('a lost response resets the connection after the request was executed', async () => {
    server.faults.add('lost-response@count=1,operation=PUT networkInterfaces');
    const put = stepped(
      network.networkInterfaces.createOrUpdate(rg, 'aks-lost', flat(nicBody(server, 'aks-lost'))),
    );
    await expect(put).rejects.toThrow();
    expect(server.resources.nics().map((nic) => nic.name)).toEqual(['aks-lost']);
  });
});

/** One request for each step, as a controller does it. */
async function stepped<T>(
  poller: {
    submitted(): Promise<void>;
    poll(): Promise<unknown>;
    readonly isDone: boolean;
    readonly result?: T;
  } & PromiseLike<T>,
): Promise<T> {
  await poller.submitted();
  while (!poller.isDone) {
    await poller.poll();
    if (!poller.isDone) await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return poller.result as T;
}

/** The SDKs take properties without the level that the wire has. */
function flat(body: unknown): never {
  const flattened = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(flattened);
    if (typeof value !== 'object' || value === null) return value;
    const { properties, ...rest } = value as Record<string, unknown>;
    const merged = { ...rest, ...(properties as object) };
    return Object.fromEntries(Object.entries(merged).map(([key, one]) => [key, flattened(one)]));
  };
  return flattened(body) as never;
}
