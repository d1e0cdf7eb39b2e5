import { afterEach, describe, expect, test } from 'vitest';
import { COMMUNITY_GALLERIES } from '../catalogue/image-gallery.ts';
import { clusterSubnetId } from '../network/cluster-network.ts';
import { anAzure, type ErrorBody, type TestAzure } from './azure.fixture.ts';
import type { PlaygroundAzureOptions } from './index.ts';

let simulation: TestAzure;

afterEach(() => simulation.close());

async function start(options: PlaygroundAzureOptions = {}): Promise<void> {
  simulation = await anAzure(options);
}

function nodeGroup(provider: string): string {
  const { nodeResourceGroup } = simulation.server.settings;
  return `${simulation.subscription}/resourceGroups/${nodeResourceGroup}/providers/${provider}`;
}

interface VmOptions {
  readonly name?: string;
  readonly size?: string;
  readonly zone?: string;
  readonly image?: string;
  readonly diskEncryptionSetId?: string;
}

function vmBody(name: string, options: VmOptions) {
  const set = options.diskEncryptionSetId;
  const image = options.image ?? '2204gen2containerd';
  return {
    location: 'eastus',
    zones: [options.zone ?? '1'],
    properties: {
      hardwareProfile: { vmSize: options.size ?? 'Standard_D4s_v5' },
      storageProfile: {
        imageReference: {
          communityGalleryImageId: `/CommunityGalleries/${COMMUNITY_GALLERIES.AKSUbuntu}/images/${image}/versions/202512.18.0`,
        },
        osDisk: {
          name,
          diskSizeGB: 128,
          createOption: 'FromImage',
          deleteOption: 'Delete',
          managedDisk: set === undefined ? {} : { diskEncryptionSet: { id: set } },
        },
      },
      networkProfile: {
        networkInterfaces: [
          { id: nodeGroup(`Microsoft.Network/networkInterfaces/${name}`), properties: { primary: true } },
        ],
      },
      osProfile: {
        computerName: name,
        adminUsername: 'azureuser',
        customData: 'IyEvYmluL2Jhc2g=',
        linuxConfiguration: {
          disablePasswordAuthentication: true,
          ssh: {
            publicKeys: [
              {
                path: '/home/azureuser/.ssh/authorized_keys',
                keyData: 'ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAAgQ== a',
              },
            ],
          },
        },
      },
      priority: 'Regular',
    },
  };
}

/** The code with which the creation of a VM ends, at the request or later; Succeeded when it runs. */
async function outcome(options: VmOptions = {}): Promise<string> {
  const name = options.name ?? 'aks-a';
  const put = (path: string, version: string, body: unknown) =>
    simulation.call<ErrorBody>(`${path}?api-version=${version}`, {
      method: 'PUT',
      body: JSON.stringify(body),
    });
  const ipConfiguration = {
    name,
    properties: { subnet: { id: clusterSubnetId(simulation.server.context) }, primary: true },
  };
  const nic = await put(nodeGroup(`Microsoft.Network/networkInterfaces/${name}`), '2022-01-01', {
    location: 'eastus',
    properties: { ipConfigurations: [ipConfiguration] },
  });
  if (nic.status >= 400) return `NIC ${nic.body.error.code}: ${nic.body.error.message}`;
  await simulation.world.clock.advance(1000);
  const vm = await put(
    nodeGroup(`Microsoft.Compute/virtualMachines/${name}`),
    '2025-04-01',
    vmBody(name, options),
  );
  if (vm.status >= 400) return vm.body.error.code;
  await simulation.world.clock.advance(60_000);
  const operation = await simulation.call<{ status: string } & Partial<ErrorBody>>(
    vm.headers.get('azure-asyncoperation')!,
  );
  return operation.body.error?.code ?? operation.body.status;
}

const WITH_SET = () => ({ diskEncryptionSetId: simulation.byok.diskEncryptionSetId });

describe('a VM of a controller with only the rights it needs', () => {
  test('runs, and its cores are counted until it is deleted', async () => {
    await start();
    expect(await outcome(WITH_SET())).toBe('Succeeded');
    const { quota } = simulation.azure.catalogue;
    expect(quota.used('eastus', 'standardDSv5Family')).toBe(4);
    const path = nodeGroup('Microsoft.Compute/virtualMachines/aks-a');
    await simulation.call(`${path}?api-version=2025-04-01&forceDeletion=true`, { method: 'DELETE' });
    await simulation.world.clock.advance(60_000);
    expect(quota.used('eastus', 'standardDSv5Family')).toBe(0);
  });

  test('is rejected without quota, stock, image or size', async () => {
    await start({ catalogue: { stockOuts: [{ size: 'Standard_E4s_v5', zone: '2' }] } });
    simulation.azure.catalogue.quota.setLimit('eastus', 'standardFSv2Family', 2);
    expect(await outcome({ name: 'aks-b', size: 'Standard_F4s_v2' })).toBe('OperationNotAllowed');
    expect(await outcome({ name: 'aks-c', size: 'Standard_E4s_v5', zone: '2' })).toBe(
      'ZonalAllocationFailed',
    );
    expect(await outcome({ name: 'aks-d', size: 'Standard_E4s_v5', zone: '1' })).toBe('Succeeded');
    expect(await outcome({ name: 'aks-e', image: 'nothing' })).not.toBe('Succeeded');
    expect(await outcome({ name: 'aks-f', size: 'Standard_Nothing' })).not.toBe('Succeeded');
    expect(await outcome({ name: 'aks-g', size: 'Standard_NC6_Promo' })).not.toBe('Succeeded');
  });

  test.each([
    [
      '[000-L4.2]',
      'the controller may not read the set',
      'LinkedAuthorizationFailed',
      () => simulation.byok.revokeReader(),
    ],
    [
      '[000-L4.1]',
      'the set is in another region',
      'BadRequest',
      () => simulation.byok.moveRegion('westeurope'),
    ],
    ['[000-L4.1]', 'the set is gone', 'BadRequest', () => simulation.byok.deleteSet()],
    [
      '[000-L4.3]',
      'the set lost its rights',
      'KeyVaultAccessForbidden',
      () => simulation.byok.revokeWrapUnwrap(),
    ],
    ['[000-L4.5]', 'the vault is closed', 'KeyVaultAccessForbidden', () => simulation.byok.closeFirewall()],
    ['[000-L4.5]', 'the vault is gone', 'KeyVaultNotFound', () => simulation.byok.deleteVault()],
    ['[000-L4.4]', 'the key is disabled', 'KeyVaultKeyNotEnabled', () => simulation.byok.disableKey()],
    ['[000-L4.4]', 'the key has expired', 'KeyVaultAccessForbidden', () => simulation.byok.expireKey()],
    ['[000-L4.4]', 'the key is gone', 'KeyVaultKeyNotFound', () => simulation.byok.deleteKey()],
  ])('%s does not come up when %s', async (_requirement, _case, code, damage) => {
    await start();
    damage();
    expect(await outcome(WITH_SET())).toBe(code);
    expect(await outcome({ name: 'aks-plain' }), 'without the set it does').toBe('Succeeded');
  });
});
