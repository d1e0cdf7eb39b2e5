import { describe, expect, test } from 'vitest';
import { aSize, COMPUTE, NETWORK, testArm, type VmChange } from '../arm-server.fixture.ts';
import type { ArmContext, Provider } from '../wire/context.ts';
import { quotaExceeded } from './compute-errors.ts';
import type { ImageFacts, SizeFacts } from './services.ts';

/** A region with one size and one image. */
const offering =
  (size: Partial<SizeFacts> = {}, image?: ImageFacts): Provider =>
  ({ services }: ArmContext) => {
    const only = aSize(size);
    services.sizes = {
      sizeOf: (name) => (name.toLowerCase() === only.name.toLowerCase() ? only : undefined),
    };
    services.images = { find: () => image };
    return [];
  };

const IMAGE: ImageFacts = { generation: 'V2', architecture: 'x64', osDiskSizeGB: 30 };
const EPHEMERAL = { diffDiskSettings: { option: 'Local', placement: 'CacheDisk' }, caching: 'ReadOnly' };

async function refusal(change: VmChange, providers: readonly Provider[] = []) {
  const azure = await testArm({ providers });
  await azure.nic('aks-a');
  await azure.advance(100);
  const refused = await azure.vm('aks-a', change);
  expect(azure.server.resources.vms()).toEqual([]);
  return refused;
}

