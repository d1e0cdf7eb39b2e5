/** From the launch template to the virtual machine as ARM takes it: the plan, then one function for each part of the body. */

import type {
  OSDisk,
  OSProfile,
  SecurityProfile,
  VirtualMachine,
  VirtualMachineIdentity,
} from '@azure/arm-compute';
import type { Stored } from '@chandler/kube';
import type { AKSNodeClass, NodeClaim } from '../../../api/index.ts';

import { imageReference } from '../images/index.ts';
import type { LaunchTemplate } from '../launch-template/index.ts';
import type { AzureControllerValues } from '../options/options.ts';
import { armZones } from '../sizes/index.ts';
import { vmNameOf } from './names.ts';
import type { ExtensionPlan, NetworkPlan, VmPlan } from './vm-plan.ts';

export interface VmPlanRequest {
  readonly claim: Stored<NodeClaim>;
  readonly nodeClass: AKSNodeClass;
  readonly options: Pick<
    AzureControllerValues,
    'location' | 'linuxAdminUsername' | 'sshPublicKey' | 'nodeIdentities' | 'bootDiagnostics'
  >;
  readonly template: LaunchTemplate;
  readonly size: string;
  readonly network: NetworkPlan;
  readonly extensions: readonly ExtensionPlan[];
}

export function vmPlan(request: VmPlanRequest): VmPlan {
  const { claim, nodeClass, options, template } = request;
  const security = nodeClass.spec?.security;
  const { secureBoot = false, vtpm = false } = security?.trustedLaunch ?? {};
  return {
    name: vmNameOf(claim.metadata.name),
    claimUid: claim.metadata.uid,
    location: options.location.value,
    tags: template.tags,
    size: request.size,
    zone: template.placement.zone,
    capacityType: template.placement.capacityType,
    network: request.network,
    image: { id: template.imageId },
    osDisk: template.osDisk,
    customData: template.customData,
    adminUsername: options.linuxAdminUsername.value,
    sshPublicKey: options.sshPublicKey.value,
    identities: options.nodeIdentities.value,
    ...(security?.encryptionAtHost === undefined ? {} : { encryptionAtHost: security.encryptionAtHost }),
    ...(secureBoot || vtpm ? { trustedLaunch: { secureBoot, vtpm } } : {}),
    ultraSsd: template.ultraSsd,
    bootDiagnostics: options.bootDiagnostics.value,
    extensions: request.extensions,
  };
}

export function vmObject(plan: VmPlan, nicId: string): VirtualMachine {
  const identity = identityOf(plan.identities);
  const security = securityOf(plan);
  const zones = [...armZones(plan.zone)];
  return {
    location: plan.location,
    tags: { ...plan.tags },
    ...(identity === undefined ? {} : { identity }),
    hardwareProfile: { vmSize: plan.size },
    storageProfile: { osDisk: osDiskOf(plan), imageReference: imageReference(plan.image.id) },
    networkProfile: { networkInterfaces: [{ id: nicId, primary: true, deleteOption: 'Delete' }] },
    osProfile: osProfileOf(plan),
    ...priorityOf(plan),
    ...(security === undefined ? {} : { securityProfile: security }),
    ...(plan.ultraSsd ? { additionalCapabilities: { ultraSSDEnabled: true } } : {}),
    ...(plan.bootDiagnostics ? { diagnosticsProfile: { bootDiagnostics: { enabled: true } } } : {}),
    ...(zones.length === 0 ? {} : { zones }),
  };
}

// ---------------------------------------------------------------------------------------------------

function identityOf(ids: readonly string[]): VirtualMachineIdentity | undefined {
  if (ids.length === 0) return undefined;
  return {
    type: 'UserAssigned',
    userAssignedIdentities: Object.fromEntries(ids.map((id) => [id, {}])),
  };
}

function osDiskOf({ name, osDisk }: VmPlan): OSDisk {
  const set = osDisk.diskEncryptionSet;
  return {
    name,
    createOption: 'FromImage',
    deleteOption: 'Delete',
    diskSizeGB: osDisk.sizeGB,
    ...(osDisk.ephemeralPlacement === undefined
      ? {}
      : {
          caching: 'ReadOnly',
          diffDiskSettings: { option: 'Local', placement: osDisk.ephemeralPlacement },
        }),
    ...(set === undefined ? {} : { managedDisk: { diskEncryptionSet: { id: set.value } } }),
  };
}

function osProfileOf(plan: VmPlan): OSProfile {
  return {
    computerName: plan.name,
    adminUsername: plan.adminUsername,
    customData: plan.customData,
    linuxConfiguration: {
      disablePasswordAuthentication: true,
      ssh: {
        publicKeys: [
          { path: `/home/${plan.adminUsername}/.ssh/authorized_keys`, keyData: plan.sshPublicKey },
        ],
      },
    },
  };
}

function priorityOf(plan: VmPlan): Partial<VirtualMachine> {
  if (plan.capacityType !== 'spot') return { priority: 'Regular' };
  return { priority: 'Spot', evictionPolicy: 'Delete', billingProfile: { maxPrice: -1 } };
}

function securityOf(plan: VmPlan): SecurityProfile | undefined {
  const { encryptionAtHost, trustedLaunch } = plan;
  if (encryptionAtHost === undefined && trustedLaunch === undefined) return undefined;
  return {
    ...(encryptionAtHost === undefined ? {} : { encryptionAtHost }),
    ...(trustedLaunch === undefined
      ? {}
      : {
          securityType: 'TrustedLaunch',
          uefiSettings: { secureBootEnabled: trustedLaunch.secureBoot, vTpmEnabled: trustedLaunch.vtpm },
        }),
  };
}
