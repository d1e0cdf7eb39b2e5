/** `chandler configure aks` that is refused, interrupted or given something wrong: plain errors, and nothing half done. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Fetch } from '@chandler/kube';
import { afterEach, describe, expect, test } from 'vitest';
import { everyNth } from '../part.ts';
import { anAks, type TestAks } from './aks.fixture.ts';

const APPLY = ['--apply', '--yes'];
/** Each resource is one call. */
const WRITES = 8;
const IDENTITIES = 'Microsoft.ManagedIdentity/userAssignedIdentities';
const PERMISSIONS = [
  'Microsoft.Authorization/roleAssignments/write',
  'Microsoft.ContainerService/managedClusters/read',
  `${IDENTITIES}/read`,
  'Microsoft.Authorization/roleDefinitions/write',
  `${IDENTITIES}/write`,
  `${IDENTITIES}/federatedIdentityCredentials/write`,
  'Microsoft.Authorization/roleDefinitions/read',
  'Microsoft.Network/virtualNetworks/read',
];
const UNDO_PERMISSIONS = [
  'Microsoft.Authorization/roleAssignments/delete',
  'Microsoft.Authorization/roleDefinitions/delete',
  `${IDENTITIES}/federatedIdentityCredentials/delete`,
  `${IDENTITIES}/delete`,
];
const KILLS = Array.from({ length: WRITES }, (_, at) => at + 1).flatMap((call) => [
  { call, when: 'before' as const },
  { call, when: 'after' as const },
]);

let cloud: TestAks | undefined;
afterEach(async () => {
  await cloud?.close();
  cloud = undefined;
});

describe('chandler configure aks that ends in the middle', () => {
  test.each(everyNth('points where apply ends', KILLS, 14))(
    'goes on, and nothing is doubled: $when call $call',
    async (kill) => {
      cloud = await anAks();
      const before = cloud.made();
      expect(await cloud.aksKilled(APPLY, kill)).toMatchObject({ code: 130 });
      expect(await cloud.aks(APPLY)).toMatchObject({ code: 0 });
      const after = cloud.made();
      expect(after.identities.length - before.identities.length).toBe(1);
      expect(after.credentials.length).toBe(1);
      expect(after.assignments.length - before.assignments.length).toBe(4);
      expect(after.roles.length - before.roles.length).toBe(2);
      expect(await cloud.aksKilled(['--undo', '--yes'], kill)).toMatchObject({ code: 130 });
      expect(await cloud.aks(['--undo', '--yes'])).toMatchObject({ code: 0 });
      expect(cloud.made()).toEqual(before);
    },
  );
});

describe('chandler configure aks without a permission', () => {
  test.each(everyNth('permissions', PERMISSIONS, 12))('names %s and its scope', async (action) => {
    cloud = await anAks();
    const before = cloud.made();
    const allow = cloud.azure.withhold(action);
    const { code, err } = await cloud.aks(APPLY);
    expect(code).toBe(1);
    expect(err).toMatch(
      new RegExp(`you do not have the permission ${action.replaceAll('.', '\\.')} on /subscriptions/`),
    );
    allow();
    expect(await cloud.aks(APPLY)).toMatchObject({ code: 0 });
    expect(await cloud.aks(['--undo', '--yes'])).toMatchObject({ code: 0 });
    expect(cloud.made()).toEqual(before);
  });

  test.each(everyNth('permissions of undo', UNDO_PERMISSIONS, 12))(
    'undo leaves what needs %s, and says so',
    async (action) => {
      cloud = await anAks();
      const before = cloud.made();
      await cloud.aks(APPLY);
      const allow = cloud.azure.withhold(action);
      const { code, err } = await cloud.aks(['--undo', '--yes']);
      expect(code).toBe(1);
      expect(err).toContain(`you do not have the permission ${action} on /subscriptions/`);
      allow();
      expect(await cloud.aks(['--undo', '--yes'])).toMatchObject({ code: 0 });
      expect(cloud.made()).toEqual(before);
    },
  );
});

