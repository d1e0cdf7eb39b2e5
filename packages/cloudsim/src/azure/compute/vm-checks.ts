/**
 * What a requested VM is validated against: size and zone, image, disks, encryption set, network interfaces, rights on
 * what it uses. The first error is thrown, in the order in which ARM checks.
 */
import {
  invalidResourceReference,
  locationNotAvailable,
  nicInUse,
  nicReserved,
  notProvisioned,
} from '../network/network-errors.ts';
import { attachedTo, type Nics } from '../network/nics.ts';
import { parseResourceId, sameId } from '../store/resource-id.ts';
import type { ArmRequest } from '../wire/arm-request.ts';
import type { ArmContext } from '../wire/context.ts';
import { invalidParameter, subscriptionNotFound } from '../wire/errors.ts';
import {
  diskEncryptionSetNotFound,
  diskExists,
  diskTooSmall,
  ephemeralNotSupported,
  ephemeralTooLarge,
  featureNotSupported,
  galleryImageNotFound,
  invalidSize,
  invalidZone,
  platformImageNotFound,
  skuNotAvailable,
  unsupportedByImage,
  wrongArchitecture,
  wrongGeneration,
} from './compute-errors.ts';
import { DISK_TYPE } from './disks.ts';
import type { ImageFacts, SizeFacts } from './services.ts';
import type { DesiredVm } from './vm-request.ts';

export const VM_TYPE = 'Microsoft.Compute/virtualMachines';

export interface CheckedVm {
  readonly size: SizeFacts | undefined;
  readonly image: ImageFacts | undefined;
}

export function checkVm(
  context: ArmContext,
  nics: Nics,
  request: ArmRequest,
  id: string,
  desired: DesiredVm,
): CheckedVm {
  const { region } = context.settings;
  if (desired.location !== region) throw locationNotAvailable(desired.location, VM_TYPE, region);
  const size = checkSize(context, parseResourceId(id)!.name, desired);
  const image = context.services.images?.find(desired.image, desired.location);
  if (image === undefined && context.services.images !== undefined) throw imageMissing(desired);
  if (size !== undefined && image !== undefined) checkFit(desired, size, image);
  if (size !== undefined) checkFeatures(desired, size);
  checkEphemeral(desired, size);
  checkEncryptionSet(context, request, desired);
  for (const nic of desired.nics) checkNic(context, nics, request, nic.id, id);
  for (const identity of Object.keys(desired.identity?.['userAssignedIdentities'] ?? {}))
    context.access.requireLinked(
      request,
      `${VM_TYPE}/write`,
      'Microsoft.ManagedIdentity/userAssignedIdentities/assign/action',
      identity,
    );
  return { size, image };
}

/** Rejects the name of a disk that exists and belongs to another VM, and who may not create disks. */
export function checkDisk(context: ArmContext, request: ArmRequest, vmId: string, diskName: string): void {
  const { subscriptionId, resourceGroup } = parseResourceId(vmId)!;
  const id = `/subscriptions/${subscriptionId}/resourceGroups/${resourceGroup}/providers/${DISK_TYPE}/${diskName}`;
  const disk = context.store.get(id);
  if (disk === undefined && request.principal !== undefined)
    context.access.require(request.principal, `${DISK_TYPE}/write`, id);
  if (disk !== undefined && !sameId(disk.managedBy ?? '', vmId)) throw diskExists(diskName, resourceGroup);
}

/** Throws when the NIC is missing, in use by another, or reserved for another. */
export function checkNic(
  context: ArmContext,
  nics: Nics,
  request: ArmRequest,
  nicId: string,
  vmId: string,
): void {
  const nic = nics.get(nicId);
  if (nic === undefined) throw invalidResourceReference(nicId, vmId);
  context.access.requireLinked(
    request,
    `${VM_TYPE}/write`,
    'Microsoft.Network/networkInterfaces/join/action',
    nicId,
  );
  const user = attachedTo(nic);
  if (user !== undefined && !sameId(user, vmId)) throw nicInUse(nicId, user);
  const { provisioningState = 'Succeeded' } = nic.properties;
  if (provisioningState !== 'Succeeded') throw notProvisioned(nicId, vmId, provisioningState);
  const reserved = nics.reservation(nicId);
  if (reserved !== undefined && !sameId(reserved.vmId, vmId))
    throw nicReserved(Math.ceil((reserved.untilMs - context.world.clock.monotonic()) / 1000), reserved.vmId);
}

// ---------------------------------------------------------------------------------------------------

const REGION_ZONES = ['1', '2', '3'];

