import { AuthorizationManagementClient } from '@azure/arm-authorization';
import { anAzure, type TestAzure } from '@chandler/cloudsim/azure/testing';
import { collect } from '@chandler/kube/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sdkOptions } from './sdk.fixture.ts';

let simulation: TestAzure;

beforeEach(async () => {
  simulation = await anAzure({ rights: 'all' });
});

afterEach(() => simulation.close());

const client = () =>
  new AuthorizationManagementClient(
    simulation.credential,
    simulation.server.settings.subscriptionId,
    sdkOptions(simulation),
  );

const READER = 'acdd72a7-3385-48ef-bd42-f606fba81ae7';
const CONTRIBUTOR = 'b24988ac-6180-42a0-ab88-20f7382dd24c';
const ANOTHER = '7c0f6e40-0000-4000-8000-000000000003';
const ENCRYPTION_USER = 'e147488a-f6f5-4113-8e2d-b22465e65bf6';

async function rolesOf(scope: string, filter?: string): Promise<(string | undefined)[]> {
  const list = await collect(
    client().roleAssignments.listForScope(scope, filter === undefined ? {} : { filter }),
  );
  return list.map((one) => one.roleDefinitionId?.split('/').at(-1));
}

describe('role assignments', () => {
  test('of a principal are found at, above and below a scope', async () => {
    const { byok } = simulation;
    const filter = `principalId eq '${byok.principalId}'`;
    expect(await rolesOf(byok.vaultId, filter)).toEqual([ENCRYPTION_USER]);
    expect(await rolesOf(simulation.subscription, filter), 'below').toEqual([ENCRYPTION_USER]);
    expect(await rolesOf(`${byok.vaultId}/keys/disk-key`, filter), 'above').toEqual([ENCRYPTION_USER]);
    expect(await rolesOf(byok.diskEncryptionSetId, filter), 'beside').toEqual([]);
    byok.revokeWrapUnwrap();
    expect(await rolesOf(byok.vaultId, filter)).toEqual([]);
  });

  test('at a scope exclude those below it', async () => {
    simulation.azure.roles.assign('p', 'Reader', simulation.subscription);
    simulation.azure.roles.assign('p', 'Contributor', simulation.byok.vaultId);
    expect(await rolesOf(simulation.subscription, "atScope() and principalId eq 'p'")).toEqual([READER]);
    expect(await rolesOf(simulation.byok.vaultId, "atScope() and assignedTo('p')")).toEqual([
      READER,
      CONTRIBUTOR,
    ]);
  });

  test('on a management group hold in its subscriptions, and are listed there', async () => {
    const group = '/providers/Microsoft.Management/managementGroups/platform';
    const { vaultId } = simulation.byok;
    await client().roleAssignments.create(group, '7c0f6e40-0000-4000-8000-000000000002', {
      principalId: 'p',
      principalType: 'ServicePrincipal',
      roleDefinitionId: `/providers/Microsoft.Authorization/roleDefinitions/${ENCRYPTION_USER}`,
    });
    const wrap = 'Microsoft.KeyVault/vaults/keys/wrap/action';
    expect(simulation.server.context.access.allowedData('p', wrap, vaultId)).toBe(true);
    expect(await rolesOf(vaultId, "atScope() and assignedTo('p')")).toEqual([ENCRYPTION_USER]);
    expect(await rolesOf(group, "principalId eq 'p'")).toEqual([ENCRYPTION_USER]);
    simulation.azure.roles.assign('q', 'Reader', vaultId);
    expect(await rolesOf(group, "principalId eq 'q'"), 'below').toEqual([READER]);
    expect(await rolesOf(group, "atScope() and principalId eq 'q'"), 'only at the group').toEqual([]);
  });

  test('are created and deleted over HTTP, and take effect at once', async () => {
    const { access } = simulation.server.context;
    const name = '7c0f6e40-0000-4000-8000-000000000001';
    const made = await client().roleAssignments.create(simulation.byok.vaultId, name, {
      principalId: 'somebody',
      roleDefinitionId: `${simulation.subscription}/providers/Microsoft.Authorization/roleDefinitions/${ENCRYPTION_USER}`,
      principalType: 'ServicePrincipal',
    });
    expect(made).toMatchObject({ name, principalId: 'somebody', scope: simulation.byok.vaultId });
    const wrap = 'Microsoft.KeyVault/vaults/keys/wrap/action';
    expect(access.allowedData('somebody', wrap, simulation.byok.vaultId)).toBe(true);
    expect(access.allowed('somebody', 'Microsoft.KeyVault/vaults/read', simulation.byok.vaultId)).toBe(false);
    await client().roleAssignments.delete(simulation.byok.vaultId, name);
    expect(access.allowedData('somebody', wrap, simulation.byok.vaultId)).toBe(false);
  });

  test('are rejected if they exist, or if the role does not exist', async () => {
    const roleDefinitionId = `/providers/Microsoft.Authorization/roleDefinitions/${ENCRYPTION_USER}`;
    const principalId = simulation.byok.principalId;
    await expect(
      client().roleAssignments.create(simulation.byok.vaultId, ANOTHER, { principalId, roleDefinitionId }),
    ).rejects.toMatchObject({ statusCode: 409, code: 'RoleAssignmentExists' });
    await expect(
      client().roleAssignments.create(simulation.byok.vaultId, ANOTHER, {
        principalId,
        roleDefinitionId: 'nothing',
      }),
    ).rejects.toMatchObject({ code: 'RoleDefinitionDoesNotExist' });
  });
});

describe('role definitions', () => {
  test('list their permissions', async () => {
    const id = `${simulation.subscription}/providers/Microsoft.Authorization/roleDefinitions/${ENCRYPTION_USER}`;
    const role = await client().roleDefinitions.getById(id);
    expect(role.roleName).toBe('Key Vault Crypto Service Encryption User');
    expect(role.permissions?.[0]?.dataActions).toEqual([
      'Microsoft.KeyVault/vaults/keys/read',
      'Microsoft.KeyVault/vaults/keys/wrap/action',
      'Microsoft.KeyVault/vaults/keys/unwrap/action',
    ]);
  });

  test('are found by name', async () => {
    const found = await collect(
      client().roleDefinitions.list(simulation.subscription, { filter: "roleName eq 'Reader'" }),
    );
    expect(found.map((role) => role.name)).toEqual([READER]);
  });
});
