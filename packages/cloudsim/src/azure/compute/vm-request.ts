/**
 * The body of a PUT of a VM, checked for shape: everything that can be rejected without knowing sizes, images or other
 * resources. The other checks are in vm-checks.ts.
 */
import {
  booleanAt,
  type Json,
  listAt,
  missing,
  numberAt,
  objectAt,
  objectsAt,
  requireObject,
  requireText,
  tagsAt,
  textAt,
} from '../store/body.ts';
import { parseResourceId } from '../store/resource-id.ts';
import { invalidParameter } from '../wire/errors.ts';
import { invalidPropertyId } from './compute-errors.ts';
import { checkOsProfile, type DesiredOsProfile } from './os-profile.ts';
import type { EphemeralPlacement, ImageReference } from './services.ts';

export interface DesiredVm {
  readonly location: string;
  readonly tags: Readonly<Record<string, string>> | undefined;
  readonly zone: string | undefined;
  readonly identity: Json | undefined;
  readonly size: string;
  readonly spot: boolean;
  readonly image: ImageReference;
  readonly osDisk: DesiredOsDisk;
  readonly osProfile: DesiredOsProfile;
  readonly nics: readonly { readonly id: string; readonly deleteWithVm: boolean }[];
  readonly encryptionAtHost: boolean;
  readonly trustedLaunch: boolean;
  readonly ultraSsd: boolean;
  readonly bootDiagnostics: boolean;
  /** As sent. */
  readonly properties: Json;
}

export interface DesiredOsDisk {
  readonly name: string | undefined;
  readonly sizeGB: number | undefined;
  readonly deleteWithVm: boolean;
  readonly ephemeral: EphemeralPlacement | undefined;
  readonly storageAccountType: string;
  readonly diskEncryptionSetId: string | undefined;
}

export function readVm(body: Json, name: string): DesiredVm {
  const location = textAt(body, 'location');
  if (!location) throw invalidParameter('location', 'The location property is required for this definition.');
  const properties = requireObject(body, 'properties');
  const storage = requireObject(properties, 'storageProfile', 'storageProfile');
  const security = objectAt(properties, 'securityProfile');
  const boot = objectAt(objectAt(properties, 'diagnosticsProfile'), 'bootDiagnostics');
  return {
    location: location.toLowerCase().replaceAll(' ', ''),
    tags: tagsAt(body),
    zone: zoneOf(body),
    identity: checkIdentity(objectAt(body, 'identity')),
    size: requireText(objectAt(properties, 'hardwareProfile'), 'vmSize', 'hardwareProfile.vmSize'),
    spot: isSpot(properties),
    image: checkImage(objectAt(storage, 'imageReference')),
    osDisk: readOsDisk(requireObject(storage, 'osDisk', 'osDisk')),
    osProfile: checkOsProfile(requireObject(properties, 'osProfile', 'osProfile'), name),
    nics: readNics(objectAt(properties, 'networkProfile')),
    encryptionAtHost: booleanAt(security, 'encryptionAtHost') ?? false,
    trustedLaunch: textAt(security, 'securityType') === 'TrustedLaunch',
    ultraSsd: booleanAt(objectAt(properties, 'additionalCapabilities'), 'ultraSSDEnabled') ?? false,
    bootDiagnostics: booleanAt(boot, 'enabled') ?? false,
    properties,
  };
}

/** Malformed ids are rejected before anything else. */
export function requireId(id: string, path: string): string {
  if (parseResourceId(id) === undefined) throw invalidPropertyId(id, path);
  return id;
}

export function checkIdentity(identity: Json | undefined): Json | undefined {
  if (identity === undefined) return undefined;
  const assigned = objectAt(identity, 'userAssignedIdentities', 'identity.userAssignedIdentities') ?? {};
  for (const id of Object.keys(assigned)) requireId(id, 'identity.userAssignedIdentities');
  const type = requireText(identity, 'type', 'identity.type');
  const userAssigned = /UserAssigned/i.test(type);
  if (userAssigned !== Object.keys(assigned).length > 0)
    throw invalidParameter(
      'identity',
      `The identity type '${type}' and the number of user assigned identities (${Object.keys(assigned).length}) do not fit.`,
    );
  return identity;
}

// ---------------------------------------------------------------------------------------------------

function zoneOf(body: Json): string | undefined {
  const zones = listAt(body, 'zones') ?? [];
  if (zones.length > 1 || zones.some((zone) => typeof zone !== 'string'))
    throw invalidParameter('zones', 'Only one zone, as text, can be given for a virtual machine.');
  return zones[0] as string | undefined;
}

function isSpot(properties: Json): boolean {
  const priority = textAt(properties, 'priority') ?? 'Regular';
  if (!['Regular', 'Low', 'Spot'].includes(priority))
    throw invalidParameter(
      'priority',
      `The value '${priority}' of parameter 'priority' is not Regular, Low or Spot.`,
    );
  const spot = priority !== 'Regular';
  const policy = textAt(properties, 'evictionPolicy');
  if (policy !== undefined && !spot)
    throw invalidParameter(
      'evictionPolicy',
      'Eviction policy can be set only on Azure Spot Virtual Machines.',
    );
  const maxPrice = numberAt(objectAt(properties, 'billingProfile'), 'maxPrice', 'billingProfile.maxPrice');
  if (maxPrice !== undefined && !spot)
    throw invalidParameter(
      'billingProfile.maxPrice',
      'Max price can be set only on Azure Spot Virtual Machines.',
    );
  if (maxPrice !== undefined && maxPrice !== -1 && maxPrice <= 0)
    throw invalidParameter(
      'billingProfile.maxPrice',
      `The value '${maxPrice}' must be -1 or greater than 0.`,
    );
  return spot;
}

