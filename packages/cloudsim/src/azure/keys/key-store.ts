/**
 * The keys inside the vaults: versions, whether they are enabled, their validity, and deleted ones that
 * can be recovered. Access is decided in vault-access.ts.
 */

export interface KeyVersion {
  /** 32 hexadecimal digits. */
  readonly version: string;
  readonly enabled: boolean;
  readonly createdMs: number;
  readonly updatedMs: number;
  readonly notBeforeMs?: number;
  readonly expiresMs?: number;
}

export interface VaultKey {
  readonly name: string;
  /** Oldest first; never empty. */
  readonly versions: readonly KeyVersion[];
}

export interface DeletedKey extends VaultKey {
  readonly deletedMs: number;
  readonly purgeMs: number;
}

/** What can be changed on a version. `null` takes a limit away. */
export interface KeyChange {
  readonly enabled?: boolean;
  readonly notBeforeMs?: number | null;
  readonly expiresMs?: number | null;
}

export const SOFT_DELETE_DAYS = 90;

export class KeyStore {
  readonly #keys = new Map<string, VaultKey>();
  readonly #deleted = new Map<string, DeletedKey>();

  /** A new key, or a new version of one. Vault names and key names in any case. */
  create(vault: string, name: string, version: string, nowMs: number, change: KeyChange = {}): VaultKey {
    const known = this.#keys.get(keyOf(vault, name));
    const blank: KeyVersion = { version, enabled: true, createdMs: nowMs, updatedMs: nowMs };
    const key: VaultKey = {
      name: known?.name ?? name,
      versions: [...(known?.versions ?? []), changed(blank, change, nowMs)],
    };
    this.#keys.set(keyOf(vault, name), key);
    return key;
  }

  get(vault: string, name: string): VaultKey | undefined {
    return this.#keys.get(keyOf(vault, name));
  }

  /** The named version, or the newest; undefined: no such key or version. */
  version(vault: string, name: string, version?: string): KeyVersion | undefined {
    const versions = this.get(vault, name)?.versions;
    return version ? versions?.find((known) => known.version === version.toLowerCase()) : versions?.at(-1);
  }

  /** Keys of a vault, by name. */
  list(vault: string): readonly VaultKey[] {
    return ofVault(this.#keys, vault);
  }

  /** All versions change alike. */
  update(vault: string, name: string, change: KeyChange, nowMs: number): void {
    const key = this.get(vault, name);
    if (key === undefined) throw new Error(`no key ${name} in vault ${vault}`);
    const versions = key.versions.map((version) => changed(version, change, nowMs));
    this.#keys.set(keyOf(vault, name), { ...key, versions });
  }

  delete(vault: string, name: string, nowMs: number): DeletedKey | undefined {
    const key = this.get(vault, name);
    if (key === undefined) return undefined;
    const deleted = { ...key, deletedMs: nowMs, purgeMs: nowMs + SOFT_DELETE_DAYS * 86_400_000 };
    this.#keys.delete(keyOf(vault, name));
    this.#deleted.set(keyOf(vault, name), deleted);
    return deleted;
  }

  deleted(vault: string, name: string): DeletedKey | undefined {
    return this.#deleted.get(keyOf(vault, name));
  }

  listDeleted(vault: string): readonly DeletedKey[] {
    return ofVault(this.#deleted, vault);
  }

  recover(vault: string, name: string): VaultKey | undefined {
    const deleted = this.deleted(vault, name);
    if (deleted === undefined) return undefined;
    const key: VaultKey = { name: deleted.name, versions: deleted.versions };
    this.#deleted.delete(keyOf(vault, name));
    this.#keys.set(keyOf(vault, name), key);
    return key;
  }

  purge(vault: string, name: string): boolean {
    return this.#deleted.delete(keyOf(vault, name));
  }
}

/** Why a version cannot be used for wrapping at this time. */
export type KeyState = 'usable' | 'disabled' | 'expired' | 'notYetValid';

export function keyState(version: KeyVersion, nowMs: number): KeyState {
  if (!version.enabled) return 'disabled';
  if (version.expiresMs !== undefined && version.expiresMs <= nowMs) return 'expired';
  return version.notBeforeMs !== undefined && version.notBeforeMs > nowMs ? 'notYetValid' : 'usable';
}

// ---------------------------------------------------------------------------------------------------

function keyOf(vault: string, name: string): string {
  return `${vault.toLowerCase()}/${name.toLowerCase()}`;
}

function ofVault<T extends VaultKey>(keys: ReadonlyMap<string, T>, vault: string): readonly T[] {
  const prefix = `${vault.toLowerCase()}/`;
  return [...keys].filter(([key]) => key.startsWith(prefix)).map(([, key]) => key);
}

function changed(version: KeyVersion, change: KeyChange, nowMs: number): KeyVersion {
  const notBeforeMs = change.notBeforeMs === undefined ? version.notBeforeMs : change.notBeforeMs;
  const expiresMs = change.expiresMs === undefined ? version.expiresMs : change.expiresMs;
  return {
    version: version.version,
    enabled: change.enabled ?? version.enabled,
    createdMs: version.createdMs,
    updatedMs: nowMs,
    ...(notBeforeMs == null ? {} : { notBeforeMs }),
    ...(expiresMs == null ? {} : { expiresMs }),
  };
}