function checkSize(context: ArmContext, name: string, desired: DesiredVm): SizeFacts | undefined {
  if (desired.zone !== undefined && !REGION_ZONES.includes(desired.zone))
    throw invalidZone(desired.zone, name, desired.location, REGION_ZONES);
  const { sizes } = context.services;
  if (sizes === undefined) return undefined;
  const size = sizes.sizeOf(desired.size, desired.location);
  if (size === undefined) throw invalidSize(desired.size);
  const restricted =
    size.restricted?.region === true ||
    (desired.zone !== undefined &&
      (!size.zones.includes(desired.zone) || size.restricted?.zones?.includes(desired.zone)));
  if (restricted) throw skuNotAvailable(size.name, desired.location, desired.zone);
  if (desired.spot && !size.spot)
    throw invalidParameter(
      'priority',
      `The VM size '${size.name}' does not support Azure Spot Virtual Machines.`,
    );
  return size;
}

function imageMissing(desired: DesiredVm): Error {
  const { image } = desired;
  const gallery = image.communityGalleryImageId ?? image.id ?? image.sharedGalleryImageId;
  if (gallery !== undefined) return galleryImageNotFound(gallery, desired.location);
  return platformImageNotFound([image.publisher, image.offer, image.sku, image.version].join(':'));
}

function checkFit(desired: DesiredVm, size: SizeFacts, image: ImageFacts): void {
  if (image.architecture !== size.architecture)
    throw wrongArchitecture(size.name, size.architecture, image.architecture);
  if (!size.generations.includes(image.generation)) throw wrongGeneration(size.name, image.generation);
  if (desired.osDisk.sizeGB !== undefined && desired.osDisk.sizeGB < image.osDiskSizeGB)
    throw diskTooSmall(desired.osDisk.sizeGB, image.osDiskSizeGB);
  if (desired.trustedLaunch && (image.generation === 'V1' || image.trustedLaunch === false))
    throw unsupportedByImage('TrustedLaunch');
}

function checkFeatures(desired: DesiredVm, size: SizeFacts): void {
  if (desired.encryptionAtHost && !size.encryptionAtHost)
    throw featureNotSupported('securityProfile.encryptionAtHost', size.name);
  if (desired.trustedLaunch && !size.trustedLaunch)
    throw featureNotSupported('securityProfile.securityType', size.name);
  if (desired.ultraSsd && (!size.ultraSsd || (size.zones.length > 0 && desired.zone === undefined)))
    throw featureNotSupported('additionalCapabilities.ultraSSDEnabled', size.name);
  if (
    desired.osDisk.storageAccountType.startsWith('Premium') &&
    !size.premiumIo &&
    desired.osDisk.ephemeral === undefined
  ) {
    const stated = (
      desired.properties['storageProfile'] as { osDisk?: { managedDisk?: { storageAccountType?: string } } }
    ).osDisk;
    if (stated?.managedDisk?.storageAccountType !== undefined)
      throw invalidParameter(
        'osDisk.managedDisk.storageAccountType',
        `Requested operation cannot be performed because the VM size ${size.name} does not support the storage account type ${desired.osDisk.storageAccountType}.`,
      );
  }
}

function checkEphemeral(desired: DesiredVm, size: SizeFacts | undefined): void {
  const { ephemeral, sizeGB = 0 } = desired.osDisk;
  if (ephemeral === undefined) return;
  if (desired.spot && desired.properties['evictionPolicy'] === 'Deallocate')
    throw invalidParameter(
      'evictionPolicy',
      'Eviction policy Deallocate is not supported with ephemeral OS disks.',
    );
  if (size === undefined) return;
  const room = size.ephemeralGB[ephemeral];
  if (room === undefined) throw ephemeralNotSupported(size.name, ephemeral);
  if (sizeGB > room) throw ephemeralTooLarge(size.name, room, ephemeral);
}

function checkEncryptionSet(context: ArmContext, request: ArmRequest, desired: DesiredVm): void {
  const { diskEncryptionSetId } = desired.osDisk;
  if (diskEncryptionSetId === undefined) return;
  context.access.requireLinked(
    request,
    `${VM_TYPE}/write`,
    'Microsoft.Compute/diskEncryptionSets/read',
    diskEncryptionSetId,
  );
  const { encryption } = context.services;
  if (encryption !== undefined) {
    const refusal = encryption.checkSet({
      diskEncryptionSetId,
      region: desired.location,
      principal: request.principal,
    });
    if (refusal !== undefined) throw refusal;
    return;
  }
  if (context.store.has(diskEncryptionSetId)) return;
  const { subscriptionId, name, resourceGroup } = parseResourceId(diskEncryptionSetId)!;
  if (!context.store.subscriptions().some((one) => one.subscriptionId === subscriptionId.toLowerCase()))
    throw subscriptionNotFound(subscriptionId);
  throw diskEncryptionSetNotFound(name, resourceGroup);
}
