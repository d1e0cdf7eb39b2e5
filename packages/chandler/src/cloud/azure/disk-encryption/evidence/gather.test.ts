import { describe, expect, test } from 'vitest';
import { knownReason } from '../../../../api/index.ts';
import {
  ENCRYPTION_USER,
  evidenceOf,
  KEY_URL,
  NOW_MS,
  PRINCIPAL,
  refusal,
  SET_ID,
  SOUND_KEY,
  SOUND_SET,
  SOUND_VAULT,
  soundWorld,
  VAULT_ID,
  type World,
} from './evidence.fixture.ts';
import { DISK_ENCRYPTION_PROBLEMS } from './problem.ts';

const about = (changes: Partial<World>, id = SET_ID) => evidenceOf(soundWorld(changes)).evidence.about(id);

describe('a disk encryption set with everything in order', () => {
  test('is verified, and was read in its own subscription', async () => {
    const asked: string[] = [];
    const { evidence } = evidenceOf(soundWorld(), asked);
    expect(await evidence.about(SET_ID)).toMatchObject({
      verified: 'True',
      reason: 'DiskEncryptionVerified',
      blocks: false,
      problems: [],
    });
    expect(asked[0]).toBe('set in 00000000-0000-0000-0000-000000000002');
    expect([...asked].sort()).toEqual([asked[0], 'key', 'roles', 'vault'].sort());
  });

  test('is not judged when a reader throws a program error', async () => {
    const bug = new TypeError('AuthorizationManagementClient is not a constructor');
    await expect(about({ roles: bug })).rejects.toThrow(bug);
  });

  test('is read once for all node classes that use it', async () => {
    const asked: string[] = [];
    const { evidence, time } = evidenceOf(soundWorld(), asked);
    await Promise.all([evidence.about(SET_ID), evidence.about(SET_ID.toUpperCase())]);
    expect(asked).toHaveLength(4);
    time.nowMs += 31_000;
    await evidence.about(SET_ID);
    expect(asked).toHaveLength(8);
  });
});

