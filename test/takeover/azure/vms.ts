/** Machines, interfaces and extensions as Karpenter's provider asks ARM for them, request by request. */
import { type ArmServer, clusterSubnetId } from '@chandler/cloudsim/azure/testing';
import type { World } from '@chandler/kube';
import type { Owners } from './nodes.ts';
import { IMAGES, imageId, vmId, vmTags } from './objects.ts';

/** Sends the requests, the second when the first is done; what they began is there some seconds later. */
export async function putMachine(
  { arm, world }: { readonly arm: ArmServer; readonly world: World },
  { place, pool }: Owners,
  name: string,
  zone: number,
): Promise<void> {
  const id = vmId(place, name);
  const nicId = id.replace('Microsoft.Compute/virtualMachines', 'Microsoft.Network/networkInterfaces');
  const shared = { location: place.region, tags: vmTags(place, pool.metadata.name!) };
  await put(arm, nicId, '2024-05-01', {
    ...shared,
    properties: {
      enableAcceleratedNetworking: true,
      enableIPForwarding: false,
      ipConfigurations: [
        {
          name: `aks-${name}`,
          properties: {
            primary: true,
            privateIPAllocationMethod: 'Dynamic',
            subnet: { id: clusterSubnetId(arm) },
          },
        },
      ],
    },
  });
  const machine = {
    ...shared,
    zones: [`${zone}`],
    ...(place.identities.length === 0 ? {} : { identity: identityOf(place.identities) }),
    properties: machineProperties({ place, pool }, name, nicId),
  };
  // Where time is real, a busy server may need longer than it says.
  do await world.clock.sleep(100);
  while (!(await put(arm, id, '2024-07-01', machine)));
}

/** Only once the VM is there. */
export async function putBillingExtension(
  { place, pool }: Owners,
  arm: ArmServer,
  name: string,
): Promise<void> {
  await put(arm, `${vmId(place, name)}/extensions/computeAksLinuxBilling`, '2024-07-01', {
    location: place.region,
    tags: vmTags(place, pool.metadata.name!),
    properties: {
      publisher: 'Microsoft.AKS',
      type: 'Compute.AKS.Linux.Billing',
      typeHandlerVersion: '1.0',
      autoUpgradeMinorVersion: true,
      settings: {},
    },
  });
}

// ---------------------------------------------------------------------------------------------------

/** False when something that it needs is still being made. */
async function put(arm: ArmServer, id: string, version: string, body: object): Promise<boolean> {
  const headers = { authorization: `Bearer ${arm.token()}`, 'content-type': 'application/json' };
  const url = `${arm.url}${id}?api-version=${version}`;
  const answer = await arm.fetch(url, { method: 'PUT', headers, body: JSON.stringify(body) });
  if (answer.status < 300) return true;
  const text = await answer.text();
  if (answer.status === 409 && text.includes('ReferencedResourceNotProvisioned')) return false;
  throw new Error(`PUT ${id}: ${answer.status} ${text}`);
}

function identityOf(identities: readonly string[]): object {
  return {
    type: 'UserAssigned',
    userAssignedIdentities: Object.fromEntries(identities.map((each) => [each, {}])),
  };
}

function machineProperties(
  { place, pool }: Pick<Owners, 'place' | 'pool'>,
  name: string,
  nicId: string,
): object {
  const spot = pool.metadata.name === 'spot';
  const key = { path: '/home/azureuser/.ssh/authorized_keys', keyData: 'ssh-ed25519 AAAA nobody' };
  return {
    hardwareProfile: { vmSize: 'Standard_D4s_v5' },
    storageProfile: {
      imageReference: { communityGalleryImageId: imageId(IMAGES[0]!, place.imageVersion) },
      osDisk: { name: `aks-${name}`, createOption: 'FromImage', deleteOption: 'Delete', diskSizeGB: 128 },
    },
    networkProfile: {
      networkInterfaces: [{ id: nicId, properties: { primary: true, deleteOption: 'Delete' } }],
    },
    osProfile: {
      adminUsername: 'azureuser',
      computerName: `aks-${name}`,
      linuxConfiguration: { disablePasswordAuthentication: true, ssh: { publicKeys: [key] } },
      customData: Buffer.from('#!/bin/bash\n').toString('base64'),
    },
    priority: spot ? 'Spot' : 'Regular',
    ...(spot ? { evictionPolicy: 'Delete', billingProfile: { maxPrice: -1 } } : {}),
  };
}
