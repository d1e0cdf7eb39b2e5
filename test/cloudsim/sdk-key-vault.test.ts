import { KeyVaultManagementClient } from '@azure/arm-keyvault';
import { ClientSecretCredential } from '@azure/identity';
import { KeyClient } from '@azure/keyvault-keys';
import { anAzure, type ByokOptions, type TestAzure } from '@chandler/cloudsim/azure/testing';
import { collect } from '@chandler/kube/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { sdkOptions } from './sdk.fixture.ts';

let simulation: TestAzure;

afterEach(() => simulation.close());

async function aVault(byok: ByokOptions = {}): Promise<TestAzure> {
  simulation = await anAzure({ byok });
  return simulation;
}

/** The official client, which meets a challenge first. */
function keyClient(vaultUrl = 'https://kv-playground.vault.azure.net'): KeyClient {
  const { httpClient, retryOptions } = sdkOptions(simulation);
  return new KeyClient(vaultUrl, simulation.credential, {
    httpClient,
    retryOptions,
    disableChallengeResourceVerification: !vaultUrl.includes('.vault.azure.net'),
  });
}

/** No part of the server in the path: the SDK's own sockets, the private authority, sign-in with a secret. */
async function overSocket() {
  const { tenantId, clientId, clientSecret, authorityHost } = simulation.server.credentials;
  const tlsOptions = { ca: simulation.server.caPem! };
  const credential = new ClientSecretCredential(tenantId, clientId, clientSecret, {
    authorityHost,
    disableInstanceDiscovery: true,
    tlsOptions,
  });
  const client = new KeyClient(simulation.server.url, credential, {
    tlsOptions,
    retryOptions: { maxRetries: 0 },
    disableChallengeResourceVerification: true,
  });
  return { getKey: () => client.getKey('disk-key') };
}

describe('keys at the address of their vault', () => {
  test('are readable with permission, after a challenge, through the official client', async () => {
    await aVault();
    const key = await keyClient().getKey('disk-key');
    expect(key.name).toBe('disk-key');
    expect(key.properties).toMatchObject({
      enabled: true,
      vaultUrl: 'https://kv-playground.vault.azure.net',
      version: simulation.byok.keyUrl.split('/').at(-1),
    });
    expect(key.properties.expiresOn).toBeUndefined();
    const named = await keyClient().getKey('disk-key', { version: key.properties.version! });
    expect(named.id).toBe(simulation.byok.keyUrl);
  });

  test('are found at the address of the server, if there is one vault', async () => {
    await aVault();
    const key = await keyClient(simulation.server.url).getKey('disk-key');
    expect(key.properties.enabled).toBe(true);
  });

  test('are found over HTTPS, when their vault uses the address of the server', async () => {
    simulation = await anAzure({}, { listen: true });
    simulation.byok.moveVault(simulation.server.url);
    expect(simulation.byok.keyUrl).toMatch(
      new RegExp(`^${simulation.server.url}/keys/disk-key/[0-9a-f]{32}$`),
    );
    const { getKey } = await overSocket();
    expect((await getKey()).id).toBe(simulation.byok.keyUrl);
    expect(
      simulation.azure.keys.sets.checkKey({
        diskEncryptionSetId: simulation.byok.diskEncryptionSetId,
        region: 'eastus',
        principal: undefined,
      }),
    ).toBeUndefined();
  });

  test('show that they are disabled, expired, or not valid yet', async () => {
    await aVault();
    const now = simulation.world.clock.now();
    simulation.byok.disableKey();
    expect((await keyClient().getKey('disk-key')).properties.enabled).toBe(false);
    simulation.byok.enableKey();
    simulation.byok.expireKey(now - 60_000);
    expect((await keyClient().getKey('disk-key')).properties.expiresOn?.getTime()).toBe(now - 60_000);
    simulation.byok.repairKey();
    simulation.byok.postponeKey(now + 60_000);
    expect((await keyClient().getKey('disk-key')).properties).toMatchObject({
      enabled: true,
      notBefore: new Date(now + 60_000),
    });
  });

  test('are listed as deleted, and removed once purged', async () => {
    await aVault();
    await expect(keyClient().getDeletedKey('disk-key')).rejects.toMatchObject({ statusCode: 404 });
    simulation.byok.deleteKey();
    await expect(keyClient().getKey('disk-key')).rejects.toMatchObject({
      statusCode: 404,
      code: 'KeyNotFound',
    });
    const deleted = await keyClient().getDeletedKey('disk-key');
    expect(deleted.properties.scheduledPurgeDate?.getTime()).toBe(
      simulation.world.clock.now() + 90 * 86_400_000,
    );
    simulation.byok.recoverKey();
    expect((await keyClient().getKey('disk-key')).name).toBe('disk-key');
    simulation.byok.purgeKey();
    await expect(keyClient().getDeletedKey('disk-key')).rejects.toMatchObject({ statusCode: 404 });
  });

  test('are created, listed and versioned with permission', async () => {
    await aVault();
    await expect(keyClient().createKey('second', 'RSA')).rejects.toMatchObject({ statusCode: 403 });
    simulation.azure.roles.assign(
      simulation.server.credentials.objectId,
      'Key Vault Crypto Officer',
      simulation.byok.vaultId,
    );
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
    new KeyVaultManagementClient(
      simulation.credential,
      simulation.server.settings.subscriptionId,
      sdkOptions(simulation),
    );
  const group = () => simulation.server.settings.clusterResourceGroup;

  test('show permission model, policies and network rules', async () => {
    await aVault({ permissions: 'policies' });
    simulation.byok.closeFirewall();
    const { properties } = await client().vaults.get(group(), 'kv-playground');
    expect(properties).toMatchObject({
      enableRbacAuthorization: false,
      enableSoftDelete: true,
      enablePurgeProtection: true,
      vaultUri: 'https://kv-playground.vault.azure.net/',
      networkAcls: { defaultAction: 'Deny', bypass: 'None' },
    });
    expect(
      properties.accessPolicies?.find((policy) => policy.objectId === simulation.byok.principalId)
        ?.permissions.keys,
    ).toEqual(['get', 'wrapKey', 'unwrapKey']);
  });

  test('show a key and its state', async () => {
    await aVault();
    simulation.byok.disableKey();
    const key = await client().keys.get(group(), 'kv-playground', 'disk-key');
    expect(key.attributes?.enabled).toBe(false);
    expect(key.keyUriWithVersion).toBe(simulation.byok.keyUrl);
  });

  test('are listed as deleted', async () => {
    simulation = await anAzure({ rights: 'all' });
    simulation.byok.deleteVault();
    await expect(client().vaults.get(group(), 'kv-playground')).rejects.toMatchObject({
      code: 'ResourceNotFound',
    });
    const deleted = await collect(client().vaults.listDeleted());
    expect(deleted.map((one) => [one.name, one.properties?.vaultId])).toEqual([
      ['kv-playground', simulation.byok.vaultId],
    ]);
  });

  test('are forbidden for callers who may not read them', async () => {
    await aVault();
    simulation.byok.hideVault();
    await expect(client().vaults.get(group(), 'kv-playground')).rejects.toMatchObject({
      statusCode: 403,
      code: 'AuthorizationFailed',
    });
  });
});
