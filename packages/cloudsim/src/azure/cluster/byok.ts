/**
 * A customer-managed key with its defaults: vault, key and disk encryption set with the roles they need, and a function
 * to break each of them as it breaks in production. Tests and scenarios call these functions; nothing here decides.
 */
import type { DiskEncryptionSet } from '../keys/disk-encryption-set.ts';
import type { KeyServices } from '../keys/index.ts';
import { newSet } from '../keys/set-routes.ts';
import { newVault } from '../keys/vault-routes.ts';
import type { ArmContext } from '../wire/context.ts';
import type { RoleAssignments } from './role-assignments.ts';

export interface ByokOptions {
  /** Roles decide in the vault (default), or access policies. */
  readonly permissions?: 'roles' | 'policies';
  /** Default `kv-playground`. */
  readonly vaultName?: string;
  /** Default `https://{vault}.vault.azure.net/`. Where sockets are used, the server's own address may serve. */
  readonly vaultUri?: string;
  readonly keyName?: string;
  readonly setName?: string;
  /** The set follows new versions of the key. Default false. */
  readonly rotation?: boolean;
}

/** What Byok is made of. */
export interface ByokParts extends KeyServices {
  readonly context: ArmContext;
  readonly roles: RoleAssignments;
  /** Object id of the controller. */
  readonly controllerId: string;
}

const ENCRYPTION_USER = 'Key Vault Crypto Service Encryption User';
const NEEDED = ['get', 'wrapKey', 'unwrapKey'];

export class Byok {
  readonly vaultId: string;
  readonly keyName: string;
  readonly diskEncryptionSetId: string;
  /** Object id of the set's identity. */
  readonly principalId: string;
  readonly #parts: ByokParts;

