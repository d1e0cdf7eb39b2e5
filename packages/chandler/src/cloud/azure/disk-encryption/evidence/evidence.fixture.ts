/** Readers with a sound set, vault and key behind them; a test breaks what it is about. */
import { ArmError } from '../../../../arm/index.ts';
import type {
  DiskEncryptionReaders,
  DiskEncryptionSetFacts,
  KeyFacts,
  RoleAssignmentFacts,
  VaultFacts,
} from './facts.ts';
import { DiskEncryptionEvidence } from './gather.ts';
import { LaunchEvidence } from './launch-evidence.ts';

export const SET_ID =
  '/subscriptions/00000000-0000-0000-0000-000000000002/resourceGroups/keys/providers/Microsoft.Compute/diskEncryptionSets/des';
export const VAULT_ID =
  '/subscriptions/00000000-0000-0000-0000-000000000002/resourceGroups/keys/providers/Microsoft.KeyVault/vaults/kv';
export const KEY_URL = 'https://kv.vault.azure.net/keys/disks/5b65df69';
export const PRINCIPAL = '11111111-1111-1111-1111-111111111111';
export const NOW_MS = Date.UTC(2026, 7, 21);

export const SOUND_SET: DiskEncryptionSetFacts = {
  location: 'westeurope',
  provisioningState: 'Succeeded',
  encryptionType: 'EncryptionAtRestWithCustomerKey',
  principalIds: [PRINCIPAL],
  keyUrl: KEY_URL,
  vaultId: VAULT_ID,
  rotationError: undefined,
  federatedClientId: undefined,
};

export const SOUND_VAULT: VaultFacts = {
  rbac: true,
  policies: [],
  defaultAction: 'Allow',
  bypass: undefined,
  publicNetworkAccess: 'Enabled',
};

export const SOUND_KEY: KeyFacts = { enabled: true, notBeforeMs: undefined, expiresMs: undefined };

export const ENCRYPTION_USER: RoleAssignmentFacts = {
  scope: VAULT_ID,
  roleDefinitionId: `${VAULT_ID}/providers/Microsoft.Authorization/roleDefinitions/e147488a-f6f5-4113-8e2d-b22465e65bf6`,
};

export function refusal(status: number, code: string, message = code, inner?: string): ArmError {
  return new ArmError({
    status,
    code,
    message,
    details: inner === undefined ? [] : [{ code: inner, message: '' }],
  });
}

export interface World {
  set: DiskEncryptionSetFacts | Error;
  vault: VaultFacts | Error;
  key: KeyFacts | Error;
  deletedKey: { scheduledPurgeMs: number | undefined } | Error;
  roles: readonly RoleAssignmentFacts[] | Error;
  definition: { name: string; dataActions: string[]; notDataActions: string[] } | Error;
}

export function soundWorld(changes: Partial<World> = {}): World {
  return {
    set: SOUND_SET,
    vault: SOUND_VAULT,
    key: SOUND_KEY,
    deletedKey: refusal(404, 'KeyNotFound'),
    roles: [ENCRYPTION_USER],
    definition: { name: 'Custom', dataActions: [], notDataActions: [] },
    ...changes,
  };
}

export function readersOf(world: World, asked: string[] = []): DiskEncryptionReaders {
  const give = async <T>(name: string, value: T | Error): Promise<T> => {
    asked.push(name);
    if (value instanceof Error) throw value;
    return value;
  };
  return {
    diskEncryptionSet: (id) => give(`set in ${id.subscription}`, world.set),
    vault: () => give('vault', world.vault),
    key: () => give('key', world.key),
    deletedKey: () => give('deletedKey', world.deletedKey),
    roleAssignments: () => give('roles', world.roles),
    roleDefinition: () => give('definition', world.definition),
  };
}

export function evidenceOf(world: World, asked: string[] = []) {
  const launches = new LaunchEvidence();
  const time = { nowMs: NOW_MS };
  const evidence = new DiskEncryptionEvidence({
    readers: readersOf(world, asked),
    launches,
    location: 'westeurope',
    subscriptionId: '00000000-0000-0000-0000-000000000002',
    now: () => time.nowMs,
  });
  return { evidence, launches, time };
}