function checkImage(reference: Json | undefined): ImageReference {
  if (reference === undefined) throw missing('imageReference');
  const id = textAt(reference, 'id', 'imageReference.id');
  const community = textAt(reference, 'communityGalleryImageId');
  const shared = textAt(reference, 'sharedGalleryImageId');
  const publisher = textAt(reference, 'publisher');
  const given = [id, community, shared, publisher].filter((one) => one !== undefined);
  if (given.length !== 1)
    throw invalidParameter('imageReference', 'Exactly one kind of image must be given in imageReference.');
  if (id !== undefined) requireId(id, 'properties.storageProfile.imageReference.id');
  if (community !== undefined && !COMMUNITY_IMAGE.test(community))
    throw invalidParameter(
      'imageReference.communityGalleryImageId',
      `The community gallery image id '${community}' is not of the form /CommunityGalleries/{gallery}/Images/{image}/Versions/{version}.`,
    );
  return reference as ImageReference;
}

const COMMUNITY_IMAGE = /^\/CommunityGalleries\/[^/]+\/Images\/[^/]+(?:\/Versions\/[^/]+)?$/i;

function readOsDisk(disk: Json): DesiredOsDisk {
  const createOption = requireText(disk, 'createOption', 'osDisk.createOption');
  if (createOption !== 'FromImage')
    throw invalidParameter(
      'osDisk.createOption',
      `The create option '${createOption}' needs a disk; only FromImage is supported.`,
    );
  const sizeGB = numberAt(disk, 'diskSizeGB', 'osDisk.diskSizeGB');
  if (sizeGB !== undefined && (!Number.isInteger(sizeGB) || sizeGB < 1 || sizeGB > MAX_DISK_GB))
    throw invalidParameter(
      'osDisk.diskSizeGB',
      `The value '${sizeGB}' of parameter 'osDisk.diskSizeGB' is out of range 1 to ${MAX_DISK_GB}.`,
    );
  const managed = objectAt(disk, 'managedDisk', 'osDisk.managedDisk');
  const set = objectAt(managed, 'diskEncryptionSet');
  const setId = set && requireText(set, 'id', 'osDisk.managedDisk.diskEncryptionSet.id');
  if (setId !== undefined)
    requireId(setId, 'properties.storageProfile.osDisk.managedDisk.diskEncryptionSet.id');
  return {
    name: textAt(disk, 'name', 'osDisk.name'),
    sizeGB,
    deleteWithVm: deletesWithVm(disk, 'osDisk.deleteOption'),
    ephemeral: ephemeralOf(disk),
    storageAccountType: textAt(managed, 'storageAccountType') ?? 'Premium_LRS',
    diskEncryptionSetId: setId,
  };
}

const MAX_DISK_GB = 4095;

function ephemeralOf(disk: Json): EphemeralPlacement | undefined {
  const settings = objectAt(disk, 'diffDiskSettings', 'osDisk.diffDiskSettings');
  if (settings === undefined) return undefined;
  if (textAt(settings, 'option') !== 'Local')
    throw invalidParameter(
      'osDisk.diffDiskSettings.option',
      "The only option of diffDiskSettings is 'Local'.",
    );
  if (textAt(disk, 'caching') !== 'ReadOnly')
    throw invalidParameter('osDisk.caching', 'Ephemeral OS disks need the caching mode ReadOnly.');
  const placement = textAt(settings, 'placement') ?? 'CacheDisk';
  if (!['CacheDisk', 'ResourceDisk', 'NvmeDisk'].includes(placement))
    throw invalidParameter(
      'osDisk.diffDiskSettings.placement',
      `The placement '${placement}' is not CacheDisk, ResourceDisk or NvmeDisk.`,
    );
  return placement as EphemeralPlacement;
}

function readNics(profile: Json | undefined): DesiredVm['nics'] {
  const given = objectsAt(profile, 'networkInterfaces', 'networkProfile.networkInterfaces') ?? [];
  if (given.length === 0) throw missing('networkProfile');
  const nics = given.map((one, at) => {
    const path = `properties.networkProfile.networkInterfaces[${at}].id`;
    return {
      id: requireId(requireText(one, 'id', path), path),
      deleteWithVm: deletesWithVm(objectAt(one, 'properties') ?? {}, 'networkInterfaces.deleteOption'),
    };
  });
  const primaries = given.filter((one) => booleanAt(objectAt(one, 'properties'), 'primary')).length;
  if (given.length > 1 && primaries !== 1)
    throw invalidParameter(
      'networkInterfaces',
      'Exactly one network interface of a virtual machine must be primary.',
    );
  return nics;
}

function deletesWithVm(from: Json, path: string): boolean {
  const option = textAt(from, 'deleteOption', path) ?? 'Detach';
  if (option !== 'Delete' && option !== 'Detach')
    throw invalidParameter(path, `The delete option '${option}' is not Delete or Detach.`);
  return option === 'Delete';
}