describe('chandler configure aks that Azure refuses for another reason than a permission', () => {
  test.each([
    'RequestDisallowedByPolicy',
    'DenyAssignmentAuthorizationFailed',
    'ReadOnlyDisabledSubscription',
  ])('says what Azure says, and the journal does not claim the resource: %s', async (code) => {
    cloud = await anAks();
    const { err } = await cloud.aks(APPLY, { fetch: refusing(cloud, code, 'Ask the owner.') });
    expect(err).toContain(`managed identity chandler-playground: ${code}: Ask the owner.`);
    expect(err).not.toContain('permission');
    expect(cloud.journal()).toBeUndefined();
  });

  test('the journal keeps what was created and may not be read any more', async () => {
    cloud = await anAks();
    const { azure, fetch } = cloud;
    let allow = () => {};
    const withholding: Fetch = async (input, init) => {
      const { method } = new Request(input, { ...init, signal: null });
      const answer = await fetch(input, init);
      if (method === 'PUT') allow = azure.withhold(`${IDENTITIES}/read`);
      return answer;
    };
    const before = cloud.made();
    expect(await cloud.aks(APPLY, { fetch: withholding })).toMatchObject({ code: 1 });
    allow();
    expect(cloud.made()).not.toEqual(before);
    expect(await cloud.aks(['--undo', '--yes'])).toMatchObject({ code: 0 });
    expect(cloud.made()).toEqual(before);
  });

  test('names the permission on a linked scope', async () => {
    cloud = await anAks();
    const message =
      "The client has permission to perform action 'a/write' on scope '/subscriptions/s'; however, it does not have permission to " +
      "perform action(s) 'b/join/action' on the linked scope(s) '/subscriptions/t' (respectively) or the linked scope(s) are invalid.";
    const { err } = await cloud.aks(APPLY, { fetch: refusing(cloud, 'LinkedAuthorizationFailed', message) });
    expect(err).toContain('you do not have the permission b/join/action on /subscriptions/t');
  });
});

describe('chandler configure aks --write', () => {
  test('does not overwrite a file that it did not write, and applies nothing', async () => {
    cloud = await anAks();
    const before = cloud.made();
    const file = join(cloud.folder, 'main.tf');
    writeFileSync(file, 'terraform {}\n');
    const { code, err } = await cloud.aks([...APPLY, '--write', cloud.folder]);
    expect({ code, err }).toMatchObject({
      code: 1,
      err: expect.stringContaining(`nothing was changed: ${file} would be overwritten`),
    });
    expect(readFileSync(file, 'utf8')).toBe('terraform {}\n');
    expect(existsSync(join(cloud.folder, 'values.yaml'))).toBe(false);
    expect(cloud.made()).toEqual(before);
  });

  test('writes its own files again', async () => {
    cloud = await anAks();
    const args = ['--write', join(cloud.folder, 'out')];
    expect(await cloud.aks(args)).toMatchObject({ code: 0 });
    expect(await cloud.aks(args)).toMatchObject({ code: 0 });
  });
});

describe('chandler configure aks that is given something wrong', () => {
  test('a cluster without an OIDC issuer', async () => {
    cloud = await anAks({ cluster: { workloadIdentity: false } });
    const { code, err } = await cloud.aks(APPLY);
    expect({ code, err }).toEqual({
      code: 1,
      err:
        'chandler configure aks: the cluster playground has no OIDC issuer and no workload identity, so the controller could not sign in; ' +
        'enable it first: az aks update -g playground -n playground --enable-oidc-issuer --enable-workload-identity\n',
    });
  });

  test.each([
    [['-n', 'other'], 'there is no AKS cluster other in the resource group playground'],
    [['-g', 'other'], 'there is no resource group other in the subscription'],
    [
      ['--subscription', '00000000-0000-4000-8000-00000000dead'],
      'the subscription 00000000-0000-4000-8000-00000000dead is not known with these credentials',
    ],
    [['--subnet-id', 'aks-subnet'], 'the ID of the subnet does not start with /'],
  ])('%j', async (args, message) => {
    cloud = await anAks();
    expect(await cloud.aks(args)).toMatchObject({ code: 1, err: expect.stringContaining(message) });
  });

  test('no credentials', async () => {
    cloud = await anAks();
    const env = { ...cloud.env, AZURE_CLIENT_SECRET: 'wrong' };
    const { code, err } = await cloud.aks([], { env });
    expect({ code, err }).toMatchObject({
      code: 1,
      err: expect.stringContaining('there are no credentials for Azure'),
    });
  });

  test.each([
    [['--apply', '--undo'], '--undo: cannot be used with --apply'],
    [['--apply'], '--yes: there is no terminal to ask on'],
    [['--namespace', 'Kube System'], '--namespace: "Kube System" is not a name of Kubernetes'],
    [['--roles', 'all'], '--roles'],
  ])('is a usage error: %j', async (args, message) => {
    cloud = await anAks();
    expect(await cloud.aks(args)).toMatchObject({ code: 2, err: expect.stringContaining(message) });
  });
});

// ---------------------------------------------------------------------------------------------------------------

/** Every write is answered with 403. */
function refusing({ fetch }: TestAks, code: string, message: string): Fetch {
  return async (input, init) => {
    const { method } = new Request(input, { ...init, signal: null });
    return method === 'PUT'
      ? Response.json({ error: { code, message } }, { status: 403 })
      : fetch(input, init);
  };
}
