import { describe, expect, test } from 'vitest';
import { CUSTOM_SCRIPT_EXTENSION, extensionName, extensionObject } from './extension-object.ts';
import { extensionPlans } from './extension-plans.ts';
import { poolsOf } from './load-balancers.ts';
import { isManagedSubnet } from './managed-subnet.ts';
import { nicObject } from './nic-object.ts';
import { sharedTags, vmTags } from './tags.ts';
import { aPlan } from './vm.fixture.ts';
import { vmObject } from './vm-object.ts';

const NIC = '/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/networkInterfaces/aks-a';

describe('the virtual machine of the request', () => {
  test('[000-L3.1] carries the disk encryption set on a managed and on an ephemeral OS disk alike', () => {
    const set = { value: '/subscriptions/s/des', source: 'flag', path: '--x' } as const;
    for (const ephemeral of [{}, { ephemeralPlacement: 'CacheDisk' as const }]) {
      const vm = vmObject(aPlan({ osDisk: { sizeGB: 128, diskEncryptionSet: set, ...ephemeral } }), NIC);
      expect(vm.storageProfile?.osDisk?.managedDisk).toEqual({ diskEncryptionSet: { id: set.value } });
    }
  });

  test('[000-L3.3] has no managed disk part when no set is named', () => {
    expect(vmObject(aPlan(), NIC).storageProfile?.osDisk).toEqual({
      name: 'aks-a',
      createOption: 'FromImage',
      deleteOption: 'Delete',
      diskSizeGB: 128,
    });
  });

  test('is deleted with its NIC and disk, and allows no login by password', () => {
    const vm = vmObject(aPlan(), NIC);
    expect(vm.networkProfile?.networkInterfaces).toEqual([
      { id: NIC, primary: true, deleteOption: 'Delete' },
    ]);
    expect(vm.osProfile?.linuxConfiguration).toEqual({
      disablePasswordAuthentication: true,
      ssh: { publicKeys: [{ path: '/home/azureuser/.ssh/authorized_keys', keyData: 'ssh-rsa A' }] },
    });
    expect(vm.osProfile).toMatchObject({
      computerName: 'aks-a',
      adminUsername: 'azureuser',
      customData: 'Y2Q=',
    });
  });

  test('is spot with eviction by deletion and no price limit', () => {
    const vm = vmObject(aPlan({ capacityType: 'spot' }), NIC);
    expect(vm).toMatchObject({
      priority: 'Spot',
      evictionPolicy: 'Delete',
      billingProfile: { maxPrice: -1 },
    });
    expect(vmObject(aPlan(), NIC).priority).toBe('Regular');
  });

  test('is in its zone, or in none', () => {
    expect(vmObject(aPlan({ zone: 'eastus-2' }), NIC).zones).toEqual(['2']);
    expect(vmObject(aPlan({ zone: '0' }), NIC)).not.toHaveProperty('zones');
  });

  test('has identities, security and boot diagnostics only where asked', () => {
    const plain = vmObject(aPlan({ identities: [], bootDiagnostics: false }), NIC);
    for (const part of ['identity', 'securityProfile', 'diagnosticsProfile', 'additionalCapabilities']) {
      expect(plain, part).not.toHaveProperty(part);
    }
    const full = vmObject(
      aPlan({
        identities: ['/id/one'],
        bootDiagnostics: true,
        ultraSsd: true,
        encryptionAtHost: true,
        trustedLaunch: { secureBoot: true, vtpm: false },
      }),
      NIC,
    );
    expect(full.identity).toEqual({ type: 'UserAssigned', userAssignedIdentities: { '/id/one': {} } });
    expect(full.diagnosticsProfile).toEqual({ bootDiagnostics: { enabled: true } });
    expect(full.additionalCapabilities).toEqual({ ultraSSDEnabled: true });
    expect(full.securityProfile).toEqual({
      encryptionAtHost: true,
      securityType: 'TrustedLaunch',
      uefiSettings: { secureBootEnabled: true, vTpmEnabled: false },
    });
  });

  test('names its image by the gallery it comes from', () => {
    const community = '/CommunityGalleries/g/images/d/versions/1';
    expect(vmObject(aPlan({ image: { id: community } }), NIC).storageProfile?.imageReference).toEqual({
      communityGalleryImageId: community,
    });
    const shared =
      '/subscriptions/s/resourceGroups/r/providers/Microsoft.Compute/galleries/g/images/d/versions/1';
    expect(vmObject(aPlan({ image: { id: shared } }), NIC).storageProfile?.imageReference).toEqual({
      id: shared,
    });
  });
});