describe('a VM is rejected as ARM does', () => {
  const id = '/subscriptions/a/resourceGroups/b/providers/Microsoft.Network/networkInterfaces/none';
  test.each<[string, VmChange, string, string]>([
    ['a size that the region has not', { size: 'Standard_X1' }, 'InvalidParameter', 'vmSize'],
    ['a zone that there is not', { zone: '9' }, 'InvalidAvailabilityZone', ''],
    ['two zones', { top: { zones: ['1', '2'] } }, 'InvalidParameter', 'zones'],
    [
      'no image',
      { properties: { storageProfile: { osDisk: { createOption: 'FromImage' } } } },
      'InvalidParameter',
      'imageReference',
    ],
    [
      'custom data that is not base64',
      { osProfile: { customData: '#!/bin/bash' } },
      'InvalidParameter',
      'customData',
    ],
    [
      'custom data that is too long',
      { osProfile: { customData: 'AAAA'.repeat(21_846) } },
      'InvalidParameter',
      'customData',
    ],
    [
      'a host name of 65 characters',
      { osProfile: { computerName: 'a'.repeat(65) } },
      'InvalidParameter',
      'computerName',
    ],
    [
      'a host name with an underscore',
      { osProfile: { computerName: 'a_b' } },
      'InvalidParameter',
      'computerName',
    ],
    ['the user root', { osProfile: { adminUsername: 'root' } }, 'InvalidParameter', 'adminUsername'],
    [
      'an SSH key for another home',
      {
        osProfile: {
          linuxConfiguration: {
            disablePasswordAuthentication: true,
            ssh: { publicKeys: [{ path: '/root/.ssh/authorized_keys', keyData: 'ssh-rsa AAAA' }] },
          },
        },
      },
      'InvalidParameter',
      'linuxConfiguration.ssh.publicKeys.path',
    ],
    [
      'something that is no SSH key',
      {
        osProfile: {
          linuxConfiguration: {
            ssh: { publicKeys: [{ path: '/home/azureuser/.ssh/authorized_keys', keyData: 'nope' }] },
          },
        },
      },
      'InvalidParameter',
      'linuxConfiguration.ssh.publicKeys.keyData',
    ],
    [
      'no way to sign in',
      { osProfile: { linuxConfiguration: { disablePasswordAuthentication: true } } },
      'InvalidParameter',
      'linuxConfiguration',
    ],
    [
      'a NIC that is not there',
      { properties: { networkProfile: { networkInterfaces: [{ id }] } } },
      'InvalidResourceReference',
      '',
    ],
    [
      'a NIC id that is none',
      { properties: { networkProfile: { networkInterfaces: [{ id: 'nic' }] } } },
      'LinkedInvalidPropertyId',
      '',
    ],
    ['no NIC', { properties: { networkProfile: {} } }, 'InvalidParameter', 'networkProfile'],
    ['a disk of 5 TB', { osDisk: { diskSizeGB: 5000 } }, 'InvalidParameter', 'osDisk.diskSizeGB'],
    [
      'an ephemeral disk with the wrong caching',
      { osDisk: { ...EPHEMERAL, caching: 'ReadWrite' } },
      'InvalidParameter',
      'osDisk.caching',
    ],
    [
      'an eviction policy without spot',
      { properties: { evictionPolicy: 'Delete' } },
      'InvalidParameter',
      'evictionPolicy',
    ],
    [
      'a price that makes no sense',
      { spot: true, properties: { billingProfile: { maxPrice: 0 } } },
      'InvalidParameter',
      'billingProfile.maxPrice',
    ],
    [
      'a disk encryption set id that is none',
      { osDisk: { managedDisk: { diskEncryptionSet: { id: 'des' } } } },
      'LinkedInvalidPropertyId',
      '',
    ],
    [
      'an identity id that is none',
      { top: { identity: { type: 'UserAssigned', userAssignedIdentities: { x: {} } } } },
      'LinkedInvalidPropertyId',
      '',
    ],
    [
      'an identity type without identities',
      { top: { identity: { type: 'UserAssigned' } } },
      'InvalidParameter',
      'identity',
    ],
    ['another region', { top: { location: 'mars' } }, 'LocationNotAvailableForResourceType', ''],
    ['no location', { top: { location: null } }, 'InvalidParameter', 'location'],
    ['a number as a tag', { top: { tags: { a: 1 } } }, 'InvalidRequestContent', ''],
    [
      '51 tags',
      { tags: Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`t${at}`, ''])) },
      'InvalidParameter',
      'tags',
    ],
    ['a slash in the name of a tag', { tags: { 'karpenter.sh/nodepool': 'a' } }, 'InvalidParameter', 'tags'],
  ])('%s', async (_name, change, code, target) => {
    const refused = await refusal(change, [offering({}, IMAGE)]);
    expect([refused.error.code, refused.error.target ?? '']).toEqual([code, target]);
    expect([400, 404]).toContain(refused.status);
  });

  test('a disk encryption set that does not exist', async () => {
    const azure = await testArm();
    const set = `${azure.group}/Microsoft.Compute/diskEncryptionSets/none`;
    const refused = await refusal({ osDisk: { managedDisk: { diskEncryptionSet: { id: set } } } });
    expect([refused.status, refused.error.code]).toEqual([404, 'ResourceNotFound']);
    expect(refused.error.message).toContain('Microsoft.Compute/diskEncryptionSets/none');
  });

  test.each<[string, Partial<SizeFacts>, ImageFacts | undefined, VmChange, string]>([
    ['an image that is not there', {}, undefined, {}, 'GalleryImageNotFound'],
    ['an image for another architecture', { architecture: 'Arm64' }, IMAGE, {}, 'BadRequest'],
    ['an image of another generation', { generations: ['V1'] }, IMAGE, {}, 'BadRequest'],
    ['a disk that is smaller than the image', {}, IMAGE, { osDisk: { diskSizeGB: 20 } }, 'InvalidParameter'],
    [
      'a size that is restricted in the region',
      { restricted: { region: true } },
      IMAGE,
      {},
      'SkuNotAvailable',
    ],
    ['a size that the zone has not', { zones: ['2'] }, IMAGE, {}, 'SkuNotAvailable'],
    ['a size without spot', { spot: false }, IMAGE, { spot: true }, 'InvalidParameter'],
    [
      'an ephemeral disk that does not fit',
      { ephemeralGB: { CacheDisk: 50 } },
      IMAGE,
      { osDisk: EPHEMERAL },
      'NotSupported',
    ],
    [
      'a placement that the size has not',
      { ephemeralGB: { NvmeDisk: 500 } },
      IMAGE,
      { osDisk: EPHEMERAL },
      'OperationNotAllowed',
    ],
    [
      'encryption at host that the size has not',
      { encryptionAtHost: false },
      IMAGE,
      { properties: { securityProfile: { encryptionAtHost: true } } },
      'InvalidParameter',
    ],
    [
      'trusted launch that the image has not',
      {},
      { ...IMAGE, generation: 'V1' },
      { properties: { securityProfile: { securityType: 'TrustedLaunch' } } },
      'BadRequest',
    ],
  ])('%s', async (_name, size, image, change, code) => {
    expect((await refusal(change, [offering(size, image)])).error.code).toBe(code);
  });

  test('an allowed VM is created', async () => {
    const azure = await testArm({ providers: [offering({ ephemeralGB: { CacheDisk: 200 } }, IMAGE)] });
    const put = await azure.launch('aks-a', {
      spot: true,
      zone: null,
      osDisk: EPHEMERAL,
      size: 'standard_d4s_V5',
    });
    expect(put.status).toBe(201);
    expect(azure.server.resources.disks()).toEqual([]);
  });

  test('a VM uses quota and releases it when it is deleted', async () => {
    const used = new Set<string>();
    const limited: Provider = (context) => {
      offering({}, IMAGE)(context);
      context.services.quota = {
        take: ({ vmId }) => {
          if (used.size > 0)
            return quotaExceeded('standardDSv5Family', { location: 'eastus', limit: 4, used: 4, wanted: 4 });
          used.add(vmId.toLowerCase());
          return undefined;
        },
        release: (vmId) => void used.delete(vmId.toLowerCase()),
      };
      return [];
    };
    const azure = await testArm({ providers: [limited] });
    await azure.launch('aks-a');
    const refused = await azure.launch('aks-b');
    expect([refused.status, refused.error.code]).toEqual([409, 'OperationNotAllowed']);
    await azure.call('DELETE', `${COMPUTE}/virtualMachines/aks-a`);
    await azure.advance(1000);
    expect((await azure.vm('aks-b')).status).toBe(201);
  });

  test('a NIC that is still being created', async () => {
    const azure = await testArm();
    await azure.nic('aks-a');
    const refused = await azure.vm('aks-a');
    expect([refused.status, refused.error.code]).toEqual([409, 'ReferencedResourceNotProvisioned']);
  });

  test('a leftover disk of the same name', async () => {
    const azure = await testArm();
    await azure.launch('aks-a', { osDisk: { deleteOption: 'Detach' } });
    await azure.call('DELETE', `${COMPUTE}/virtualMachines/aks-a`);
    await azure.advance(1000);
    const refused = await azure.launch('aks-a');
    expect([refused.status, refused.error.code]).toEqual([409, 'ConflictingUserInput']);
    expect((await azure.call('GET', `${NETWORK}/networkInterfaces/aks-a`)).status).toBe(200);
  });
});