describe('proof makes it False and stops launches', () => {
  test.each<[string, Partial<World>, string, string]>([
    [
      '[000-L1.3] a set that is not there',
      { set: refusal(404, 'ResourceNotFound') },
      'DiskEncryptionSetNotFound',
      'does not exist',
    ],
    [
      '[000-L4.2] no Reader on the set',
      {
        set: refusal(
          403,
          'AuthorizationFailed',
          'no authorization to perform Microsoft.Compute/diskEncryptionSets/read',
        ),
      },
      'DiskEncryptionSetRBACMissing',
      'diskEncryptionSets/read',
    ],
    [
      'a subscription that is not there',
      { set: refusal(404, 'SubscriptionNotFound') },
      'DiskEncryptionSetSubscriptionUnreachable',
      '00000000-0000-0000-0000-000000000002',
    ],
    [
      'a subscription of another tenant',
      { set: refusal(401, 'InvalidAuthenticationTokenTenant') },
      'DiskEncryptionSetSubscriptionUnreachable',
      'tenant',
    ],
    [
      'a set in another region',
      { set: { ...SOUND_SET, location: 'North Europe' } },
      'DiskEncryptionSetWrongRegion',
      'northeurope',
    ],
    [
      'a set that failed',
      { set: { ...SOUND_SET, provisioningState: 'Failed' } },
      'DiskEncryptionSetFailed',
      'Failed',
    ],
    [
      'a set for confidential VMs',
      { set: { ...SOUND_SET, encryptionType: 'ConfidentialVmEncryptedWithCustomerKey' } },
      'DiskEncryptionSetTypeUnsupported',
      'Confidential',
    ],
    [
      'a set without an identity',
      { set: { ...SOUND_SET, principalIds: [] } },
      'KeyVaultAccessMissing',
      'no identity',
    ],
    ['[000-L4.4] a disabled key', { key: { ...SOUND_KEY, enabled: false } }, 'KeyDisabled', KEY_URL],
    [
      '[000-L4.4] a disabled key that the vault does not show',
      { key: refusal(403, 'Forbidden', 'Operation get is not allowed on a disabled key.', 'KeyDisabled') },
      'KeyDisabled',
      'disabled',
    ],
    [
      '[000-L4.4] an expired key',
      { key: { ...SOUND_KEY, expiresMs: NOW_MS - 1000 } },
      'KeyExpired',
      '2026-08-20T23:59:59Z',
    ],
    [
      'a key that is not active yet',
      { key: { ...SOUND_KEY, notBeforeMs: NOW_MS + 1000 } },
      'KeyNotYetValid',
      '2026-08-21T00:00:01Z',
    ],
    [
      '[000-L4.4] a deleted key that can be recovered',
      { key: refusal(404, 'KeyNotFound'), deletedKey: { scheduledPurgeMs: NOW_MS + 86_400_000 } },
      'KeyDeleted',
      'until 2026-08-22T00:00:00Z',
    ],
    [
      'a key that is gone for good',
      { key: refusal(404, 'KeyNotFound') },
      'KeyDeleted',
      'cannot be recovered',
    ],
    [
      'a deleted key, where the deleted keys may not be seen',
      { key: refusal(404, 'KeyNotFound'), deletedKey: refusal(403, 'Forbidden') },
      'KeyDeleted',
      'could not read whether',
    ],
    ['a vault that is gone', { vault: refusal(404, 'ResourceNotFound') }, 'KeyVaultUnreachable', VAULT_ID],
    [
      "[000-L4.5] a vault whose firewall shuts out Azure's own services",
      { vault: { ...SOUND_VAULT, defaultAction: 'Deny', bypass: 'None' } },
      'KeyVaultUnreachable',
      'bypass None',
    ],
    ['[000-L4.3] an identity without a role on the vault', { roles: [] }, 'KeyVaultAccessMissing', PRINCIPAL],
    [
      'an identity whose role is on another vault',
      { roles: [{ ...ENCRYPTION_USER, scope: `${VAULT_ID}2` }] },
      'KeyVaultAccessMissing',
      PRINCIPAL,
    ],
    [
      'a role of its own without unwrap',
      {
        roles: [{ scope: VAULT_ID, roleDefinitionId: '/x/custom' }],
        definition: {
          name: 'Custom',
          dataActions: ['Microsoft.KeyVault/vaults/keys/*'],
          notDataActions: ['Microsoft.KeyVault/vaults/keys/unwrap/action'],
        },
      },
      'KeyVaultAccessMissing',
      'unwrap/action',
    ],
    [
      '[000-L4.3] an access policy without wrap and unwrap',
      {
        vault: { ...SOUND_VAULT, rbac: false, policies: [{ objectId: PRINCIPAL, keyPermissions: ['get'] }] },
      },
      'KeyVaultAccessMissing',
      'wrapKey, unwrapKey',
    ],
  ])('%s', async (_, changes, reason, words) => {
    const evidence = await about(changes);
    expect(evidence).toMatchObject({ verified: 'False', reason, blocks: true });
    expect(evidence.message).toContain(words);
    expect(evidence.message).toContain('to fix this');
  });

  test('a set in another subscription than the nodes', async () => {
    const elsewhere = SET_ID.replace(
      '00000000-0000-0000-0000-000000000002',
      '00000000-0000-0000-0000-000000000003',
    );
    const evidence = await about({}, elsewhere);
    expect(evidence).toMatchObject({ reason: 'DiskEncryptionSetWrongSubscription', blocks: true });
    expect(evidence.message).toContain('00000000-0000-0000-0000-000000000003');
  });

  test('[000-L1.2] a malformed id, without asking Azure', async () => {
    const asked: string[] = [];
    const { evidence } = evidenceOf(soundWorld(), asked);
    expect(await evidence.about('my-des')).toMatchObject({
      reason: 'DiskEncryptionSetMalformed',
      blocks: true,
    });
    expect(asked).toEqual([]);
  });
});

