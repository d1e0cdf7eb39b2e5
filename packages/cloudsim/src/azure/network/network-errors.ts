/**
 * The network provider's errors, by ARM's codes.
 */
import { ArmError, armError } from '../wire/errors.ts';

export const invalidResourceReference = (referenced: string, by: string) =>
  armError(
    400,
    'InvalidResourceReference',
    `Resource ${referenced} referenced by resource ${by} was not found. Please make sure that the referenced resource ` +
      'exists, and that both resources are in the same region.',
  );

export const subnetIsFull = (subnet: string, prefix: string, wanted: number) =>
  armError(
    400,
    'SubnetIsFull',
    `Subnet ${subnet} with address prefix ${prefix} does not have enough capacity for ${wanted} IP addresses.`,
  );

export const insufficientSubnetSize = (subnet: string, prefix: string) =>
  armError(
    400,
    'InsufficientSubnetSize',
    `Pre-allocated IPs exceed the number of available IPs in subnet ${subnet} with address prefix ${prefix}.`,
  );

export const nicInUse = (nicName: string, user: string) =>
  armError(
    400,
    'NicInUse',
    `Network Interface ${nicName} is used by existing resource ${user}. In order to delete the network interface, it must ` +
      'be dissociated from the resource. To learn more, see aka.ms/deletenic.',
  );

export const nicReserved = (seconds: number, vmId: string) =>
  armError(
    400,
    'NicReservedForAnotherVm',
    `Nic(s) in request is reserved for another Virtual Machine for ${seconds} seconds. Please provide another nic(s) or ` +
      `retry after ${seconds} seconds. Reserved VM: ${vmId}`,
  );

export const notProvisioned = (used: string, by: string, state: string) =>
  armError(
    409,
    'ReferencedResourceNotProvisioned',
    `Cannot proceed with operation because resource ${used} used by resource ${by} is not in Succeeded state. Resource is in ${state} state and the last operation that updated/is updating the resource is PutNicOperation.`,
  );

export const addressInUse = (address: string, subnet: string) =>
  armError(400, 'PrivateIPAddressInUse', `IP address ${address} is already allocated in subnet ${subnet}.`);

export const addressNotInSubnet = (address: string, subnet: string) =>
  armError(
    400,
    'PrivateIPAddressNotInSubnet',
    `Private static IP address ${address} does not belong to the range of subnet prefix of ${subnet}.`,
  );

export const wrongLocation = (name: string, existing: string, group: string, wanted: string) =>
  armError(
    409,
    'InvalidResourceLocation',
    `The resource '${name}' already exists in location '${existing}' in resource group '${group}'. A resource with the ` +
      `same name cannot be created in location '${wanted}'. Please select a new resource name.`,
  );

export const invalidName = (name: string) =>
  armError(
    400,
    'InvalidResourceName',
    `Resource name ${name} is invalid. The name can be up to 80 characters long. It must begin with a word character, and ` +
      "it must end with a word character or with '_'. The name may contain word characters or '.', '-', '_'.",
  );

export const locationRequired = () =>
  armError(400, 'LocationRequired', 'The location property is required for this definition.');

export const locationNotAvailable = (location: string, type: string, region: string) =>
  armError(
    400,
    'LocationNotAvailableForResourceType',
    `The provided location '${location}' is not available for resource type '${type}'. List of available regions for the ` +
      `resource type is '${region}'.`,
  );

export const inUseSubnet = (subnet: string, user: string) =>
  armError(
    400,
    'InUseSubnetCannotBeDeleted',
    `Subnet ${subnet} is in use by ${user} and cannot be deleted. In order to delete the subnet, delete all the resources ` +
      'within the subnet. See aka.ms/deletesubnet.',
  );

/** Microsoft.Network answers 429 also while a single resource is busy; that is no throttling. */
export const networkBusy = (code: string, id: string) =>
  new ArmError(
    429,
    {
      code,
      message: `Operation on resource ${id} cannot proceed because it or a resource it refers to is being updated.`,
    },
    { 'retry-after': '10' },
  );
