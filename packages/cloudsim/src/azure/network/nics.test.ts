import { describe, expect, test } from 'vitest';
import { COMPUTE, NETWORK, nicBody, type TestArm, testArm } from '../arm-server.fixture.ts';
import { clusterSubnetId } from './cluster-network.ts';

const nicPath = (name: string) => `${NETWORK}/networkInterfaces/${name}`;

const configurations = ({ server }: TestArm, count: number, change: Record<string, unknown> = {}) =>
  Array.from({ length: count }, (_, at) => ({
    name: `ipconfig${at}`,
    properties: { primary: at === 0, subnet: { id: clusterSubnetId(server) }, ...change },
  }));

describe('a network interface', () => {
  test('gets an address from its subnet and releases it', async () => {
    const azure = await testArm();
    await azure.nic('aks-a');
    await azure.nic('aks-b');
    await azure.advance(100);
    expect(addresses(azure)).toEqual(['10.224.0.4', '10.224.0.5']);
    await azure.call('DELETE', nicPath('aks-a'));
    await azure.advance(100);
    await azure.nic('aks-c');
    expect(addresses(azure)).toEqual(['10.224.0.5', '10.224.0.4']);
  });

  test('is Updating, then Succeeded', async () => {
    const azure = await testArm();
    const put = await azure.nic('aks-a');
    expect([put.status, put.json['properties']!['provisioningState']]).toEqual([201, 'Updating']);
    await azure.advance(100);
    const got = await azure.call('GET', nicPath('aks-a'));
    expect(got.json['properties']!['provisioningState']).toBe('Succeeded');
    expect((await azure.nic('aks-a')).status).toBe(200);
    expect(azure.server.resources.nics()).toHaveLength(1);
  });

  test('can be accepted and fail afterwards; another PUT repairs it', async () => {
    const azure = await testArm({ faults: ['nic-fails=SubnetIsFull@count=1'] });
    const put = await azure.nic('aks-a');
    expect([put.status, put.json['properties']!['provisioningState']]).toEqual([201, 'Updating']);
    await azure.advance(100);
    const state = async () =>
      (await azure.call('GET', nicPath('aks-a'))).json['properties']!['provisioningState'];
    expect((await azure.operation(put)).json).toMatchObject({
      status: 'Failed',
      error: { code: 'SubnetIsFull' },
    });
    expect(await state()).toBe('Failed');
    await azure.nic('aks-a');
    await azure.advance(100);
    expect(await state()).toBe('Succeeded');
  });

  test('is rejected when the subnet has too few addresses, and then takes none', async () => {
    const azure = await testArm({ subnetPrefix: '10.224.0.0/28' });
    const refused = await azure.nic('aks-a', { ipConfigurations: configurations(azure, 30) });
    expect(refused.error.code).toBe('SubnetIsFull');
    expect(refused.error.message).toContain('Subnet aks-subnet with address prefix 10.224.0.0/28');
    expect((await azure.nic('aks-b', { ipConfigurations: configurations(azure, 11) })).status).toBe(201);
    expect((await azure.nic('aks-c')).error.code).toBe('SubnetIsFull');
  });

  test('keeps its addresses when it is put again, and releases those it no longer needs', async () => {
    const azure = await testArm();
    await azure.nic('aks-a', { ipConfigurations: configurations(azure, 3) });
    await azure.advance(100);
    await azure.nic('aks-a', { ipConfigurations: configurations(azure, 1) });
    await azure.nic('aks-b');
    expect(addresses(azure)).toEqual(['10.224.0.4', '10.224.0.5']);
  });

  test.each([
    ['no configuration', { ipConfigurations: [] }, 'InvalidParameter'],
    [
      'a configuration without subnet',
      { ipConfigurations: [{ name: 'a', properties: {} }] },
      'InvalidParameter',
    ],
    [
      'a subnet that is not there',
      {
        ipConfigurations: [
          {
            name: 'a',
            properties: {
              subnet: {
                id: '/subscriptions/a/resourceGroups/b/providers/Microsoft.Network/virtualNetworks/c/subnets/d',
              },
            },
          },
        ],
      },
      'InvalidResourceReference',
    ],
    [
      'a security group that is not there',
      { networkSecurityGroup: { id: '/x' } },
      'InvalidResourceReference',
    ],
    ['a list where an object belongs', { networkSecurityGroup: [] }, 'InvalidRequestContent'],
  ])('with %s is rejected', async (_name, properties, code) => {
    const azure = await testArm();
    expect((await azure.nic('aks-a', properties)).error.code).toBe(code);
    expect(azure.server.resources.nics()).toEqual([]);
  });

  test('with two primary configurations, or a name twice, is rejected', async () => {
    const azure = await testArm();
    const two = configurations(azure, 2);
    const primaries = two.map((one) => ({ ...one, properties: { ...one.properties, primary: true } }));
    expect((await azure.nic('aks-a', { ipConfigurations: primaries })).error.message).toContain('primary');
    const same = two.map((one) => ({ ...one, name: 'a' }));
    expect((await azure.nic('aks-a', { ipConfigurations: same })).error.message).toContain('same name');
  });

  test('with a deleted backend pool is rejected with the id of the pool', async () => {
    const azure = await testArm();
    const pool = `${azure.group}/${NETWORK}/loadBalancers/kubernetes/backendAddressPools/gone`;
    const refused = await azure.nic('aks-a', {
      ipConfigurations: configurations(azure, 1, { loadBalancerBackendAddressPools: [{ id: pool }] }),
    });
    expect(refused.error.code).toBe('InvalidResourceReference');
    expect(refused.error.message).toContain(pool);
  });

  test('shows up in its load balancer', async () => {
    const azure = await testArm();
    const pool = `${azure.group}/${NETWORK}/loadBalancers/kubernetes/backendAddressPools/kubernetes`;
    await azure.nic('aks-a', {
      ipConfigurations: configurations(azure, 1, { loadBalancerBackendAddressPools: [{ id: pool }] }),
    });
    const balancer = await azure.call('GET', `${NETWORK}/loadBalancers/kubernetes`);
    expect(JSON.stringify(balancer.json)).toContain('networkInterfaces/aks-a/ipConfigurations/ipconfig0');
  });

  test('in another region is rejected', async () => {
    const { call, server } = await testArm();
    const refused = await call('PUT', nicPath('aks-a'), { ...nicBody(server, 'aks-a'), location: 'mars' });
    expect(refused.error.code).toBe('LocationNotAvailableForResourceType');
  });

  test('in use by a VM can be neither deleted nor used by another', async () => {
    const azure = await testArm();
    await azure.launch('aks-a');
    const refused = await azure.call('DELETE', nicPath('aks-a'));
    expect([refused.status, refused.error.code]).toEqual([400, 'NicInUse']);
    const other = await azure.vm('aks-b', {
      osDisk: { name: 'aks-b' },
      properties: { networkProfile: { networkInterfaces: [{ id: `${azure.group}/${nicPath('aks-a')}` }] } },
    });
    expect(other.error.code).toBe('NicInUse');
  });

  test('of a VM that was rejected for capacity stays reserved for 180 seconds', async () => {
    const azure = await testArm({ faults: ['sku-not-available'] });
    await azure.nic('aks-a');
    await azure.advance(100);
    expect((await azure.vm('aks-a')).error.code).toBe('SkuNotAvailable');
    await azure.advance(60_000);
    const refused = await azure.call('DELETE', nicPath('aks-a'));
    expect([refused.status, refused.error.code]).toEqual([400, 'NicReservedForAnotherVm']);
    expect(refused.error.message).toContain('120 seconds');
    await azure.advance(121_000);
    expect((await azure.call('DELETE', nicPath('aks-a'))).status).toBe(202);
    await azure.advance(100);
    expect(azure.server.resources.nics()).toEqual([]);
  });

  test('gets new tags by PATCH', async () => {
    const azure = await testArm();
    await azure.nic('aks-a');
    await azure.advance(100);
    const patched = await azure.call('PATCH', nicPath('aks-a'), { tags: { team: 'a' } });
    expect(patched.json['tags']).toEqual({ team: 'a' });
    expect(addresses(azure)).toEqual(['10.224.0.4']);
  });

  test('that does not exist is deleted without an error', async () => {
    const { call } = await testArm();
    expect((await call('DELETE', nicPath('aks-a'))).status).toBe(204);
  });
});

