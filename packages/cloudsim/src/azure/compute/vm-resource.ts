/**
 * A VM as ARM shows it: the request without secrets and with what the provider adds; and which changes of it are not
 * allowed.
 */
import { isObject, type Json } from '../store/body.ts';
import type { ArmResource } from '../store/resource.ts';
import { idKey, parseResourceId } from '../store/resource-id.ts';
import type { ArmContext } from '../wire/context.ts';
import { osDiskId } from './disks.ts';
import { VM_TYPE } from './vm-checks.ts';
import type { DesiredVm } from './vm-request.ts';
import type { VmState } from './vm-states.ts';

export function resourceOf(state: VmState, context: ArmContext): ArmResource {
  const { desired } = state;
  return {
    id: state.id,
    name: parseResourceId(state.id)!.name,
    type: VM_TYPE,
    location: desired.location,
    ...(desired.tags === undefined ? {} : { tags: desired.tags }),
    ...(desired.zone === undefined ? {} : { zones: [desired.zone] }),
    ...(desired.identity === undefined ? {} : { identity: shownIdentity(desired.identity, context) }),
    etag: `"${context.world.random.uuid()}"`,
    properties: {
      ...desired.properties,
      hardwareProfile: desired.properties['hardwareProfile'],
      provisioningState: 'Creating',
      vmId: state.vmId,
      storageProfile: storageOf(state),
      osProfile: osProfileOf(state),
      timeCreated: new Date(state.createdMs).toISOString(),
    },
  };
}

/** With the ids that the directory gives to each identity. */
export function shownIdentity(identity: Json, context: ArmContext): Json {
  const assigned = isObject(identity['userAssignedIdentities']) ? identity['userAssignedIdentities'] : {};
  const shown = Object.keys(assigned).map((id) => {
    const known = context.store.get(id)?.properties;
    return [
      id,
      {
        principalId: known?.['principalId'] ?? made(id, 'principal'),
        clientId: known?.['clientId'] ?? made(id, 'client'),
      },
    ];
  });
  if (shown.length === 0) return { ...identity, tenantId: context.settings.tenantId };
  return { ...identity, userAssignedIdentities: Object.fromEntries(shown) as Json };
}

/** A PATCH adds identities; null removes one. */
export function mergedIdentity(before: Json | undefined, given: unknown): Json | undefined {
  if (!isObject(given)) return before;
  const known = (before?.['userAssignedIdentities'] ?? {}) as Record<string, unknown>;
  const wanted = (given['userAssignedIdentities'] ?? {}) as Record<string, unknown>;
  const merged: Record<string, unknown> = { ...known };
  for (const [id, value] of Object.entries(wanted)) {
    const same = Object.keys(merged).find((one) => idKey(one) === idKey(id));
    if (value === null) {
      if (same !== undefined) delete merged[same];
    } else merged[same ?? id] = {};
  }
  const type = given['type'] ?? before?.['type'] ?? 'UserAssigned';
  if (Object.keys(merged).length === 0 && /UserAssigned/i.test(String(type))) return undefined;
  return { ...before, ...given, type, userAssignedIdentities: merged };
}

/** The first property that differs from the created VM and must not; absent properties are ignored. */
export function changedProperty(before: DesiredVm, properties: unknown): string | undefined {
  if (!isObject(properties)) return undefined;
  return FIXED.find((path) => {
    const sent = at(properties, path);
    return sent !== undefined && !equal(at(before.properties, path), sent);
  });
}

// ---------------------------------------------------------------------------------------------------

const FIXED = [
  'osProfile.customData',
  'osProfile.computerName',
  'osProfile.adminUsername',
  'osProfile.linuxConfiguration',
  'storageProfile.imageReference',
  'storageProfile.osDisk.name',
  'storageProfile.osDisk.diffDiskSettings',
  'storageProfile.osDisk.managedDisk.diskEncryptionSet.id',
  'hardwareProfile.vmSize',
  'priority',
  'securityProfile.securityType',
];

function at(from: unknown, path: string): unknown {
  let value = from;
  for (const key of path.split('.')) value = isObject(value) ? value[key] : undefined;
  return value ?? undefined;
}

/** Every requested value must equal the existing one; texts in any case. */
function equal(known: unknown, sent: unknown): boolean {
  if (isObject(sent))
    return Object.entries(sent).every(
      ([key, value]) => value === null || equal(isObject(known) ? known[key] : undefined, value),
    );
  if (typeof sent === 'string' && typeof known === 'string')
    return known.toLowerCase() === sent.toLowerCase();
  return JSON.stringify(known) === JSON.stringify(sent);
}

function storageOf(state: VmState): Json {
  const { desired } = state;
  const storage = desired.properties['storageProfile'] as Json;
  const disk = storage['osDisk'] as Json;
  const managed = (disk['managedDisk'] ?? {}) as Json;
  return {
    ...storage,
    osDisk: {
      ...disk,
      osType: 'Linux',
      name: state.diskName,
      caching: disk['caching'] ?? 'ReadWrite',
      deleteOption: desired.osDisk.deleteWithVm ? 'Delete' : 'Detach',
      diskSizeGB: state.diskSizeGB,
      managedDisk: {
        storageAccountType: desired.osDisk.storageAccountType,
        ...managed,
        id: osDiskId(state.id, state.diskName),
      },
    },
    dataDisks: storage['dataDisks'] ?? [],
  };
}

/** Custom data and passwords are never returned. */
function osProfileOf({ desired }: VmState): Json {
  const {
    customData: _data,
    adminPassword: _password,
    ...profile
  } = desired.properties['osProfile'] as Record<string, unknown>;
  return {
    computerName: desired.osProfile.computerName,
    ...profile,
    secrets: profile['secrets'] ?? [],
    allowExtensionOperations: true,
    requireGuestProvisionSignal: true,
  };
}

/** A GUID derived from the text: the same each time. */
function made(text: string, salt: string): string {
  let hash = 0x811c9dc5;
  const words = [0, 1, 2, 3].map((word) => {
    for (const character of `${salt}${word}${idKey(text)}`)
      hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193) >>> 0;
    return hash.toString(16).padStart(8, '0');
  });
  const digits = words.join('');
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-8${digits.slice(17, 20)}-${digits.slice(20, 32)}`;
}