describe('what may not be seen makes it Unknown, names the permission, and stops nothing', () => {
  test.each<[string, Partial<World>, string, string]>([
    ['the key', { key: refusal(403, 'Forbidden') }, 'KeyNotReadable', 'Microsoft.KeyVault/vaults/keys/read'],
    [
      'the key, behind the firewall',
      { key: refusal(403, 'Forbidden', 'client address is not authorized', 'ForbiddenByFirewall') },
      'KeyNotReadable',
      'firewall',
    ],
    [
      'the vault',
      { vault: refusal(403, 'AuthorizationFailed') },
      'KeyVaultNotReadable',
      'Microsoft.KeyVault/vaults/read',
    ],
    [
      'the roles',
      { roles: refusal(403, 'AuthorizationFailed') },
      'KeyVaultAccessNotReadable',
      'Microsoft.Authorization/roleAssignments/read',
    ],
    [
      'the definition of a role',
      { roles: [{ scope: '/', roleDefinitionId: '/x/y' }], definition: refusal(403, 'AuthorizationFailed') },
      'KeyVaultAccessNotReadable',
      'Microsoft.Authorization/roleDefinitions/read',
    ],
    [
      'whether a policy names a group with the identity in it',
      { vault: { ...SOUND_VAULT, rbac: false, policies: [{ objectId: 'group', keyPermissions: ['All'] }] } },
      'KeyVaultAccessNotReadable',
      'member of group',
    ],
    [
      'the roles of a managed HSM',
      { set: { ...SOUND_SET, vaultId: undefined, keyUrl: 'https://h.managedhsm.azure.net/keys/k/1' } },
      'KeyVaultNotReadable',
      'managed HSM',
    ],
    [
      'a vault of another tenant',
      { set: { ...SOUND_SET, federatedClientId: 'app' } },
      'KeyVaultNotReadable',
      'another tenant',
    ],
    [
      'the set, when Azure does not answer',
      { set: refusal(503, 'ServerBusy') },
      'DiskEncryptionSetUnreadable',
      'ServerBusy',
    ],
    [
      'the set, with an expired token',
      { set: refusal(401, 'ExpiredAuthenticationToken') },
      'DiskEncryptionSetUnreadable',
      'Expired',
    ],
    [
      'the set, behind a proxy that says 403',
      { set: Object.assign(new Error('HTTP 403'), { statusCode: 403 }) },
      'DiskEncryptionSetUnreadable',
      'HTTP 403',
    ],
    [
      'the set, behind a proxy that says 404',
      { set: refusal(404, 'NotFound') },
      'DiskEncryptionSetUnreadable',
      'NotFound',
    ],
    [
      'a set that is being made',
      { set: { ...SOUND_SET, provisioningState: 'Creating' } },
      'DiskEncryptionSetNotReady',
      'Creating',
    ],
    [
      'why a rotation fails',
      { set: { ...SOUND_SET, rotationError: { code: 'Strange', message: 'who knows' } } },
      'KeyRotationFailing',
      'who knows',
    ],
  ])('%s', async (_, changes, reason, words) => {
    const evidence = await about(changes);
    expect(evidence).toMatchObject({ verified: 'Unknown', reason, blocks: false });
    expect(evidence.message).toContain(words);
  });
});

describe('access to the vault is enough', () => {
  test.each<[string, Partial<World>]>([
    ['as a role on the subscription', { roles: [{ ...ENCRYPTION_USER, scope: VAULT_ID.slice(0, 51) }] }],
    [
      'as a role on a management group',
      {
        roles: [{ ...ENCRYPTION_USER, scope: '/providers/Microsoft.Management/managementGroups/platform' }],
      },
    ],
    ['as a role on the root', { roles: [{ ...ENCRYPTION_USER, scope: '/' }] }],
    ['as a role on the key alone', { roles: [{ ...ENCRYPTION_USER, scope: `${VAULT_ID}/keys/DISKS` }] }],
    [
      'as a role of its own',
      {
        roles: [{ scope: '/', roleDefinitionId: '/x/custom' }],
        definition: { name: 'Custom', dataActions: ['Microsoft.KeyVault/vaults/keys/*'], notDataActions: [] },
      },
    ],
    [
      'as an access policy, in any case',
      {
        vault: {
          ...SOUND_VAULT,
          rbac: false,
          policies: [{ objectId: PRINCIPAL.toUpperCase(), keyPermissions: ['Get', 'WrapKey', 'UnwrapKey'] }],
        },
      },
    ],
    [
      'through a firewall that lets trusted services in',
      {
        vault: {
          ...SOUND_VAULT,
          defaultAction: 'Deny',
          bypass: 'AzureServices',
          publicNetworkAccess: 'Disabled',
        },
      },
    ],
  ])('%s', async (_, changes) => {
    expect(await about(changes)).toMatchObject({ verified: 'True' });
  });
});

test('every problem has a reason that the conditions know', () => {
  for (const { status, reason } of Object.values(DISK_ENCRYPTION_PROBLEMS)) {
    expect([reason, knownReason('AKSNodeClass', 'DiskEncryptionVerified', status, reason)]).toEqual([
      reason,
      true,
    ]);
    if (status === 'False') {
      expect([reason, knownReason('AKSNodeClass', 'ValidationSucceeded', 'False', reason)]).toEqual([
        reason,
        true,
      ]);
    }
  }
});
