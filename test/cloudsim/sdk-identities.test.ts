/** Managed identities, their federated credentials and sign-in with them, through the official clients over HTTPS. */
import { createSign, generateKeyPairSync } from 'node:crypto';
import { collect } from '@chandler/kube/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { anUnconfiguredAzure, type UnconfiguredAzure } from './sdk-configure.fixture.ts';

const GROUP = 'playground';
const ISSUER = 'https://issuer.example/';
const SUBJECT = 'system:serviceaccount:kube-system:karpenter';
const AUDIENCE = 'api://AzureADTokenExchange';
const READER = 'acdd72a7-3385-48ef-bd42-f606fba81ae7';
const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

let azure: UnconfiguredAzure;
/** Of the identity of this test: all tests use one server. */
let name = '';
let count = 0;

beforeAll(async () => {
  const keys = () => [{ ...publicKey.export({ format: 'jwk' }), kid: 'one' }];
  azure = await anUnconfiguredAzure({}, { issuers: [{ issuer: ISSUER, keys }] });
});

beforeEach(() => {
  count += 1;
  name = `karpenter-${count}`;
});

afterAll(() => azure.server.close());

const create = (tags = {}) =>
  azure.identities.userAssignedIdentities.createOrUpdate(GROUP, name, { location: 'eastus', tags });

const trust = (credential: string, subject = SUBJECT, identity = name) =>
  azure.identities.federatedIdentityCredentials.createOrUpdate(GROUP, identity, credential, {
    issuer: ISSUER,
    subject,
    audiences: [AUDIENCE],
  });

describe('a user-assigned identity', () => {
  test('has a principal and a client ID, and keeps them when it is written again', async () => {
    const made = await create({ team: 'a' });
    expect(made).toMatchObject({ name, location: 'eastus', tags: { team: 'a' } });
    expect(made.principalId).toMatch(/^[0-9a-f-]{36}$/);
    const again = await create({ team: 'b' });
    expect(again).toMatchObject({
      principalId: made.principalId,
      clientId: made.clientId,
      tags: { team: 'b' },
    });
    const tagged = await azure.identities.userAssignedIdentities.update(GROUP, name, {
      location: 'eastus',
      tags: { team: 'c' },
    });
    expect(tagged.tags).toEqual({ team: 'c' });
    const read = await azure.identities.userAssignedIdentities.get(GROUP, name);
    expect(read).toMatchObject({ tenantId: azure.server.settings.tenantId, tags: { team: 'c' } });
    await expect(
      azure.identities.userAssignedIdentities.createOrUpdate(GROUP, name, { location: 'westus' }),
    ).rejects.toMatchObject({ statusCode: 409, code: 'InvalidResourceLocation' });
  });

  test('is listed beside the identity of the kubelets, and deleted', async () => {
    await create();
    const names = async () =>
      (await collect(azure.identities.userAssignedIdentities.listBySubscription())).map((each) => each.name);
    expect(await names()).toEqual(expect.arrayContaining(['playground-agentpool', name]));
    const { identityProfile } = await azure.clusters.get(GROUP, 'playground');
    const kubelet = await azure.identities.userAssignedIdentities.get(
      azure.server.settings.nodeResourceGroup,
      'playground-agentpool',
    );
    expect(identityProfile?.['kubeletidentity']).toEqual({
      resourceId: kubelet.id,
      clientId: kubelet.clientId,
      objectId: kubelet.principalId,
    });
    await azure.identities.userAssignedIdentities.delete(GROUP, name);
    await azure.identities.userAssignedIdentities.delete(GROUP, name);
    expect(await names()).not.toContain(name);
    await expect(azure.identities.userAssignedIdentities.get(GROUP, name)).rejects.toMatchObject({
      code: 'ResourceNotFound',
    });
  });
});

