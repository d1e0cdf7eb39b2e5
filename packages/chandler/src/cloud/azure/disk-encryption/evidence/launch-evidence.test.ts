import { describe, expect, test } from 'vitest';
import { ARM_ERRORS, diskEncryptionProblemOf } from './arm-error.ts';
import { evidenceOf, NOW_MS, refusal, SET_ID, SOUND_SET, soundWorld } from './evidence.fixture.ts';
import { REFUSAL_COUNTS_MS } from './launch-evidence.ts';

const FORBIDDEN = {
  code: 'KeyVaultAccessForbidden',
  message:
    "Unable to access key vault resource 'https://kv.vault.azure.net/keys/disks/1' to enable encryption at rest. Please grant get, wrap and unwrap key permissions to disk encryption set 'des'.",
};

describe('what ARM says when a VM is created', () => {
  test.each([
    [FORBIDDEN.code, FORBIDDEN.message, 'accessMissing'],
    [
      'LinkedAuthorizationFailed',
      "The client has permission to perform action 'Microsoft.Compute/virtualMachines/write'; however, it does not have permission to perform action(s) 'Microsoft.Compute/diskEncryptionSets/read' on the linked scope(s)",
      'readerMissing',
    ],
    ['NotFound', "Disk encryption set 'des' was not found.", 'setNotFound'],
    [
      'BadRequest',
      "DiskEncryptionSet '/subscriptions/s/key/diskEncryptionSets/d' was not found.",
      'setNotFound',
    ],
    ['OperationNotAllowed', "Disk encryption set 'des' is in provisioning state 'Failed'.", 'setFailed'],
    [
      'KeyVaultKeyNotEnabled',
      "The key vault key 'k' used for disk encryption set 'des' is disabled.",
      'keyDisabled',
    ],
    [
      'KeyVaultKeyNotFound',
      "The key vault key 'k' used for disk encryption set 'des' was not found.",
      'keyDeleted',
    ],
    [
      'KeyVaultAccessForbidden',
      "the vault 'kv' does not let trusted services through its firewall.",
      'vaultUnreachable',
    ],
    [
      'ResourceNotFound',
      "The Resource 'Microsoft.Compute/diskEncryptionSets/des' was not found.",
      'setNotFound',
    ],
    [
      'LinkedInvalidPropertyId',
      "Property id 'x' at path 'properties.storageProfile.osDisk.managedDisk.diskEncryptionSet.id' is invalid.",
      'malformed',
    ],
    ['BadRequest', 'Disk encryption set des must be in the same region as the disk.', 'wrongRegion'],
    ['BadRequest', 'The key https://kv.vault.azure.net/keys/disks/1 is disabled.', 'keyDisabled'],
    ['KeyVaultAccessForbidden', 'The key disks/1 has expired.', 'keyExpired'],
    ['BadRequest', 'The key disks/1 was not found in the vault.', 'keyDeleted'],
  ])('%s: %s', (code, message, kind) => {
    expect(diskEncryptionProblemOf({ code, message })).toMatchObject({ kind, witness: 'launch' });
  });

  test('is found inside a general error too', () => {
    expect(
      diskEncryptionProblemOf({ code: 'DeploymentFailed', message: 'see details', details: [FORBIDDEN] })
        ?.kind,
    ).toBe('accessMissing');
  });

  test.each([
    ['SkuNotAvailable', 'The requested size is not available in location.'],
    [
      'AuthorizationFailed',
      "does not have authorization to perform action 'Microsoft.Compute/virtualMachines/write'",
    ],
    ['NotFound', 'The image was not found.'],
    ['BadRequest', 'The SSH public key is not valid.'],
    [undefined, undefined],
  ])('is nothing about disk encryption: %s', (code, message) => {
    expect(diskEncryptionProblemOf({ code, message })).toBeUndefined();
  });

  test('is matched by code in every row, so that words alone decide nothing', () => {
    expect(ARM_ERRORS.filter((row) => row.codes === undefined)).toEqual([]);
  });
});

