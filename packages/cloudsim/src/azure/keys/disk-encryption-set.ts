/**
 * A disk encryption set as a resource, and the check of Azure when a disk is encrypted with one: whether it exists in the
 * region and the caller may use it; and later, whether the set itself can still access its key.
 */
import type { EncryptionCheck, EncryptionChecks } from '../compute/services.ts';
import type { ArmResource } from '../store/resource.ts';
import { parseResourceId } from '../store/resource-id.ts';
import type { ArmContext } from '../wire/context.ts';
import { type ArmError, armError, linkedAuthorizationFailed } from '../wire/errors.ts';
import { type KeyStore, keyState } from './key-store.ts';
import type { Vault, Vaults } from './vault.ts';
import { firewallRefusal, vaultRefusal } from './vault-access.ts';

export const SET_TYPE = 'Microsoft.Compute/diskEncryptionSets';

export interface DiskEncryptionSetProperties {
  readonly activeKey: { readonly sourceVault?: { readonly id: string }; readonly keyUrl: string };
  readonly previousKeys?: readonly { readonly keyUrl: string }[];
  readonly encryptionType: string;
  readonly rotationToLatestKeyVersionEnabled: boolean;
  readonly lastKeyRotationTimestamp?: string;
  readonly autoKeyRotationError?: { readonly code: string; readonly message: string };
  readonly federatedClientId?: string;
  readonly provisioningState: string;
}

export interface DiskEncryptionSet extends Omit<ArmResource, 'properties' | 'identity'> {
  readonly location: string;
  readonly identity?: {
    readonly type: string;
    readonly principalId?: string;
    readonly tenantId?: string;
    readonly userAssignedIdentities?: Readonly<
      Record<string, { readonly principalId?: string; readonly clientId?: string }>
    >;
  };
  readonly properties: DiskEncryptionSetProperties;
}

export class DiskEncryption implements EncryptionChecks {
  readonly #context: ArmContext;
  readonly #vaults: Vaults;
  readonly #keys: KeyStore;

  constructor(context: ArmContext, vaults: Vaults, keys: KeyStore) {
    this.#context = context;
    this.#vaults = vaults;
    this.#keys = keys;
  }

  set(id: string): DiskEncryptionSet | undefined {
    const found = this.#context.store.get(id);
    return found?.type.toLowerCase() === SET_TYPE.toLowerCase()
      ? (found as unknown as DiskEncryptionSet)
      : undefined;
  }

  put(set: DiskEncryptionSet): DiskEncryptionSet {
    this.#context.store.put(set as unknown as ArmResource);
    return set;
  }

  change(id: string, properties: Partial<DiskEncryptionSetProperties>): DiskEncryptionSet {
    const set = this.set(id);
    if (set === undefined) throw new Error(`no disk encryption set ${id}`);
    return this.put({ ...set, properties: { ...set.properties, ...properties } });
  }

  checkSet(check: EncryptionCheck): ArmError | undefined {
    const id = check.diskEncryptionSetId;
    if (parseResourceId(id)?.type.toLowerCase() !== SET_TYPE.toLowerCase()) return malformed(id);
    const forbidden = this.#mayUse(check);
    if (forbidden !== undefined) return forbidden;
    const set = this.set(id);
    if (set === undefined) return armError(400, 'BadRequest', `DiskEncryptionSet '${id}' was not found.`);
    const { subscriptionId } = this.#context.settings;
    if (parseResourceId(id)!.subscriptionId.toLowerCase() !== subscriptionId.toLowerCase())
      return wrongSubscription(set, subscriptionId);
    if (set.location.toLowerCase() !== check.region.toLowerCase()) return wrongRegion(set, check.region);
    if (set.properties.encryptionType === 'ConfidentialVmEncryptedWithCustomerKey') return wrongType(set);
    if (set.properties.provisioningState !== 'Succeeded')
      return armError(
        409,
        'OperationNotAllowed',
        `Disk encryption set '${set.name}' is in provisioning state '${set.properties.provisioningState}' and cannot be used.`,
      );
    return undefined;
  }

  checkKey(check: EncryptionCheck): ArmError | undefined {
    const set = this.set(check.diskEncryptionSetId);
    if (set === undefined)
      return armError(400, 'BadRequest', `DiskEncryptionSet '${check.diskEncryptionSetId}' was not found.`);
    const vault = this.#vaultOf(set);
    if (vault === undefined) return vaultGone(set);
    return this.#locked(set, vault) ?? this.#unusable(set, vault);
  }

