import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { anAzure, type ErrorBody, type TestAzure } from '../cluster/azure.fixture.ts';

let simulation: TestAzure;

beforeEach(async () => {
  simulation = await anAzure();
});

afterEach(() => simulation.close());

function asked(overrides: { id?: string; region?: string } = {}) {
  const { credentials } = simulation.server;
  return {
    diskEncryptionSetId: overrides.id ?? simulation.byok.diskEncryptionSetId,
    region: overrides.region ?? 'eastus',
    principal: credentials,
  };
}

/** Code and text of what a VM create would meet: at the request, else while the disk is made. */
function problem(overrides: { id?: string; region?: string } = {}): string | undefined {
  const { sets } = simulation.azure.keys;
  const error = sets.checkSet(asked(overrides)) ?? sets.checkKey(asked(overrides));
  return error && `${error.status} ${error.error.code} ${error.error.message}`;
}

describe('a disk encryption set in ARM', () => {
  test('in an unreachable subscription returns an error', async () => {
    const id = simulation.byok.diskEncryptionSetId.replace(
      /subscriptions\/[^/]+/,
      'subscriptions/11111111-1111-4111-8111-111111111111',
    );
    const answer = await simulation.call<ErrorBody>(`${id}?api-version=2025-01-02`);
    expect([answer.status, answer.body.error.code]).toEqual([404, 'SubscriptionNotFound']);
  });

  test.each([
    [{ properties: {} }, 'InvalidRequestContent'],
    [{ location: 'eastus', properties: {} }, 'InvalidParameter'],
    [{ location: 'eastus', properties: { activeKey: { keyUrl: 'not a url' } } }, 'InvalidParameter'],
    [
      {
        location: 'eastus',
        properties: { activeKey: { keyUrl: 'https://a/keys/b' }, encryptionType: 'Rot13' },
      },
      'InvalidParameter',
    ],
  ])('is rejected as %j', async (body, code) => {
    await simulation.close();
    simulation = await anAzure({ rights: 'all' });
    const answer = await simulation.call<ErrorBody>(
      `${simulation.byok.diskEncryptionSetId}2?api-version=2025-01-02`,
      {
        method: 'PUT',
        body: JSON.stringify(body),
      },
    );
    expect([answer.status, answer.body.error.code]).toEqual([400, code]);
  });
});

describe('the encryption of a disk', () => {
  test('succeeds', () => {
    expect(problem()).toBeUndefined();
    expect(
      problem({ id: simulation.byok.diskEncryptionSetId.toUpperCase() }),
      'ids in any case',
    ).toBeUndefined();
  });

  test('fails with an invalid id of a set', () => {
    const message = problem({ id: '/subscriptions/x/diskEncryptionSets/y' });
    expect(message).toMatch(/^400 LinkedInvalidPropertyId .*diskEncryptionSet\.id' is invalid/);
  });

  test('fails with a set that does not exist, is in another region, or is of the wrong kind', () => {
    simulation.azure.roles.assign(simulation.server.credentials.objectId, 'Reader', simulation.subscription);
    expect(problem({ id: `${simulation.byok.diskEncryptionSetId}2` })).toMatch(
      /^400 BadRequest DiskEncryptionSet '.*' was not found/,
    );
    expect(problem({ region: 'westeurope' })).toMatch(/^400 BadRequest Disk encryption set .* same region/);
    simulation.byok.moveRegion('westeurope');
    expect(problem()).toMatch(/^400 BadRequest Disk encryption set .* location 'westeurope'/);
    simulation.byok.moveRegion('eastus');
    simulation.byok.failSet();
    expect(problem()).toMatch(/^409 OperationNotAllowed .*'Failed'/);
    simulation.byok.failSet('Succeeded');
    simulation.byok.setEncryptionType('ConfidentialVmEncryptedWithCustomerKey');
    expect(problem()).toMatch(/^400 BadRequest .*ConfidentialVmEncryptedWithCustomerKey/);
  });

  test('fails for a controller that may not read the set', () => {
    simulation.byok.revokeReader();
    expect(problem()).toMatch(
      /^403 LinkedAuthorizationFailed .*'Microsoft\.Compute\/virtualMachines\/write'.*'Microsoft\.Compute\/diskEncryptionSets\/read'/,
    );
  });

  test.each(['roles', 'policies'] as const)(
    'cannot be when the set lost its rights by %s',
    async (permissions) => {
      await simulation.close();
      simulation = await anAzure({ byok: { permissions } });
      expect(problem()).toBeUndefined();
      simulation.byok.revokeWrapUnwrap();
      expect(problem()).toMatch(
        /^409 KeyVaultAccessForbidden Unable to access key vault resource 'https:.*grant get, wrap and unwrap key permissions to disk encryption set 'des-playground'/,
      );
      simulation.byok.grantWrapUnwrap();
      expect(problem()).toBeUndefined();
      simulation.byok.switchPermissions(permissions === 'roles' ? 'policies' : 'roles');
      expect(problem(), 'the other model knows nothing of it').toMatch(/KeyVaultAccessForbidden/);
    },
  );

  test('fails without an identity', () => {
    simulation.byok.removeIdentity();
    expect(problem()).toMatch(/KeyVaultAccessForbidden/);
  });

  test('succeeds through a firewall that trusts Azure services, and fails otherwise', () => {
    simulation.byok.closeFirewall({ trusted: true });
    expect(problem()).toBeUndefined();
    simulation.byok.closeFirewall();
    expect(problem()).toMatch(/KeyVaultAccessForbidden .*firewall/);
    simulation.byok.openFirewall();
    expect(problem()).toBeUndefined();
  });

  test('fails with a disabled, expired or deleted key', () => {
    simulation.byok.disableKey();
    expect(problem()).toMatch(/^409 KeyVaultKeyNotEnabled .*is disabled/);
    simulation.byok.repairKey();
    simulation.byok.expireKey();
    expect(problem()).toMatch(/^409 KeyVaultAccessForbidden .*Key is expired/);
    simulation.byok.repairKey();
    simulation.byok.postponeKey();
    expect(problem()).toMatch(/^409 KeyVaultAccessForbidden .*Key is not yet valid/);
    simulation.byok.repairKey();
    simulation.byok.deleteKey();
    expect(problem()).toMatch(/^409 KeyVaultKeyNotFound/);
    simulation.byok.recoverKey();
    expect(problem()).toBeUndefined();
    simulation.byok.deleteVault();
    expect(problem()).toMatch(/^409 KeyVaultNotFound/);
  });

  test('fails once the key has expired', async () => {
    simulation.byok.expireKey(simulation.world.clock.now() + 60_000);
    expect(problem()).toBeUndefined();
    await simulation.world.clock.advance(60_000);
    expect(problem()).toMatch(/Key is expired/);
  });

  test('uses the version that the set names, until the set follows a new one', async () => {
    const before = simulation.byok.keyUrl;
    simulation.byok.rotateKey();
    expect(simulation.byok.keyUrl, 'this set does not follow').toBe(before);
    await simulation.close();
    simulation = await anAzure({ byok: { rotation: true } });
    const version = simulation.byok.rotateKey();
    expect(simulation.byok.keyUrl).toMatch(new RegExp(`/keys/disk-key/${version}$`));
    expect(simulation.byok.set?.properties.previousKeys).toHaveLength(1);
    expect(problem()).toBeUndefined();
  });
});
