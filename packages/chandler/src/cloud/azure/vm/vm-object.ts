/** The virtual machine as ARM wants it, one function for each part of the object. */
import type {
  OSDisk,
  OSProfile,
  SecurityProfile,
  VirtualMachine,
  VirtualMachineIdentity,
} from '@azure/arm-compute';
import { imageReference } from '../images/index.ts';
import { armZones } from '../sizes/index.ts';
import type { MachinePlan } from './machine-plan.ts';

export function vmObject(plan: MachinePlan, nicId: string): VirtualMachine {
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

function osDiskOf({ name, osDisk }: MachinePlan): OSDisk {
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

function osProfileOf(plan: MachinePlan): OSProfile {
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

function priorityOf(plan: MachinePlan): Partial<VirtualMachine> {
  if (plan.capacityType !== 'spot') return { priority: 'Regular' };
  return { priority: 'Spot', evictionPolicy: 'Delete', billingProfile: { maxPrice: -1 } };
}

function securityOf(plan: MachinePlan): SecurityProfile | undefined {
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
