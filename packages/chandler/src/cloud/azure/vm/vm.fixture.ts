/** Builders for the tests of this folder. */
import type { VmPlan } from './vm-plan.ts';

export function aPlan(changes: Partial<VmPlan> = {}): VmPlan {
  return {
    name: 'aks-a',
    claimUid: 'u-1',
    location: 'eastus',
    tags: { 'chandler.sh_claim-uid': 'u-1' },
    size: 'Standard_D4s_v5',
    zone: 'eastus-1',
    capacityType: 'on-demand',
    network: { subnetId: '/subnet', acceleratedNetworking: true, secondaryAddresses: 0 },
    image: { id: '/CommunityGalleries/g/images/d/versions/1' },
    osDisk: { sizeGB: 128 },
    customData: 'Y2Q=',
    adminUsername: 'azureuser',
    sshPublicKey: 'ssh-rsa A',
    identities: ['/identity'],
    ultraSsd: false,
    bootDiagnostics: true,
    extensions: [{ kind: 'billing' }],
    ...changes,
  };
}
