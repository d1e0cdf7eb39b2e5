/**
 * The errors of the compute provider, by ARM's codes. Texts contain what callers match: the name of a quota, its limit,
 * the zone, the link.
 */
import { ArmError, armError } from '../wire/errors.ts';

const GUIDANCE =
  'Read more about improving likelihood of allocation success at http://aka.ms/allocation-guidance';

export const allocationFailed = () =>
  armError(
    409,
    'AllocationFailed',
    `Allocation failed. We do not have sufficient capacity for the requested VM size in this region. ${GUIDANCE}`,
  );

export const zonalAllocationFailed = () =>
  armError(
    409,
    'ZonalAllocationFailed',
    `Allocation failed. We do not have sufficient capacity for the requested VM size in this zone. ${GUIDANCE}`,
  );

/** `zone` undefined: a regional request. */
export const overconstrained = (zone: string | undefined, size: string, constraints: readonly string[]) =>
  armError(
    409,
    zone === undefined ? 'OverconstrainedAllocationRequest' : 'OverconstrainedZonalAllocationRequest',
    'Allocation failed. VM(s) with the following constraints cannot be allocated, because the condition is too ' +
      'restrictive. Please remove some constraints and try again. Constraints applied are:\n' +
      [...constraints, ...(zone === undefined ? [] : ['Availability Zone']), `VM Size (${size})`]
        .map((constraint) => `  - ${constraint}\n`)
        .join(''),
  );

export const skuNotAvailable = (size: string, location: string, zone?: string) =>
  armError(
    409,
    'SkuNotAvailable',
    `The requested VM size for resource 'Following SKUs have failed for Capacity Restrictions: ${size}' is currently not ` +
      `available in location '${location}'${zone === undefined ? '' : ` zones '${zone}'`}. Please try another size or ` +
      'deploy to a different location or different zone. See https://aka.ms/azureskunotavailable for details.',
  );

export const vmSizeNotSupported = (size: string, location: string) =>
  armError(
    400,
    'VMSizeNotSupported',
    `The VM size '${size}' is not supported in location '${location}'.`,
    'vmSize',
  );

export const sizeNotInSubscription = (size: string, subscriptionId: string, location: string) =>
  armError(
    400,
    'BadRequest',
    `The VM size of ${size} is not allowed in your subscription: it is not supported for subscription ${subscriptionId} in location '${location}'.`,
  );

export const invalidSize = (size: string) =>
  armError(
    400,
    'InvalidParameter',
    `The value ${size} provided for the VM size is not valid. The valid sizes in the current region are listed by the resource SKUs API.`,
    'vmSize',
  );

export interface QuotaFigures {
  readonly location: string;
  readonly limit: number;
  readonly used: number;
  readonly wanted: number;
}

/** `quota` is `standardDSv3Family`, `LowPriorityCores` or `Total Regional`; the text says ` Cores quota` after it where ARM does. */
export const quotaExceeded = (quota: string, figures: QuotaFigures) => {
  const name = quota === 'LowPriorityCores' ? 'LowPriorityCores' : `${quota} Cores`;
  return armError(
    409,
    'OperationNotAllowed',
    `Operation could not be completed as it results in exceeding approved ${name} quota. Additional details - Deployment ` +
      `Model: Resource Manager, Location: ${figures.location}, Current Limit: ${figures.limit}, Current Usage: ` +
      `${figures.used}, Additional Required: ${figures.wanted}, (Minimum) New Limit Required: ` +
      `${figures.used + figures.wanted}. Setup Alerts when Quota reaches threshold. Learn more at ` +
      'https://aka.ms/quotamonitoringalerting . Submit a request for Quota increase by specifying parameters listed in ' +
      "the 'Details' section for deployment to succeed. Please read more about quota limits at " +
      'https://docs.microsoft.com/en-us/azure/azure-supportability/per-vm-quota-requests',
  );
};

export const invalidZone = (zone: string, resource: string, location: string, zones: readonly string[]) =>
  armError(
    400,
    'InvalidAvailabilityZone',
    `The zone(s) '${zone}' for resource 'Microsoft.Compute/virtualMachines/${resource}' is not supported. The supported ` +
      `zones for location '${location}' are '${zones.join(',')}'`,
  );

export const galleryImageNotFound = (image: string, location: string) =>
  armError(
    404,
    'GalleryImageNotFound',
    `The gallery image ${image} is not available in ${location} region. Please contact image owner to replicate to this ` +
      'region, or change your requested region.',
    'imageReference',
  );

export const platformImageNotFound = (image: string) =>
  armError(
    404,
    'PlatformImageNotFound',
    `The platform image '${image}' is not available. Verify that all fields in the storage profile are correct.`,
    'imageReference',
  );

