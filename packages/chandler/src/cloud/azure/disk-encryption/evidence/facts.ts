/**
 * What the evidence is made of: the facts read from Azure, trimmed to what is judged, and the small functions that
 * read them. `readers.ts` makes those from the SDK clients; tests hand in their own. A reader throws what the SDK
 * throws.
 */
import type { DiskEncryptionSetId } from '../disk-encryption-set-id.ts';

export interface DiskEncryptionReaders {
  /** From the subscription that the ID names, which need not be the controller's. */
  diskEncryptionSet(id: DiskEncryptionSetId): Promise<DiskEncryptionSetFacts>;
  vault(vaultId: string): Promise<VaultFacts>;
  key(key: KeyAddress): Promise<KeyFacts>;
  /** Throws 404 when the key is not among the deleted ones. */
  deletedKey(key: KeyAddress): Promise<DeletedKeyFacts>;
  /** Everything assigned to the principal that holds on the vault, at or above it or on its keys. */
  roleAssignments(vaultId: string, principalId: string): Promise<readonly RoleAssignmentFacts[]>;
  roleDefinition(roleDefinitionId: string): Promise<RoleDefinitionFacts>;
}

export interface DiskEncryptionSetFacts {
  readonly location: string;
  readonly provisioningState: string | undefined;
  readonly encryptionType: string | undefined;
  /** Object IDs of the identities with which the set goes to the vault. */
  readonly principalIds: readonly string[];
  readonly keyUrl: string | undefined;
  /** Absent for keys in a managed HSM, and for vaults of another subscription. */
  readonly vaultId: string | undefined;
  readonly rotationError: { readonly code: string; readonly message: string } | undefined;
  /** Set when the vault belongs to another tenant. */
  readonly federatedClientId: string | undefined;
}

export interface VaultFacts {
  /** Roles when true, access policies when false. */
  readonly rbac: boolean;
  readonly policies: readonly { readonly objectId: string; readonly keyPermissions: readonly string[] }[];
  readonly defaultAction: string | undefined;
  readonly bypass: string | undefined;
  readonly publicNetworkAccess: string | undefined;
}

export interface KeyFacts {
  readonly enabled: boolean;
  readonly notBeforeMs: number | undefined;
  readonly expiresMs: number | undefined;
}

export interface DeletedKeyFacts {
  readonly scheduledPurgeMs: number | undefined;
}

export interface RoleAssignmentFacts {
  readonly scope: string;
  readonly roleDefinitionId: string;
}

export interface RoleDefinitionFacts {
  readonly name: string;
  readonly dataActions: readonly string[];
  readonly notDataActions: readonly string[];
}

/** `https://{vault}/keys/{name}/{version}`, taken apart. */
export interface KeyAddress {
  readonly url: string;
  readonly vaultUrl: string;
  readonly name: string;
  /** Absent when the set follows the newest version. */
  readonly version: string | undefined;
}

export function parseKeyUrl(url: string): KeyAddress | undefined {
  const match = /^(https?:\/\/[^/]+)\/keys\/([^/]+)(?:\/([^/]+))?\/?$/i.exec(url.trim());
  if (match === null) return undefined;
  return { url, vaultUrl: match[1]!, name: match[2]!, version: match[3] };
}
