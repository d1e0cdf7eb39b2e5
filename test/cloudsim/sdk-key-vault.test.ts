import { KeyVaultManagementClient } from '@azure/arm-keyvault';
import { ClientSecretCredential } from '@azure/identity';
import { KeyClient } from '@azure/keyvault-keys';
import { anAzure, type ByokOptions, type TestAzure } from '@chandler/cloudsim/azure/testing';
import { collect } from '@chandler/kube/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { sdkOptions } from './sdk.fixture.ts';

let test: TestAzure;

afterEach(() => test.close());

async function aVault(byok: ByokOptions = {}): Promise<TestAzure> {
  test = await anAzure({ byok });
  return test;
}

/** The official client, which meets a challenge first. */
function keyClient(vaultUrl = 'https://kv-playground.vault.azure.net'): KeyClient {
  const { httpClient, retryOptions } = sdkOptions(test);
  return new KeyClient(vaultUrl, test.credential, {
    httpClient,
    retryOptions,
    disableChallengeResourceVerification: !vaultUrl.includes('.vault.azure.net'),
  });
}

/** No part of the server in the path: the SDK's own sockets, the private authority, sign-in with a secret. */
async function overSocket() {
  const { tenantId, clientId, clientSecret, authorityHost } = test.server.credentials;
  const tlsOptions = { ca: test.server.caPem! };
  const credential = new ClientSecretCredential(tenantId, clientId, clientSecret, {
    authorityHost,
    disableInstanceDiscovery: true,
    tlsOptions,
  });
  const client = new KeyClient(test.server.url, credential, {
    tlsOptions,
    retryOptions: { maxRetries: 0 },
    disableChallengeResourceVerification: true,
  });
  return { getKey: () => client.getKey('disk-key') };
}

describe('keys at the address of their vault', () => {
  it('are told to whoever may read them, after a challenge, through the official client', async () => {
    await aVault();
    const key = await keyClient().getKey('disk-key');
    expect(key.name).toBe('disk-key');
    expect(key.properties).toMatchObject({
      enabled: true,
      vaultUrl: 'https://kv-playground.vault.azure.net',
      version: test.byok.keyUrl.split('/').at(-1),
    });
    expect(key.properties.expiresOn).toBeUndefined();
    const named = await keyClient().getKey('disk-key', { version: key.properties.version! });
    expect(named.id).toBe(test.byok.keyUrl);
  });

  it('are found behind the address of the server itself, where there is one vault', async () => {
    await aVault();
    const key = await keyClient(test.server.url).getKey('disk-key');
    expect(key.properties.enabled).toBe(true);
  });

  it('are found over a socket, when their vault has moved to the address of the server', async () => {
    test = await anAzure({}, { listen: true });
    test.byok.moveVault(test.server.url);
    expect(test.byok.keyUrl).toMatch(new RegExp(`^${test.server.url}/keys/disk-key/[0-9a-f]{32}$`));
    const { getKey } = await overSocket();
    expect((await getKey()).id).toBe(test.byok.keyUrl);
    expect(
      test.azure.keys.sets.checkKey({
        diskEncryptionSetId: test.byok.diskEncryptionSetId,
        region: 'eastus',
        principal: undefined,
      }),
    ).toBeUndefined();
  });

  it('show that they are off, expired, or not valid yet', async () => {
    await aVault();
    const now = test.world.clock.now();
    test.byok.disableKey();
    expect((await keyClient().getKey('disk-key')).properties.enabled).toBe(false);
    test.byok.enableKey();
    test.byok.expireKey(now - 60_000);
    expect((await keyClient().getKey('disk-key')).properties.expiresOn?.getTime()).toBe(now - 60_000);
    test.byok.repairKey();
    test.byok.postponeKey(now + 60_000);
    expect((await keyClient().getKey('disk-key')).properties).toMatchObject({
      enabled: true,
      notBefore: new Date(now + 60_000),
    });
  });

  it('are among the deleted ones once deleted, and gone once purged', async () => {
    await aVault();
    await expect(keyClient().getDeletedKey('disk-key')).rejects.toMatchObject({ statusCode: 404 });
    test.byok.deleteKey();
    await expect(keyClient().getKey('disk-key')).rejects.toMatchObject({
      statusCode: 404,
      code: 'KeyNotFound',
    });
    const deleted = await keyClient().getDeletedKey('disk-key');
    expect(deleted.properties.scheduledPurgeDate?.getTime()).toBe(test.world.clock.now() + 90 * 86_400_000);
    test.byok.recoverKey();
    expect((await keyClient().getKey('disk-key')).name).toBe('disk-key');
    test.byok.purgeKey();
    await expect(keyClient().getDeletedKey('disk-key')).rejects.toMatchObject({ statusCode: 404 });
  });

  it('are made, listed and given versions by whoever may', async () => {
    await aVault();
    await expect(keyClient().createKey('second', 'RSA')).rejects.toMatchObject({ statusCode: 403 });
    test.azure.roles.assign(test.server.credentials.objectId, 'Key Vault Crypto Officer', test.byok.vaultId);
    await keyClient().createKey('second', 'RSA', { enabled: false });
    const twice = await keyClient().createKey('second', 'RSA');
    expect((await collect(keyClient().listPropertiesOfKeys())).map((key) => key.name).sort()).toEqual([
      'disk-key',
      'second',
    ]);
    const versions = await collect(keyClient().listPropertiesOfKeyVersions('second'));
    expect(versions.map((one) => one.enabled)).toEqual([false, true]);
    expect(versions.at(-1)?.version).toBe(twice.properties.version);
  });
});

describe('vaults in ARM', () => {
  const client = () =>
    new KeyVaultManagementClient(test.credential, test.server.settings.subscriptionId, sdkOptions(test));
  const group = () => test.server.settings.clusterResourceGroup;

  it('show permission model, policies and network rules', async () => {
    await aVault({ permissions: 'policies' });
    test.byok.closeFirewall();
    const { properties } = await client().vaults.get(group(), 'kv-playground');
    expect(properties).toMatchObject({
      enableRbacAuthorization: false,
      enableSoftDelete: true,
      enablePurgeProtection: true,
      vaultUri: 'https://kv-playground.vault.azure.net/',
      networkAcls: { defaultAction: 'Deny', bypass: 'None' },
    });
    expect(
      properties.accessPolicies?.find((policy) => policy.objectId === test.byok.principalId)?.permissions
        .keys,
    ).toEqual(['get', 'wrapKey', 'unwrapKey']);
  });

  it('show a key and its state', async () => {
    await aVault();
    test.byok.disableKey();
    const key = await client().keys.get(group(), 'kv-playground', 'disk-key');
    expect(key.attributes?.enabled).toBe(false);
    expect(key.keyUriWithVersion).toBe(test.byok.keyUrl);
  });

  it('are among the deleted ones once deleted', async () => {
    test = await anAzure({ rights: 'all' });
    test.byok.deleteVault();
    await expect(client().vaults.get(group(), 'kv-playground')).rejects.toMatchObject({
      code: 'ResourceNotFound',
    });
    const deleted = await collect(client().vaults.listDeleted());
    expect(deleted.map((one) => [one.name, one.properties?.vaultId])).toEqual([
      ['kv-playground', test.byok.vaultId],
    ]);
  });

  it('are refused to those who may not read them', async () => {
    await aVault();
    test.byok.hideVault();
    await expect(client().vaults.get(group(), 'kv-playground')).rejects.toMatchObject({
      statusCode: 403,
      code: 'AuthorizationFailed',
    });
  });
});