describe('the network of the cluster', () => {
  test('is there from the start, as AKS leaves it', async () => {
    const { server, call } = await testArm({ clusterId: '87654321' });
    const names = (type: string) => server.resources.list(`${NETWORK}/${type}`).map((one) => one.name);
    expect(names('networkSecurityGroups')).toEqual(['aks-agentpool-87654321-nsg']);
    expect(names('routeTables')).toEqual(['aks-agentpool-87654321-routetable']);
    expect(names('loadBalancers')).toEqual(['kubernetes']);
    const subnet = await call('GET', `${NETWORK}/virtualNetworks/aks-vnet-87654321/subnets/aks-subnet`);
    expect(subnet.json['properties']!['networkSecurityGroup']!['id']).toContain('aks-agentpool-87654321-nsg');
  });

  test('a subnet in use cannot be deleted, a new one can be added and used', async () => {
    const azure = await testArm();
    await azure.nic('aks-a');
    const network = `${NETWORK}/virtualNetworks/aks-vnet-${azure.server.settings.clusterId}`;
    expect((await azure.call('DELETE', `${network}/subnets/aks-subnet`)).error.code).toBe(
      'InUseSubnetCannotBeDeleted',
    );
    const added = await azure.call('PUT', `${network}/subnets/more`, {
      properties: { addressPrefix: '10.225.0.0/24' },
    });
    expect(added.status).toBe(201);
    await azure.nic('aks-b', {
      ipConfigurations: [
        { name: 'a', properties: { subnet: { id: `${azure.group}/${network}/subnets/more` } } },
      ],
    });
    expect(addresses(azure)).toContain('10.225.0.4');
    expect((await azure.call('GET', `${network}/subnets`)).json['value']).toHaveLength(2);
    expect((await azure.call('GET', `${network}/subnets/none`)).error.code).toBe('ResourceNotFound');
  });

  test('lists come in pages', async () => {
    const azure = await testArm();
    await Promise.all(Array.from({ length: 501 }, (_, at) => azure.nic(`aks-${at}`)));
    const first = await azure.call('GET', `${NETWORK}/networkInterfaces`);
    expect(first.json['value']).toHaveLength(500);
    const second = await azure.call('GET', first.json['nextLink']!);
    expect(second.json['value']).toHaveLength(1);
    expect(second.json['nextLink']).toBeUndefined();
  });

  test('lists may lag while single reads do not', async () => {
    const azure = await testArm({ latencies: { listLagMs: 5000 } });
    await azure.launch('aks-a');
    const list = async () => (await azure.call('GET', `${COMPUTE}/virtualMachines`)).json['value']!.length;
    expect(await list()).toBe(0);
    expect((await azure.call('GET', `${COMPUTE}/virtualMachines/aks-a`)).status).toBe(200);
    await azure.advance(5000);
    expect(await list()).toBe(1);
  });
});

function addresses({ server }: TestArm): string[] {
  return server.resources
    .nics()
    .map((nic) => (nic.properties['ipConfigurations'] as { properties: { privateIPAddress: string } }[])[0]!)
    .map((one) => one.properties.privateIPAddress);
}