  #mayUse({ diskEncryptionSetId, principal }: EncryptionCheck): ArmError | undefined {
    const { access, settings } = this.#context;
    if (principal === undefined || access.allowed(principal.objectId, SET_READ, diskEncryptionSetId))
      return undefined;
    const scope = `/subscriptions/${settings.subscriptionId}/resourceGroups/${settings.nodeResourceGroup}`;
    return linkedAuthorizationFailed(
      principal,
      'Microsoft.Compute/virtualMachines/write',
      scope,
      SET_READ,
      diskEncryptionSetId,
    );
  }

  #vaultOf(set: DiskEncryptionSet): Vault | undefined {
    const { sourceVault, keyUrl } = set.properties.activeKey;
    return sourceVault === undefined
      ? this.#vaults.atHost(new URL(keyUrl).host)
      : this.#vaults.get(sourceVault.id);
  }

  /** Every identity of the set must have access; a set without an identity fails. */
  #locked(set: DiskEncryptionSet, vault: Vault): ArmError | undefined {
    const principals = principalsOf(set);
    if (principals.length === 0) return accessForbidden(set);
    for (const principalId of principals) {
      const caller = { principalId, address: undefined };
      if (firewallRefusal(vault, caller) !== undefined) return firewalled(set, vault);
      for (const permission of ['get', 'wrapKey', 'unwrapKey'] as const) {
        if (vaultRefusal(vault, caller, permission, this.#context.access) !== undefined)
          return accessForbidden(set);
      }
    }
    return undefined;
  }

  #unusable(set: DiskEncryptionSet, vault: Vault): ArmError | undefined {
    const { keyUrl } = set.properties.activeKey;
    const [, name, version] = KEY_PATH.exec(new URL(keyUrl).pathname) ?? [];
    const found = name === undefined ? undefined : this.#keys.version(vault.name, name, version);
    const state = found === undefined ? 'deleted' : keyState(found, this.#context.world.clock.now());
    return state === 'usable' ? undefined : KEY_ERRORS[state](set);
  }
}

export function principalsOf(set: DiskEncryptionSet): readonly string[] {
  const assigned = Object.values(set.identity?.userAssignedIdentities ?? {}).map(
    (identity) => identity.principalId,
  );
  return [set.identity?.principalId, ...assigned].filter((id) => id !== undefined);
}

// ---------------------------------------------------------------------------------------------------

const SET_READ = `${SET_TYPE}/read`;
const KEY_PATH = /^\/keys\/([^/]+)(?:\/([^/]+))?\/?$/i;

const VISIT = 'Please visit https://aka.ms/keyvaultaccessssecmk for more information.';

const KEY_ERRORS = {
  disabled: (set: DiskEncryptionSet) =>
    armError(
      409,
      'KeyVaultKeyNotEnabled',
      `The key vault key '${set.properties.activeKey.keyUrl}' used for disk encryption set '${set.name}' is disabled.`,
    ),
  expired: (set: DiskEncryptionSet) =>
    armError(
      409,
      'KeyVaultAccessForbidden',
      `Unable to access key '${set.properties.activeKey.keyUrl}' to enable encryption at rest. Key is expired. ${VISIT}`,
    ),
  notYetValid: (set: DiskEncryptionSet) =>
    armError(
      409,
      'KeyVaultAccessForbidden',
      `Unable to access key '${set.properties.activeKey.keyUrl}' to enable encryption at rest. Key is not yet valid. ${VISIT}`,
    ),
  deleted: (set: DiskEncryptionSet) =>
    armError(
      409,
      'KeyVaultKeyNotFound',
      `The key vault key '${set.properties.activeKey.keyUrl}' used for disk encryption set '${set.name}' was not found.`,
    ),
} as const;

function accessForbidden(set: DiskEncryptionSet): ArmError {
  return armError(
    409,
    'KeyVaultAccessForbidden',
    `Unable to access key vault resource '${set.properties.activeKey.keyUrl}' to enable encryption at rest. Please grant ` +
      `get, wrap and unwrap key permissions to disk encryption set '${set.name}'. ${VISIT}`,
  );
}

function firewalled(set: DiskEncryptionSet, vault: Vault): ArmError {
  return armError(
    409,
    'KeyVaultAccessForbidden',
    `Unable to access key vault resource '${set.properties.activeKey.keyUrl}' to enable encryption at rest: the vault ` +
      `'${vault.name}' does not let trusted services through its firewall. ${VISIT}`,
  );
}

function vaultGone(set: DiskEncryptionSet): ArmError {
  return armError(
    409,
    'KeyVaultNotFound',
    `The key vault of '${set.properties.activeKey.keyUrl}' used for disk encryption set '${set.name}' was not found.`,
  );
}

function malformed(id: string): ArmError {
  return armError(
    400,
    'LinkedInvalidPropertyId',
    `Property id '${id}' at path 'properties.storageProfile.osDisk.managedDisk.diskEncryptionSet.id' is invalid. Expect ` +
      "fully qualified resource Id that start with '/subscriptions/{subscriptionId}' or " +
      "'/providers/{resourceProviderNamespace}/'.",
  );
}

function wrongSubscription(set: DiskEncryptionSet, subscription: string): ArmError {
  return armError(
    400,
    'BadRequest',
    `Disk encryption set '${set.id}' must be in the same subscription as the disk, '${subscription}'.`,
  );
}

function wrongRegion(set: DiskEncryptionSet, region: string): ArmError {
  return armError(
    400,
    'BadRequest',
    `Disk encryption set '${set.id}' is in location '${set.location}'; it must be in the same region as the disk, '${region}'.`,
  );
}

function wrongType(set: DiskEncryptionSet): ArmError {
  return armError(
    400,
    'BadRequest',
    `The type of the Disk Encryption Set '${set.id}' in the request is ConfidentialVmEncryptedWithCustomerKey, which is ` +
      'not supported for disks of virtual machines that are not confidential.',
  );
}
