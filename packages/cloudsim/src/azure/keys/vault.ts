/**
 * A key vault as a resource: what its properties are, and how vaults are found: by ARM id, by the host of a key's
 * address. Deleted vaults are kept aside until they are recovered or purged.
 */
import type { ArmResource } from '../store/resource.ts';
import { idKey, parseResourceId } from '../store/resource-id.ts';
import type { ResourceStore } from '../store/resource-store.ts';

export const VAULT_TYPE = 'Microsoft.KeyVault/vaults';

export interface VaultProperties {
  readonly tenantId: string;
  readonly sku: { readonly family: 'A'; readonly name: 'standard' | 'premium' };
  /** `https://kv-byok.vault.azure.net/`. */
  readonly vaultUri: string;
  /** Roles decide when true, access policies when false. */
  readonly enableRbacAuthorization: boolean;
  readonly accessPolicies: readonly AccessPolicy[];
  readonly networkAcls?: NetworkRules;
  readonly publicNetworkAccess?: 'Enabled' | 'Disabled';
  readonly enableSoftDelete: boolean;
  readonly softDeleteRetentionInDays: number;
  readonly enablePurgeProtection?: boolean;
  readonly enabledForDiskEncryption?: boolean;
  readonly provisioningState: 'Succeeded' | 'RegisteringDns';
}

export interface AccessPolicy {
  readonly tenantId: string;
  readonly objectId: string;
  readonly permissions: { readonly keys?: readonly string[] };
}

export interface NetworkRules {
  readonly defaultAction: 'Allow' | 'Deny';
  readonly bypass: 'AzureServices' | 'None';
  readonly ipRules?: readonly { readonly value: string }[];
  readonly virtualNetworkRules?: readonly { readonly id: string }[];
}

export interface Vault extends Omit<ArmResource, 'properties'> {
  readonly properties: VaultProperties;
}

export interface DeletedVault {
  readonly vault: Vault;
  readonly deletedMs: number;
  readonly purgeMs: number;
}

export class Vaults {
  readonly #store: ResourceStore;
  readonly #deleted = new Map<string, DeletedVault>();

  constructor(store: ResourceStore) {
    this.#store = store;
  }

  get(id: string): Vault | undefined {
    const found = this.#store.get(id);
    return found?.type.toLowerCase() === VAULT_TYPE.toLowerCase() ? (found as unknown as Vault) : undefined;
  }

  put(vault: Vault): Vault {
    this.#store.put(vault as unknown as ArmResource);
    return vault;
  }

  change(id: string, properties: Partial<VaultProperties>): Vault {
    const vault = this.get(id);
    if (vault === undefined) throw new Error(`no vault ${id}`);
    return this.put({ ...vault, properties: { ...vault.properties, ...properties } });
  }

  list(where: { readonly subscriptionId: string; readonly resourceGroup?: string }): readonly Vault[] {
    return this.#store.list(VAULT_TYPE, where) as unknown as Vault[];
  }

  /** Names are unique in the world, so the first part of the host is enough; the port does not matter. */
  atHost(host: string): Vault | undefined {
    const wanted = host.toLowerCase();
    return this.#all().find((vault) => {
      const at = new URL(vault.properties.vaultUri);
      return (
        at.host.toLowerCase() === wanted || (at.hostname === wanted.split(':')[0] && isVaultHost(wanted))
      );
    });
  }

  /** Where everything is behind one address, the only vault there is. */
  only(): Vault | undefined {
    const all = this.#all();
    return all.length === 1 ? all[0] : undefined;
  }

  /** Soft: it can be recovered for as long as its properties say. */
  delete(id: string, nowMs: number): DeletedVault | undefined {
    const vault = this.get(id);
    if (vault === undefined) return undefined;
    this.#store.delete(id);
    const days = vault.properties.softDeleteRetentionInDays;
    const deleted: DeletedVault = { vault, deletedMs: nowMs, purgeMs: nowMs + days * 86_400_000 };
    this.#deleted.set(idKey(id), deleted);
    return deleted;
  }

  recover(id: string): Vault | undefined {
    const deleted = this.#deleted.get(idKey(id));
    if (deleted === undefined) return undefined;
    this.#deleted.delete(idKey(id));
    return this.put(deleted.vault);
  }

  purge(id: string): boolean {
    return this.#deleted.delete(idKey(id));
  }

  deleted(): readonly DeletedVault[] {
    return [...this.#deleted.values()];
  }

  #all(): Vault[] {
    return this.#store
      .subscriptions()
      .flatMap(
        ({ subscriptionId }) => this.#store.list(VAULT_TYPE, { subscriptionId }) as unknown as Vault[],
      );
  }
}

export function vaultName(id: string): string {
  return parseResourceId(id)?.name ?? id;
}

/** `kv-byok.vault.azure.net` and its sisters in other clouds. */
export function isVaultHost(host: string): boolean {
  return /\.vault\.[a-z]/.test(host.toLowerCase());
}
