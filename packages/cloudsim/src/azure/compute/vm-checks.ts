/**
 * What a VM's wish is held against: size and zone, image, disks, encryption set, network interfaces, rights on what it
 * uses. The first refusal is thrown, in the order in which ARM finds them.
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
import type { VmWish } from './vm-request.ts';

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
  wish: VmWish,
): CheckedVm {
  const { region } = context.settings;
  if (wish.location !== region) throw locationNotAvailable(wish.location, VM_TYPE, region);
  const size = checkSize(context, parseResourceId(id)!.name, wish);
  const image = context.services.images?.find(wish.image, wish.location);
  if (image === undefined && context.services.images !== undefined) throw imageMissing(wish);
  if (size !== undefined && image !== undefined) checkFit(wish, size, image);
  if (size !== undefined) checkFeatures(wish, size);
  checkEphemeral(wish, size);
  checkEncryptionSet(context, request, wish);
  for (const nic of wish.nics) checkNic(context, nics, request, nic.id, id);
  return { size, image };
}

/** A disk of the name that is not this VM's is in the way. */
export function checkDiskName(context: ArmContext, vmId: string, diskName: string): void {
  const { subscriptionId, resourceGroup } = parseResourceId(vmId)!;
  const disk = context.store.get(
    `/subscriptions/${subscriptionId}/resourceGroups/${resourceGroup}/providers/${DISK_TYPE}/${diskName}`,
  );
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

function checkSize(context: ArmContext, name: string, wish: VmWish): SizeFacts | undefined {
  if (wish.zone !== undefined && !REGION_ZONES.includes(wish.zone))
    throw invalidZone(wish.zone, name, wish.location, REGION_ZONES);
  const { sizes } = context.services;
  if (sizes === undefined) return undefined;
  const size = sizes.sizeOf(wish.size, wish.location);
  if (size === undefined) throw invalidSize(wish.size);
  const restricted =
    size.restricted?.region === true ||
    (wish.zone !== undefined &&
      (!size.zones.includes(wish.zone) || size.restricted?.zones?.includes(wish.zone)));
  if (restricted) throw skuNotAvailable(size.name, wish.location, wish.zone);
  if (wish.spot && !size.spot)
    throw invalidParameter(
      'priority',
      `The VM size '${size.name}' does not support Azure Spot Virtual Machines.`,
    );
  return size;
}

function imageMissing(wish: VmWish): Error {
  const { image } = wish;
  const gallery = image.communityGalleryImageId ?? image.id ?? image.sharedGalleryImageId;
  if (gallery !== undefined) return galleryImageNotFound(gallery, wish.location);
  return platformImageNotFound([image.publisher, image.offer, image.sku, image.version].join(':'));
}

function checkFit(wish: VmWish, size: SizeFacts, image: ImageFacts): void {
  if (image.architecture !== size.architecture)
    throw wrongArchitecture(size.name, size.architecture, image.architecture);
  if (!size.generations.includes(image.generation)) throw wrongGeneration(size.name, image.generation);
  if (wish.osDisk.sizeGB !== undefined && wish.osDisk.sizeGB < image.osDiskSizeGB)
    throw diskTooSmall(wish.osDisk.sizeGB, image.osDiskSizeGB);
  if (wish.trustedLaunch && (image.generation === 'V1' || image.trustedLaunch === false))
    throw unsupportedByImage('TrustedLaunch');
}

function checkFeatures(wish: VmWish, size: SizeFacts): void {
  if (wish.encryptionAtHost && !size.encryptionAtHost)
    throw featureNotSupported('securityProfile.encryptionAtHost', size.name);
  if (wish.trustedLaunch && !size.trustedLaunch)
    throw featureNotSupported('securityProfile.securityType', size.name);
  if (wish.ultraSsd && (!size.ultraSsd || (size.zones.length > 0 && wish.zone === undefined)))
    throw featureNotSupported('additionalCapabilities.ultraSSDEnabled', size.name);
  if (
    wish.osDisk.storageAccountType.startsWith('Premium') &&
    !size.premiumIo &&
    wish.osDisk.ephemeral === undefined
  ) {
    const stated = (
      wish.properties['storageProfile'] as { osDisk?: { managedDisk?: { storageAccountType?: string } } }
    ).osDisk;
    if (stated?.managedDisk?.storageAccountType !== undefined)
      throw invalidParameter(
        'osDisk.managedDisk.storageAccountType',
        `Requested operation cannot be performed because the VM size ${size.name} does not support the storage account type ${wish.osDisk.storageAccountType}.`,
      );
  }
}

function checkEphemeral(wish: VmWish, size: SizeFacts | undefined): void {
  const { ephemeral, sizeGB = 0 } = wish.osDisk;
  if (ephemeral === undefined) return;
  if (wish.spot && wish.properties['evictionPolicy'] === 'Deallocate')
    throw invalidParameter(
      'evictionPolicy',
      'Eviction policy Deallocate is not supported with ephemeral OS disks.',
    );
  if (size === undefined) return;
  const room = size.ephemeralGB[ephemeral];
  if (room === undefined) throw ephemeralNotSupported(size.name, ephemeral);
  if (sizeGB > room) throw ephemeralTooLarge(size.name, room, ephemeral);
}

function checkEncryptionSet(context: ArmContext, request: ArmRequest, wish: VmWish): void {
  const { diskEncryptionSetId } = wish.osDisk;
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
      region: wish.location,
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