describe('the network interface of the request', () => {
  test('joins the backend pools with its first address only', () => {
    const plan = aPlan({ network: { subnetId: '/sub', acceleratedNetworking: true, secondaryAddresses: 2 } });
    const nic = nicObject(plan, ['/pool']);
    expect(nic.ipConfigurations?.map((config) => config.name)).toEqual(['aks-a', 'ipconfig1', 'ipconfig2']);
    expect(nic.ipConfigurations?.map((config) => config.loadBalancerBackendAddressPools)).toEqual([
      [{ id: '/pool' }],
      undefined,
      undefined,
    ]);
    expect(nic.ipConfigurations?.every((config) => config.subnet?.id === '/sub')).toBe(true);
    expect(nic).toMatchObject({ enableAcceleratedNetworking: true, enableIPForwarding: false });
    expect(nic).not.toHaveProperty('networkSecurityGroup');
  });

  test('has the security group of the cluster where AKS does not manage the subnet', () => {
    const id = (group: string, vnet: string, subnet: string) =>
      `/subscriptions/s/resourceGroups/${group}/providers/Microsoft.Network/virtualNetworks/${vnet}/subnets/${subnet}`;
    expect(isManagedSubnet(id('mc_G', 'aks-vnet-12345678', 'aks-subnet'), 'MC_g')).toBe(true);
    expect(isManagedSubnet(id('other', 'aks-vnet-12345678', 'aks-subnet'), 'MC_g')).toBe(false);
    expect(isManagedSubnet(id('MC_g', 'mine', 'aks-subnet'), 'MC_g')).toBe(false);
    expect(isManagedSubnet('nonsense', 'MC_g')).toBe(false);
  });

  test('joins pools of the two load balancers of the cluster, without IPv6 and without pools of addresses', () => {
    const pool = (name: string, ipAddress?: string) => ({
      id: `/${name}`,
      name,
      ...(ipAddress === undefined ? {} : { loadBalancerBackendAddresses: [{ ipAddress }] }),
    });
    const pools = [
      pool('aksOutboundBackendPool'),
      pool('aksOutboundBackendPool-IPv6'),
      pool('byIp', '10.0.0.1'),
    ];
    expect(poolsOf({ name: 'Kubernetes', backendAddressPools: pools })).toEqual(['/aksOutboundBackendPool']);
    expect(poolsOf({ name: 'kubernetes-internal', backendAddressPools: [pool('kubernetes')] })).toEqual([
      '/kubernetes',
    ]);
    expect(poolsOf({ name: 'mine', backendAddressPools: [pool('kubernetes')] })).toEqual([]);
  });
});

describe('extensions', () => {
  test('the script comes first, billing only in clouds of Azure', () => {
    const names = (command: string | undefined, aksBilling: boolean) =>
      extensionPlans(command, { aksBilling }).map(extensionName);
    expect(names('run', true)).toEqual([CUSTOM_SCRIPT_EXTENSION, 'computeAksLinuxBilling']);
    expect(names(undefined, true)).toEqual(['computeAksLinuxBilling']);
    expect(names(undefined, false)).toEqual([]);
  });

  test('the command of the script is protected', () => {
    const extension = extensionObject({ kind: 'customScript', command: 'run' }, { location: 'l', tags: {} });
    expect(extension).toMatchObject({
      publisher: 'Microsoft.Azure.Extensions',
      typePropertiesType: 'CustomScript',
      typeHandlerVersion: '2.0',
      settings: {},
      protectedSettings: { commandToExecute: 'run' },
    });
    const billing = extensionObject({ kind: 'billing' }, { location: 'l', tags: {} });
    expect(billing).toMatchObject({
      publisher: 'Microsoft.AKS',
      typePropertiesType: 'Compute.AKS.Linux.Billing',
    });
    expect(billing).not.toHaveProperty('protectedSettings');
  });
});

describe('tags', () => {
  const request = {
    clusterName: 'c',
    additionalTags: { team: 'a', Owner: 'options' },
    nodeClassTags: { owner: 'class', 'example.com/x': '1' },
    nodePool: 'default',
    claim: { name: 'default-1', uid: 'u-1', nodeClass: 'azure' },
  };

  test('of the class win over those of the options, whatever their case, and ours over all', () => {
    expect(vmTags(request)).toEqual({
      'chandler.sh_claim': 'default-1',
      'chandler.sh_claim-uid': 'u-1',
      'chandler.sh_nodeclass': 'azure',
      'compute.aks.billing': 'linux',
      'example.com_x': '1',
      'karpenter.azure.com_cluster': 'c',
      'karpenter.sh_nodepool': 'default',
      owner: 'class',
      team: 'a',
    });
  });

  test('of a user cannot change the owner of a VM', () => {
    const nodeClassTags = {
      'karpenter.azure.com/aksmachine_nodeclaim': 'x',
      'Chandler.sh/claim-uid': 'y',
      'karpenter.sh/nodepool': 'z',
    };
    expect(vmTags({ ...request, additionalTags: {}, nodeClassTags })).toEqual({
      'chandler.sh_claim': 'default-1',
      'chandler.sh_claim-uid': 'u-1',
      'chandler.sh_nodeclass': 'azure',
      'compute.aks.billing': 'linux',
      'karpenter.azure.com_cluster': 'c',
      'karpenter.sh_nodepool': 'default',
    });
  });

  test('of a claim without a pool name none', () => {
    expect(sharedTags({ ...request, nodePool: undefined })).not.toHaveProperty('karpenter.sh_nodepool');
  });
});
