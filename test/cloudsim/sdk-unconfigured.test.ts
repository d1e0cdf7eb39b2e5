/** An Azure in which nothing is configured yet: what an operator finds, enables and assigns, and what one may be denied. */
import { collect } from '@chandler/kube/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anUnconfiguredAzure, type UnconfiguredAzure } from './sdk-configure.fixture.ts';

const GROUP = 'playground';
const ISSUER = 'https://issuer.example/';
const OPERATOR_ROLE = '7c0f6e40-0000-4000-8000-000000000009';
let azure: UnconfiguredAzure;

beforeAll(async () => {
  azure = await anUnconfiguredAzure({ cluster: { oidcIssuerUrl: ISSUER } });
});

afterAll(() => azure.server.close());

const cluster = () => azure.clusters.get(GROUP, 'playground');

describe('the cluster', () => {
  const write = (change: object) =>
    azure.clusters.createOrUpdate(
      GROUP,
      'playground',
      { location: 'eastus', ...change },
      { updateIntervalInMs: 5 },
    );

  test('has no issuer and no workload identity until they are enabled, and then keeps its issuer', async () => {
    const before = await cluster();
    expect(before.oidcIssuerProfile).toEqual({ enabled: false });
    expect(before.securityProfile?.workloadIdentity?.enabled ?? false).toBe(false);
    expect(before.nodeResourceGroup).toBe(azure.server.settings.nodeResourceGroup);
    await expect(write({ securityProfile: { workloadIdentity: { enabled: true } } })).rejects.toThrow(
      'needs the OIDC issuer',
    );
    const after = await write({
      oidcIssuerProfile: { enabled: true },
      securityProfile: { workloadIdentity: { enabled: true } },
    });
    expect(after).toMatchObject({
      provisioningState: 'Succeeded',
      oidcIssuerProfile: { enabled: true, issuerURL: ISSUER },
      securityProfile: { workloadIdentity: { enabled: true } },
      networkProfile: { networkPlugin: 'azure' },
    });
    await expect(write({ oidcIssuerProfile: { enabled: false } })).rejects.toThrow(
      'OIDC issuer feature cannot be disabled',
    );
  });
});

describe('an operator', () => {
  test('owns the subscription, and nobody else has a role in it', async () => {
    const assignments = await collect(azure.roles.roleAssignments.listForSubscription());
    expect(assignments.map(({ principalId, scope }) => ({ principalId, scope }))).toEqual([
      { principalId: azure.server.credentials.objectId, scope: azure.subscription },
    ]);
  });

  test('gets a denial with client, action and scope, until the action is allowed again', async () => {
    const action = 'Microsoft.ManagedIdentity/userAssignedIdentities/write';
    const giveBack = azure.azure.withhold(action);
    const { clientId, objectId } = azure.server.credentials;
    const create = () =>
      azure.identities.userAssignedIdentities.createOrUpdate(GROUP, 'karpenter', { location: 'eastus' });
    const scope = `${azure.subscription}/resourceGroups/playground/providers/Microsoft.ManagedIdentity/userAssignedIdentities/karpenter`;
    await expect(create()).rejects.toMatchObject({
      statusCode: 403,
      code: 'AuthorizationFailed',
      message: `The client '${clientId}' with object id '${objectId}' does not have authorization to perform action '${action}' over scope '${scope}' or the scope is invalid. If access was recently granted, please refresh your credentials.`,
    });
    giveBack();
    expect((await create()).name).toBe('karpenter');
  });
});