describe('a federated credential', () => {
  beforeEach(() => create());

  const names = async () =>
    (await collect(azure.identities.federatedIdentityCredentials.list(GROUP, name))).map((each) => each.name);

  test('is written, read, listed and deleted', async () => {
    expect(await trust('controller')).toMatchObject({
      issuer: ISSUER,
      subject: SUBJECT,
      audiences: [AUDIENCE],
    });
    await trust('controller', 'system:serviceaccount:karpenter:karpenter');
    const read = await azure.identities.federatedIdentityCredentials.get(GROUP, name, 'controller');
    expect(read.subject).toBe('system:serviceaccount:karpenter:karpenter');
    expect(await names()).toEqual(['controller']);
    await azure.identities.federatedIdentityCredentials.delete(GROUP, name, 'controller');
    expect(await names()).toEqual([]);
    await expect(trust('controller', SUBJECT, 'nobody')).rejects.toMatchObject({ statusCode: 404 });
  });

  test('is rejected with the issuer and subject of another one', async () => {
    await trust('controller');
    await expect(trust('again')).rejects.toThrow('Issuer and subject combination already exists');
  });

  test('is rejected while another one of the identity is written', async () => {
    // Long enough for both to be there at the same time.
    const slow = await anUnconfiguredAzure({}, { latencies: { otherMs: 2_000, directoryMs: 60_000 } });
    try {
      const { userAssignedIdentities, federatedIdentityCredentials } = slow.identities;
      await userAssignedIdentities.createOrUpdate(GROUP, name, { location: 'eastus' });
      const write = (subject: string) =>
        federatedIdentityCredentials.createOrUpdate(GROUP, name, `for-${subject}`, {
          issuer: ISSUER,
          subject,
          audiences: [AUDIENCE],
        });
      const both = await Promise.allSettled([write('a'), write('b')]);
      const refused = both.filter((each) => each.status === 'rejected');
      expect(refused).toHaveLength(1);
      expect(refused[0]!.reason).toMatchObject({
        statusCode: 409,
        code: 'ConcurrentFederatedIdentityCredentialsWritesForSingleManagedIdentity',
      });
    } finally {
      await slow.server.close();
    }
  });

  test('is rejected when the identity has twenty', async () => {
    for (let at = 1; at <= 20; at += 1) await trust(`number-${at}`, `subject-${at}`);
    await expect(trust('number-21', 'subject-21')).rejects.toThrow('20 federated identity credentials');
    await trust('number-20', 'another subject');
  });
});

describe('a workload that presents a token', () => {
  async function clientsWith(claims: Record<string, unknown> = {}, key = privateKey) {
    const { clientId } = await azure.identities.userAssignedIdentities.get(GROUP, name);
    return azure.workload(clientId!, jwt({ iss: ISSUER, sub: SUBJECT, aud: [AUDIENCE], ...claims }, key));
  }

  beforeEach(async () => {
    await create();
    await trust('controller');
  });

  test('is the identity that trusts it, with the rights of its role assignments', async () => {
    const { clusters } = await clientsWith();
    const { principalId, clientId } = await azure.identities.userAssignedIdentities.get(GROUP, name);
    await expect(clusters.get(GROUP, 'playground')).rejects.toMatchObject({
      statusCode: 403,
      code: 'AuthorizationFailed',
      message: expect.stringContaining(
        `The client '${clientId}' with object id '${principalId}' does not have authorization to perform action 'Microsoft.ContainerService/managedClusters/read' over scope`,
      ),
    });
    await azure.roles.roleAssignments.create(azure.subscription, '7c0f6e40-0000-4000-8000-000000000001', {
      principalId: principalId!,
      roleDefinitionId: `${azure.subscription}/providers/Microsoft.Authorization/roleDefinitions/${READER}`,
      principalType: 'ServicePrincipal',
    });
    expect((await clusters.get(GROUP, 'playground')).name).toBe('playground');
  });

  test.each([
    ['another issuer', { iss: 'https://issuer.example' }, 'AADSTS700211'],
    ['another subject', { sub: 'system:serviceaccount:default:karpenter' }, 'AADSTS700213'],
    ['another audience', { aud: 'sts.amazonaws.com' }, 'AADSTS700212'],
    ['a token that has expired', { exp: 1 }, 'AADSTS700024'],
  ])('with %s is rejected with the number that says so', async (_what, claims, code) => {
    const { clusters } = await clientsWith(claims);
    await expect(clusters.get(GROUP, 'playground')).rejects.toThrow(code);
  });

  test('that its issuer did not sign is rejected', async () => {
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    const { clusters } = await clientsWith({}, other);
    await expect(clusters.get(GROUP, 'playground')).rejects.toThrow('AADSTS50013');
  });

  test('of which the credential was deleted is rejected', async () => {
    await azure.identities.federatedIdentityCredentials.delete(GROUP, name, 'controller');
    const { clusters } = await clientsWith();
    await expect(clusters.get(GROUP, 'playground')).rejects.toThrow('AADSTS70025');
  });
});

function jwt(claims: Record<string, unknown>, key: typeof privateKey): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const exp = Math.floor(Date.now() / 1000) + 600;
  const text = `${part({ alg: 'ES256', kid: 'one' })}.${part({ exp, ...claims })}`;
  return `${text}.${createSign('sha256').update(text).sign({ key, dsaEncoding: 'ieee-p1363' }, 'base64url')}`;
}