describe('a refused launch', () => {
  test('counts until it expires, then one launch may try; a VM that starts clears it', async () => {
    const { evidence, launches, time } = evidenceOf(soundWorld());
    launches.refused(SET_ID, FORBIDDEN, NOW_MS);
    expect(await evidence.about(SET_ID)).toMatchObject({
      verified: 'False',
      reason: 'KeyVaultAccessMissing',
      blocks: true,
      untilMs: NOW_MS + REFUSAL_COUNTS_MS,
    });
    time.nowMs += REFUSAL_COUNTS_MS;
    expect(await evidence.about(SET_ID)).toMatchObject({ verified: 'True' });
    launches.refused(SET_ID.toUpperCase(), FORBIDDEN, time.nowMs);
    launches.accepted(SET_ID, time.nowMs + 1);
    expect(await evidence.about(SET_ID)).toMatchObject({ verified: 'True' });
  });

  test('is not cleared by a VM that was created before the refusal', () => {
    const { launches } = evidenceOf(soundWorld());
    launches.refused(SET_ID, FORBIDDEN, NOW_MS, NOW_MS - 60_000);
    // The second was created after the refused one, and may have read the key before it was disabled.
    for (const secondsAgo of [90, 30]) launches.accepted(SET_ID, NOW_MS - secondsAgo * 1000);
    expect(launches.current(SET_ID, NOW_MS)).toBeDefined();
    launches.accepted(SET_ID, NOW_MS + 1000);
    expect(launches.current(SET_ID, NOW_MS)).toBeUndefined();
  });

  test('that is read long afterwards is cleared by a later VM', () => {
    const { launches } = evidenceOf(soundWorld());
    launches.refused(SET_ID, FORBIDDEN, NOW_MS, NOW_MS - 20 * 60_000);
    launches.accepted(SET_ID, NOW_MS - 17 * 60_000);
    expect(launches.current(SET_ID, NOW_MS)).toBeDefined();
    launches.accepted(SET_ID, NOW_MS - 10 * 60_000);
    expect(launches.current(SET_ID, NOW_MS)).toBeUndefined();
  });

  test('for another reason is not about the set', () => {
    const { launches } = evidenceOf(soundWorld());
    expect(launches.refused(SET_ID, { code: 'SkuNotAvailable', message: '' }, NOW_MS)).toBeUndefined();
    expect(launches.current(SET_ID, NOW_MS)).toBeUndefined();
  });
});

describe('a key rotation that failed', () => {
  const set = { ...SOUND_SET, rotationError: FORBIDDEN };

  test('shows, but stops nothing, where the vault cannot be seen: Azure keeps such an error for long', async () => {
    const { evidence } = evidenceOf(soundWorld({ set, vault: refusal(403, 'AuthorizationFailed') }));
    expect(await evidence.about(SET_ID)).toMatchObject({
      verified: 'False',
      reason: 'KeyVaultAccessMissing',
      blocks: false,
    });
  });

  test('gives way to what the vault says now', async () => {
    expect(await evidenceOf(soundWorld({ set })).evidence.about(SET_ID)).toMatchObject({ verified: 'True' });
    expect(await evidenceOf(soundWorld({ set, roles: [] })).evidence.about(SET_ID)).toMatchObject({
      reason: 'KeyVaultAccessMissing',
      blocks: true,
    });
  });
});

describe('of several problems', () => {
  test("the state of the set comes first, then ARM's error, then the state of the vault", async () => {
    const world = soundWorld({ set: { ...SOUND_SET, location: 'eastus' }, roles: [] });
    const { evidence, launches } = evidenceOf(world);
    launches.refused(SET_ID, { code: 'BadRequest', message: 'The key disks/1 is disabled.' }, NOW_MS);
    const { problems, reason } = await evidence.about(SET_ID);
    expect(reason).toBe('DiskEncryptionSetWrongRegion');
    expect(problems.map((problem) => [problem.witness, problem.kind])).toEqual([
      ['set', 'wrongRegion'],
      ['launch', 'keyDisabled'],
      ['vault', 'accessMissing'],
    ]);
  });
});