export const wrongGeneration = (size: string, generation: string) =>
  armError(
    400,
    'BadRequest',
    `The selected VM size '${size}' cannot boot Hypervisor Generation '${generation === 'V1' ? '1' : '2'}'. If this was a Create ` +
      'operation please check that the Hypervisor Generation of the Image matches the Hypervisor Generation of the ' +
      'selected VM Size.',
  );

export const wrongArchitecture = (size: string, sizeArchitecture: string, imageArchitecture: string) =>
  armError(
    400,
    'BadRequest',
    `Cannot create a VM of size '${size}' because this VM size only supports a CPU Architecture of '${sizeArchitecture}', ` +
      `but an image or disk with CPU Architecture '${imageArchitecture}' was given. Please check that the CPU Architecture ` +
      'of the image or disk is compatible with that of the VM size.',
  );

export const diskTooSmall = (given: number, needed: number) =>
  armError(
    400,
    'InvalidParameter',
    `The specified disk size ${given} GB is smaller than the size of the corresponding disk in the VM image: ${needed} GB. ` +
      'This is not allowed. Please choose equal or greater size or do not specify an explicit size.',
    'osDisk.diskSizeGB',
  );

export const ephemeralTooLarge = (size: string, room: number, placement: string) =>
  armError(
    409,
    'NotSupported',
    `OS disk of Ephemeral VM with size greater than ${room} GB is not allowed for VM size ${size} when the ` +
      `DiffDiskPlacement is ${placement}.`,
  );

export const ephemeralNotSupported = (size: string, placement: string) =>
  armError(
    409,
    'OperationNotAllowed',
    `The VM size ${size} does not support Ephemeral OS disk with DiffDiskPlacement ${placement}.`,
  );

export const unsupportedByImage = (feature: string) =>
  armError(400, 'BadRequest', `Use of ${feature} setting is not supported for the provided image.`);

export const featureNotSupported = (feature: string, size: string) =>
  armError(400, 'InvalidParameter', `${feature} is not supported for the VM size ${size}.`, feature);

export const invalidPropertyId = (id: string, path: string) =>
  armError(
    400,
    'LinkedInvalidPropertyId',
    `Property id '${id}' at path '${path}' is invalid. Expect fully qualified resource Id that start with ` +
      "'/subscriptions/{subscriptionId}' or '/providers/{resourceProviderNamespace}/'.",
  );

export const diskExists = (name: string, group: string) =>
  armError(
    409,
    'ConflictingUserInput',
    `Disk ${name} already exists in resource group ${group}. Only CreateOption.Attach is supported.`,
    '/subscriptions',
  );

export const diskAttached = (disk: string, vm: string) =>
  armError(409, 'OperationNotAllowed', `Disk ${disk} is attached to VM ${vm}.`);

export const concurrentRequest = () =>
  armError(
    409,
    'Conflict',
    'The request failed due to conflict with a concurrent request. To resolve it, please refer to ' +
      'https://aka.ms/activitylog to get more details on the conflicting requests.',
  );

export const preempted = () =>
  new ArmError(409, {
    code: 'OperationPreempted',
    message: 'Operation execution has been preempted by a more recent operation.',
  });

export const notRunning = () =>
  armError(409, 'OperationNotAllowed', 'Cannot modify extensions in the VM when the VM is not running.');

export const diskEncryptionSetNotFound = (name: string, group: string) =>
  armError(
    404,
    'ResourceNotFound',
    `The Resource 'Microsoft.Compute/diskEncryptionSets/${name}' under resource group '${group}' was not found. For more ` +
      'details please go to https://aka.ms/ARMResourceNotFoundFix',
  );

export const keyVaultForbidden = (set: string) =>
  armError(
    409,
    'KeyVaultAccessForbidden',
    `Unable to access key vault resource of disk encryption set '${set}' to enable encryption at rest. Please grant get, ` +
      "wrap and unwrap key permissions to the disk encryption set's identity. Please visit https://aka.ms/keyvaultaccessssecmk for more information.",
  );

export const keyDisabled = (set: string) =>
  armError(
    409,
    'KeyVaultKeyDisabled',
    `The key of disk encryption set '${set}' is disabled. Please enable the key in the key vault and try again.`,
  );

export const osProvisioningTimedOut = (vm: string) =>
  armError(
    409,
    'OSProvisioningTimedOut',
    `OS Provisioning for VM '${vm}' did not finish in the allotted time. The VM may still finish provisioning ` +
      'successfully. Please check provisioning state later. For details on how to check current provisioning state of ' +
      'Linux VMs, refer to https://aka.ms/LinuxVMLifecycle.',
  );

export const vmStartTimedOut = (vm: string) =>
  armError(
    409,
    'VMStartTimedOut',
    `VM '${vm}' did not start in the allotted time. The VM may still start successfully. Please check the power state later.`,
  );

export const internalExecutionError = () =>
  armError(409, 'InternalExecutionError', 'An internal execution error occurred. Please retry later.');
