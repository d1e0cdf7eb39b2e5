/** `chandler configure aks` as a user runs it, against the simulated subscription, with the official SDKs. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { createCredential } from '../../packages/chandler/src/arm/index.ts';
import { aClaim, inventory, NOTHING, removeVm, settleMachine } from '../azure/vm-cloud.fixture.ts';
import { anAks, type TestAks } from './aks.fixture.ts';

const APPLY = ['--apply', '--yes'];
let cloud: TestAks | undefined;
afterEach(async () => {
  await cloud?.close();
  cloud = undefined;
});

describe('chandler configure aks', () => {
  test('the plan names what is missing and why, and changes nothing', async () => {
    cloud = await anAks();
    const before = cloud.made();
    const { code, out } = await cloud.aks([]);
    expect(code).toBe(0);
    expect(out).toContain('+ managed identity chandler-playground: missing, will be created');
    expect(out).toContain(
      '    needed so that pods with the ServiceAccount kube-system/chandler are this identity',
    );
    expect(out).toContain('Plan: 8 to create.');
    expect(cloud.made()).toEqual(before);
    expect(cloud.journal()).toBeUndefined();
  });

  test('apply creates it, a second plan has nothing to change, undo leaves nothing', async () => {
    cloud = await anAks();
    const before = cloud.made();
    const applied = await cloud.aks(APPLY);
    expect(applied).toMatchObject({ code: 0 });
    expect(applied.err).toContain('created federated credential chandler\n');
    expect(cloud.made().assignments.length).toBe(before.assignments.length + 4);
    expect(cloud.journal()?.mode).toBe(0o600);
    const again = await cloud.aks(APPLY);
    expect(again.out).toContain('Everything is there. Nothing to change.');
    const undone = await cloud.aks(['--undo', '--yes']);
    expect(undone).toMatchObject({ code: 0 });
    expect(cloud.made()).toEqual(before);
    expect(cloud.journal()).toBeUndefined();
  });

  test('a controller that signs in as the ServiceAccount can launch and delete a VM, and nothing more', async () => {
    cloud = await anAks();
    const { out } = await cloud.aks([...APPLY, '-o', 'json', '--write', join(cloud.folder, 'out')]);
    expect(JSON.parse(out)).toMatchObject({ changes: 8, blocked: 0 });
    const values = readFileSync(join(cloud.folder, 'out', 'values.yaml'), 'utf8');
    const clientId = /client-id: "(.*)"/.exec(values)![1]!;
    const credential = workloadIdentity(cloud, clientId);
    const { cloud: controller } = cloud.startProcess(cloud.fetch, credential);
    const claim = aClaim('general-1');
    await settleMachine(cloud, controller, claim, cloud.nodeClass());
    expect(inventory(cloud).vms).toEqual(['aks-general-1']);
    await removeVm(cloud, controller, claim);
    expect(inventory(cloud)).toEqual(NOTHING);
    const { access } = cloud.server.context;
    const [identity] = cloud.server.context.tokens.identities().filter((each) => each.clientId === clientId);
    const { subscriptionId, nodeResourceGroup } = cloud.server.settings;
    const group = `/subscriptions/${subscriptionId}/resourceGroups/${nodeResourceGroup}`;
    for (const action of [
      'Microsoft.Compute/virtualMachines/runCommand/action',
      'Microsoft.Network/virtualNetworks/write',
    ])
      expect(access.allowed(identity!.objectId, action, group)).toBe(false);
  });

  test('with built-in roles no custom role is defined', async () => {
    cloud = await anAks();
    const before = cloud.made();
    const { code, err } = await cloud.aks([...APPLY, '--roles', 'built-in']);
    expect({ code, roles: cloud.made().roles }).toEqual({ code: 0, roles: before.roles });
    expect(err).toContain(
      'created role assignment Virtual Machine Contributor on node resource group MC_playground_playground_eastus',
    );
  });

  test('undo leaves what somebody changed, and says so', async () => {
    cloud = await anAks();
    await cloud.aks(APPLY);
    const role = cloud.azure.roles.roles().find(({ roleName }) => roleName.startsWith('Chandler nodes'))!;
    cloud.azure.roles.define({ ...role, actions: [...role.actions, 'Microsoft.Compute/galleries/read'] });
    const { code, err } = await cloud.aks(['--undo', '--yes']);
    expect(code).toBe(1);
    expect(err).toContain(`left custom role ${role.roleName}: it was changed since it was created`);
    expect(cloud.made().roles).toContain(role.roleName);
    expect(JSON.parse(cloud.journal()!.text).entries).toHaveLength(1);
  });

  test('what somebody else created is neither changed nor removed', async () => {
    cloud = await anAks();
    await cloud.aks(APPLY);
    const elsewhere = ['--journal', join(cloud.folder, 'none.json')];
    const before = cloud.made();
    expect(await cloud.aks([...elsewhere, '--undo', '--yes'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('Nothing to undo'),
    });
    const other = await cloud.aks([...elsewhere, ...APPLY, '--namespace', 'karpenter']);
    expect(other).toMatchObject({ code: 1, err: expect.stringContaining('nothing was changed') });
    expect(other.err).toContain(
      'subject is "system:serviceaccount:kube-system:chandler", not "system:serviceaccount:karpenter:chandler"',
    );
    expect(cloud.made()).toEqual(before);
  });

  test('a custom role that another tool defined under another ID is used, and stays', async () => {
    cloud = await anAks();
    await cloud.aks(APPLY);
    const role = cloud.azure.roles.roles().find(({ roleName }) => roleName.startsWith('Chandler nodes'))!;
    await cloud.aks(['--undo', '--yes']);
    cloud.azure.roles.define({ ...role, guid: '9a2c7d10-6f0e-4a31-8f55-2b1d3c4e5f60' });
    const { code, out } = await cloud.aks(APPLY);
    expect({ code, out }).toMatchObject({
      code: 0,
      out: expect.stringContaining(`  custom role ${role.roleName}: exists`),
    });
    await cloud.aks(['--undo', '--yes']);
    expect(cloud.made().roles).toContain(role.roleName);
  });

  test('its own credential follows a change of the options', async () => {
    cloud = await anAks();
    await cloud.aks(APPLY);
    const { code, err } = await cloud.aks([...APPLY, '--namespace', 'karpenter']);
    expect({ code, err }).toMatchObject({
      code: 0,
      err: expect.stringContaining('updated federated credential chandler'),
    });
    expect(await cloud.aks(['--namespace', 'karpenter'])).toMatchObject({
      out: expect.stringContaining('Nothing to change'),
    });
  });
});

// ---------------------------------------------------------------------------------------------------------------

/** As a pod of the ServiceAccount gets it from the cluster. */
function workloadIdentity({ world, fetch, server, folder }: TestAks, clientId: string) {
  const { tenantId } = server.credentials;
  const tokenFilePath = join(folder, 'token');
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = {
    iss: `https://${server.settings.region}.oic.prod-aks.azure.com/${tenantId}/`,
    sub: 'system:serviceaccount:kube-system:chandler',
    aud: ['api://AzureADTokenExchange'],
    exp: Math.floor(world.clock.now() / 1000) + 3600,
  };
  writeFileSync(tokenFilePath, `${part({ alg: 'RS256', typ: 'JWT' })}.${part(claims)}.c2ln`);
  const environment = {
    name: 'AzurePublicCloud',
    resourceManagerUrl: server.url,
    authorityHost: server.url,
    tokenAudience: server.url,
    keyVaultDnsSuffix: 'vault.azure.net',
    storageSuffix: 'core.windows.net',
    wellKnown: false,
    aksBilling: true,
  };
  const choice = { kind: 'workloadIdentity', tenantId, clientId, tokenFilePath } as const;
  return createCredential({ world, fetch, environment, choice });
}