describe('a role', () => {
  const roleId = (guid: string) =>
    `${azure.subscription}/providers/Microsoft.Authorization/roleDefinitions/${guid}`;
  const assign = (principalId: string, guid: string, name: string, principalType?: string) =>
    azure.roles.roleAssignments.create(azure.subscription, name, {
      principalId,
      roleDefinitionId: roleId(guid),
      ...(principalType === undefined ? {} : { principalType }),
    });
  const define = (guid: string, roleName: string, actions: readonly string[]) =>
    azure.roles.roleDefinitions.createOrUpdate(azure.subscription, guid, {
      roleName,
      roleType: 'CustomRole',
      description: 'for a test',
      permissions: [{ actions: [...actions] }],
      assignableScopes: [azure.subscription],
    });
  const CUSTOM = '5f0f4b1e-0000-4000-8000-000000000001';

  test('of one’s own is defined, found by its name, changed for those who have it, and deleted', async () => {
    const { access } = azure.server.context;
    const may = (action: string) => access.allowed('somebody', action, azure.subscription);
    await define(CUSTOM, 'Node provisioner', ['Microsoft.Compute/disks/read']);
    await assign('somebody', CUSTOM, OPERATOR_ROLE, 'ServicePrincipal');
    expect(may('Microsoft.Compute/disks/read')).toBe(true);
    await define(CUSTOM, 'Node provisioner', ['Microsoft.Compute/disks/write']);
    expect([may('Microsoft.Compute/disks/read'), may('Microsoft.Compute/disks/write')]).toEqual([
      false,
      true,
    ]);
    const [found] = await collect(
      azure.roles.roleDefinitions.list(azure.subscription, { filter: "roleName eq 'Node provisioner'" }),
    );
    expect(found).toMatchObject({
      name: CUSTOM,
      roleType: 'CustomRole',
      assignableScopes: [azure.subscription],
    });
    await expect(azure.roles.roleDefinitions.delete(azure.subscription, CUSTOM)).rejects.toMatchObject({
      code: 'RoleDefinitionHasAssignments',
    });
    await azure.roles.roleAssignments.delete(azure.subscription, OPERATOR_ROLE);
    await azure.roles.roleDefinitions.delete(azure.subscription, CUSTOM);
    await expect(azure.roles.roleDefinitions.get(azure.subscription, CUSTOM)).rejects.toMatchObject({
      code: 'RoleDefinitionDoesNotExist',
    });
  });

  test('has a name that no other has', async () => {
    await define(CUSTOM, 'One of two', []);
    await expect(define(CUSTOM.replace(/1$/, '2'), 'One of two', [])).rejects.toMatchObject({
      statusCode: 409,
      code: 'RoleDefinitionWithSameNameExists',
    });
  });

  const READER = 'acdd72a7-3385-48ef-bd42-f606fba81ae7';

  test('is assigned to a new or unknown principal only by who names its type', async () => {
    const { principalId } = await azure.identities.userAssignedIdentities.createOrUpdate(GROUP, 'new-one', {
      location: 'eastus',
    });
    await expect(assign(principalId!, READER, OPERATOR_ROLE)).rejects.toMatchObject({
      statusCode: 400,
      code: 'PrincipalNotFound',
    });
    await assign(principalId!, READER, OPERATOR_ROLE, 'ServicePrincipal');
    await azure.roles.roleAssignments.delete(azure.subscription, OPERATOR_ROLE);
    await expect(assign('00000000-0000-4000-8000-00000000dead', READER, CUSTOM)).rejects.toMatchObject({
      code: 'PrincipalNotFound',
    });
  });

  test('is assigned once, under one name that is a GUID, and read under it', async () => {
    const principal = '00000000-0000-4000-8000-00000000beef';
    const type = 'ServicePrincipal';
    await assign(principal, READER, OPERATOR_ROLE, type);
    await assign(principal, READER, OPERATOR_ROLE, type);
    expect(await azure.roles.roleAssignments.get(azure.subscription, OPERATOR_ROLE)).toMatchObject({
      principalId: principal,
      roleDefinitionId: roleId(READER),
    });
    await expect(assign(principal, READER, CUSTOM, type)).rejects.toMatchObject({
      statusCode: 409,
      code: 'RoleAssignmentExists',
    });
    await expect(
      assign('00000000-0000-4000-8000-00000000f00d', READER, OPERATOR_ROLE, type),
    ).rejects.toMatchObject({ code: 'RoleAssignmentUpdateNotPermitted' });
    await expect(assign(principal, READER, 'reader', type)).rejects.toMatchObject({
      code: 'InvalidRoleAssignmentId',
    });
  });

  test('anywhere in the subscription lets its holder read the lists of what is sold', async () => {
    const { access } = azure.server.context;
    const may = (scope: string) => access.allowed('somebody', 'Microsoft.Compute/skus/read', scope);
    expect(may(azure.subscription)).toBe(false);
    const group = `${azure.subscription}/resourceGroups/${azure.server.settings.nodeResourceGroup}`;
    azure.azure.roles.assign('somebody', 'Virtual Machine Contributor', group);
    expect(may(azure.subscription)).toBe(true);
    expect(may('/subscriptions/99999999-0000-4000-8000-000000000001')).toBe(false);
  });
});
