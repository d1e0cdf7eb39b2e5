import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { anAzure, type ErrorBody, type TestAzure } from '../cluster/azure.fixture.ts';

let test: TestAzure;

beforeEach(async () => {
  test = await anAzure();
});

afterEach(() => test.close());

function asked(overrides: { id?: string; region?: string } = {}) {
  const { credentials } = test.server;
  return {
    diskEncryptionSetId: overrides.id ?? test.byok.diskEncryptionSetId,
    region: overrides.region ?? 'eastus',
    principal: credentials,
  };
}

/** Code and text of what a VM create would meet: at the request, else while the disk is made. */
function problem(overrides: { id?: string; region?: string } = {}): string | undefined {
  const { sets } = test.azure.keys;
  const error = sets.checkSet(asked(overrides)) ?? sets.checkKey(asked(overrides));
  return error && `${error.status} ${error.error.code} ${error.error.message}`;
}

describe('a disk encryption set in ARM', () => {
  it('in a subscription that cannot be reached says so', async () => {
    const id = test.byok.diskEncryptionSetId.replace(
      /subscriptions\/[^/]+/,
      'subscriptions/11111111-1111-4111-8111-111111111111',
    );
    const answer = await test.call<ErrorBody>(`${id}?api-version=2025-01-02`);
    expect([answer.status, answer.body.error.code]).toEqual([404, 'SubscriptionNotFound']);
  });

  it.each([
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
  ])('is refused as %j', async (body, code) => {
    await test.close();
    test = await anAzure({ rights: 'all' });
    const answer = await test.call<ErrorBody>(`${test.byok.diskEncryptionSetId}2?api-version=2025-01-02`, {
      method: 'PUT',
      body: JSON.stringify(body),
    });
    expect([answer.status, answer.body.error.code]).toEqual([400, code]);
  });
});

describe('a disk that is to be encrypted', () => {
  it('can be', () => {
    expect(problem()).toBeUndefined();
    expect(problem({ id: test.byok.diskEncryptionSetId.toUpperCase() }), 'ids in any case').toBeUndefined();
  });

  it('cannot be with what is no id of a set', () => {
    const message = problem({ id: '/subscriptions/x/diskEncryptionSets/y' });
    expect(message).toMatch(/^400 LinkedInvalidPropertyId .*diskEncryptionSet\.id' is invalid/);
  });

  it('cannot be with a set that is not there, not here, or of the wrong kind', () => {
    test.azure.roles.assign(test.server.credentials.objectId, 'Reader', test.subscription);
    expect(problem({ id: `${test.byok.diskEncryptionSetId}2` })).toMatch(
      /^400 BadRequest DiskEncryptionSet '.*' was not found/,
    );
    expect(problem({ region: 'westeurope' })).toMatch(/^400 BadRequest Disk encryption set .* same region/);
    test.byok.moveRegion('westeurope');
    expect(problem()).toMatch(/^400 BadRequest Disk encryption set .* location 'westeurope'/);
    test.byok.moveRegion('eastus');
    test.byok.failSet();
    expect(problem()).toMatch(/^409 OperationNotAllowed .*'Failed'/);
    test.byok.failSet('Succeeded');
    test.byok.setEncryptionType('ConfidentialVmEncryptedWithCustomerKey');
    expect(problem()).toMatch(/^400 BadRequest .*ConfidentialVmEncryptedWithCustomerKey/);
  });

  it('cannot be by a controller that may not read the set', () => {
    test.byok.revokeReader();
    expect(problem()).toMatch(
      /^403 LinkedAuthorizationFailed .*'Microsoft\.Compute\/virtualMachines\/write'.*'Microsoft\.Compute\/diskEncryptionSets\/read'/,
    );
  });

  it.each(['roles', 'policies'] as const)(
    'cannot be when the set lost its rights by %s',
    async (permissions) => {
      await test.close();
      test = await anAzure({ byok: { permissions } });
      expect(problem()).toBeUndefined();
      test.byok.revokeWrapUnwrap();
      expect(problem()).toMatch(
        /^409 KeyVaultAccessForbidden Unable to access key vault resource 'https:.*grant get, wrap and unwrap key permissions to disk encryption set 'des-playground'/,
      );
      test.byok.grantWrapUnwrap();
      expect(problem()).toBeUndefined();
      test.byok.switchPermissions(permissions === 'roles' ? 'policies' : 'roles');
      expect(problem(), 'the other model knows nothing of it').toMatch(/KeyVaultAccessForbidden/);
    },
  );

  it('cannot be without an identity', () => {
    test.byok.removeIdentity();
    expect(problem()).toMatch(/KeyVaultAccessForbidden/);
  });

  it('can be through a firewall that trusts Azure, and not through one that does not', () => {
    test.byok.closeFirewall({ trusted: true });
    expect(problem()).toBeUndefined();
    test.byok.closeFirewall();
    expect(problem()).toMatch(/KeyVaultAccessForbidden .*firewall/);
    test.byok.openFirewall();
    expect(problem()).toBeUndefined();
  });

  it('cannot be with a key that is off, out of its time, or gone', () => {
    test.byok.disableKey();
    expect(problem()).toMatch(/^409 KeyVaultKeyNotEnabled .*is disabled/);
    test.byok.repairKey();
    test.byok.expireKey();
    expect(problem()).toMatch(/^409 KeyVaultAccessForbidden .*Key is expired/);
    test.byok.repairKey();
    test.byok.postponeKey();
    expect(problem()).toMatch(/^409 KeyVaultAccessForbidden .*Key is not yet valid/);
    test.byok.repairKey();
    test.byok.deleteKey();
    expect(problem()).toMatch(/^409 KeyVaultKeyNotFound/);
    test.byok.recoverKey();
    expect(problem()).toBeUndefined();
    test.byok.deleteVault();
    expect(problem()).toMatch(/^409 KeyVaultNotFound/);
  });

  it('stops being so when the key expires by itself', async () => {
    test.byok.expireKey(test.world.clock.now() + 60_000);
    expect(problem()).toBeUndefined();
    await test.world.clock.advance(60_000);
    expect(problem()).toMatch(/Key is expired/);
  });

  it('uses the version that the set names, until the set follows a new one', async () => {
    const before = test.byok.keyUrl;
    test.byok.rotateKey();
    expect(test.byok.keyUrl, 'this set does not follow').toBe(before);
    await test.close();
    test = await anAzure({ byok: { rotation: true } });
    const version = test.byok.rotateKey();
    expect(test.byok.keyUrl).toMatch(new RegExp(`/keys/disk-key/${version}$`));
    expect(test.byok.set?.properties.previousKeys).toHaveLength(1);
    expect(problem()).toBeUndefined();
  });
});