  constructor(parts: ByokParts, options: ByokOptions = {}) {
    this.#parts = parts;
    const { context, vaults, keys, sets } = parts;
    const {
      subscriptionId,
      clusterResourceGroup: resourceGroup,
      region: location,
      tenantId,
    } = context.settings;
    const at = { subscriptionId, resourceGroup, location };
    const vault = newVault(
      { ...at, name: options.vaultName ?? 'kv-playground' },
      {
        tenantId,
        enableRbacAuthorization: options.permissions !== 'policies',
        networkAcls: {
          defaultAction: 'Allow',
          bypass: 'AzureServices',
          ipRules: [],
          virtualNetworkRules: [],
        },
        ...(options.vaultUri === undefined ? {} : { vaultUri: options.vaultUri }),
      },
    );
    this.vaultId = vaults.put(vault).id;
    this.keyName = options.keyName ?? 'disk-key';
    keys.create(vault.name, this.keyName, this.#newVersion(), context.world.clock.now());
    this.principalId = context.world.random.uuid();
    const set = newSet(
      { ...at, name: options.setName ?? 'des-playground' },
      { type: 'SystemAssigned', principalId: this.principalId, tenantId },
      {
        activeKey: { sourceVault: { id: this.vaultId }, keyUrl: this.#newestKeyUrl() },
        rotationToLatestKeyVersionEnabled: options.rotation ?? false,
      },
    );
    this.diskEncryptionSetId = sets.put(set).id;
    this.grantWrapUnwrap();
    this.grantReader();
    this.showVault();
  }

  get set(): DiskEncryptionSet | undefined {
    return this.#parts.sets.set(this.diskEncryptionSetId);
  }

  get keyUrl(): string {
    return this.set?.properties.activeKey.keyUrl ?? this.#newestKeyUrl();
  }

  // The key.

  disableKey(): void {
    this.#changeKey({ enabled: false });
  }

  enableKey(): void {
    this.#changeKey({ enabled: true });
  }

  /** Default: a second ago. */
  expireKey(atMs = this.#now() - 1000): void {
    this.#changeKey({ expiresMs: atMs });
  }

  /** Default: in a day. */
  postponeKey(untilMs = this.#now() + 86_400_000): void {
    this.#changeKey({ notBeforeMs: untilMs });
  }

  /** Within its time again, and enabled. */
  repairKey(): void {
    this.#changeKey({ enabled: true, expiresMs: null, notBeforeMs: null });
  }

  deleteKey(): void {
    this.#parts.keys.delete(this.#vaultName(), this.keyName, this.#now());
  }

  recoverKey(): void {
    this.#parts.keys.recover(this.#vaultName(), this.keyName);
  }

  purgeKey(): void {
    this.deleteKey();
    this.#parts.keys.purge(this.#vaultName(), this.keyName);
  }

  /** A new version; a set that follows takes it at once. */
  rotateKey(): string {
    const { keys, sets } = this.#parts;
    const version = this.#newVersion();
    keys.create(this.#vaultName(), this.keyName, version, this.#now());
    const set = this.set;
    if (set?.properties.rotationToLatestKeyVersionEnabled === true)
      sets.change(set.id, {
        activeKey: { ...set.properties.activeKey, keyUrl: this.#newestKeyUrl() },
        previousKeys: [{ keyUrl: set.properties.activeKey.keyUrl }],
        lastKeyRotationTimestamp: new Date(this.#now()).toISOString(),
      });
    return version;
  }

  // The vault.

  /** Deny, except for listed addresses; `trusted` lets Azure's own services, so also the set, through. */
  closeFirewall(options: { readonly trusted?: boolean } = {}): void {
    const bypass = options.trusted === true ? 'AzureServices' : 'None';
    this.#parts.vaults.change(this.vaultId, {
      networkAcls: { defaultAction: 'Deny', bypass, ipRules: [], virtualNetworkRules: [] },
    });
  }

  openFirewall(): void {
    this.#parts.vaults.change(this.vaultId, {
      networkAcls: { defaultAction: 'Allow', bypass: 'AzureServices', ipRules: [], virtualNetworkRules: [] },
    });
  }

  deleteVault(): void {
    this.#parts.vaults.delete(this.vaultId, this.#now());
  }

  recoverVault(): void {
    this.#parts.vaults.recover(this.vaultId);
  }

  /** The vault's address from now on: a server on loopback has no name of its own for it. The set's key follows. */
  moveVault(uri: string): void {
    const vaultUri = uri.endsWith('/') ? uri : `${uri}/`;
    const before = this.#parts.vaults.get(this.vaultId)?.properties.vaultUri ?? '';
    this.#parts.vaults.change(this.vaultId, { vaultUri });
    const { activeKey } = this.set!.properties;
    const keyUrl = activeKey.keyUrl.replace(before, vaultUri);
    this.#parts.sets.change(this.diskEncryptionSetId, { activeKey: { ...activeKey, keyUrl } });
  }

  /** The controller no longer sees the vault, nor what is in it. */
  hideVault(): void {
    this.#parts.roles.revoke(this.#parts.controllerId, this.vaultId, 'Key Vault Reader');
    this.#setPolicy(this.#parts.controllerId, []);
  }

  showVault(): void {
    this.#parts.roles.assign(this.#parts.controllerId, 'Key Vault Reader', this.vaultId);
    this.#setPolicy(this.#parts.controllerId, ['get', 'list']);
  }

  /** The set's identity, by role or by policy as the vault has it. */
  revokeWrapUnwrap(): void {
    this.#parts.roles.revoke(this.principalId, this.vaultId);
    this.#setPolicy(this.principalId, []);
  }

  grantWrapUnwrap(): void {
    if (this.#usesRoles()) this.#parts.roles.assign(this.principalId, ENCRYPTION_USER, this.vaultId);
    else this.#setPolicy(this.principalId, NEEDED);
  }

  /** The other permission model; what was granted by the one before does not count any more. */
  switchPermissions(model: 'roles' | 'policies'): void {
    this.#parts.vaults.change(this.vaultId, { enableRbacAuthorization: model === 'roles' });
  }

  // The set.

  revokeReader(): void {
    this.#parts.roles.revoke(this.#parts.controllerId, this.diskEncryptionSetId, 'Reader');
  }

  grantReader(): void {
    this.#parts.roles.assign(this.#parts.controllerId, 'Reader', this.diskEncryptionSetId);
  }

  moveRegion(location: string): void {
    this.#changeSet((set) => ({ ...set, location }));
  }

  deleteSet(): void {
    this.#parts.context.store.delete(this.diskEncryptionSetId);
  }

  failSet(provisioningState = 'Failed'): void {
    this.#parts.sets.change(this.diskEncryptionSetId, { provisioningState });
  }

  reportRotationError(
    code = 'KeyVaultAccessForbidden',
    message = 'Unable to access key vault resource.',
  ): void {
    this.#parts.sets.change(this.diskEncryptionSetId, { autoKeyRotationError: { code, message } });
  }

  removeIdentity(): void {
    this.#changeSet(({ identity: _gone, ...set }) => set);
  }

  setEncryptionType(encryptionType: string): void {
    this.#parts.sets.change(this.diskEncryptionSetId, { encryptionType });
  }

  // -----------------------------------------------------------------------------------------------

  #now(): number {
    return this.#parts.context.world.clock.now();
  }

  #newVersion(): string {
    return this.#parts.context.world.random.uuid().replaceAll('-', '');
  }

  #vaultName(): string {
    return this.vaultId.split('/').at(-1)!;
  }

  #newestKeyUrl(): string {
    const { keys, vaults } = this.#parts;
    const uri = vaults.get(this.vaultId)?.properties.vaultUri ?? '';
    return `${uri}keys/${this.keyName}/${keys.version(this.#vaultName(), this.keyName)?.version ?? ''}`;
  }

  #usesRoles(): boolean {
    return this.#parts.vaults.get(this.vaultId)?.properties.enableRbacAuthorization ?? true;
  }

  #changeKey(change: Parameters<KeyServices['keys']['update']>[2]): void {
    this.#parts.keys.update(this.#vaultName(), this.keyName, change, this.#now());
  }

  #changeSet(change: (set: DiskEncryptionSet) => DiskEncryptionSet): void {
    const set = this.set;
    if (set === undefined) throw new Error(`no disk encryption set ${this.diskEncryptionSetId}`);
    this.#parts.sets.put(change(set));
  }

  #setPolicy(objectId: string, keys: readonly string[]): void {
    const vault = this.#parts.vaults.get(this.vaultId);
    if (vault === undefined || vault.properties.enableRbacAuthorization) return;
    const others = vault.properties.accessPolicies.filter((policy) => policy.objectId !== objectId);
    const tenantId = vault.properties.tenantId;
    this.#parts.vaults.change(this.vaultId, {
      accessPolicies: keys.length === 0 ? others : [...others, { tenantId, objectId, permissions: { keys } }],
    });
  }
}
