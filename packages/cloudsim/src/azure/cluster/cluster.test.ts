import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { anAzure, type ErrorBody, type TestAzure } from './azure.fixture.ts';

let test: TestAzure;

beforeEach(async () => {
  test = await anAzure();
});

afterEach(() => test.close());

const clusterPath = () =>
  `${test.subscription}/resourceGroups/playground/providers/Microsoft.ContainerService/managedClusters/playground`;

describe('a controller with the rights it needs', () => {
  const nodes = () =>
    `${test.subscription}/resourceGroups/${test.server.settings.nodeResourceGroup}/providers`;

  it('may do its work and nothing else', async () => {
    const { access } = test.server.context;
    const { objectId } = test.server.credentials;
    const may = (action: string, scope: string) => access.allowed(objectId, action, scope);
    expect(
      may('Microsoft.Compute/virtualMachines/write', `${nodes()}/Microsoft.Compute/virtualMachines/a`),
    ).toBe(true);
    expect(
      may('Microsoft.Network/networkInterfaces/delete', `${nodes()}/Microsoft.Network/networkInterfaces/a`),
    ).toBe(true);
    expect(may('Microsoft.Compute/skus/read', test.subscription)).toBe(true);
    expect(may('Microsoft.Compute/diskEncryptionSets/read', test.byok.diskEncryptionSetId)).toBe(true);
    expect(may('Microsoft.Compute/diskEncryptionSets/write', test.byok.diskEncryptionSetId)).toBe(false);
    expect(may('Microsoft.Compute/virtualMachines/write', `${test.subscription}/resourceGroups/other`)).toBe(
      false,
    );
    expect(may('Microsoft.ContainerService/managedClusters/read', clusterPath())).toBe(true);
    expect(may('Microsoft.ContainerService/managedClusters/write', clusterPath())).toBe(false);
    const identity = `${nodes()}/Microsoft.ManagedIdentity/userAssignedIdentities/a`;
    expect(may('Microsoft.ManagedIdentity/userAssignedIdentities/assign/action', identity)).toBe(true);
  });

  it('is told over the wire what it lacks', async () => {
    test.azure.roles.revoke(
      test.server.credentials.objectId,
      `${test.subscription}/resourceGroups/${test.server.settings.nodeResourceGroup}`,
      'Virtual Machine Contributor',
    );
    const path = `${nodes()}/Microsoft.Compute/virtualMachines/aks-a`;
    const answer = await test.call<ErrorBody>(`${path}?api-version=2025-04-01`);
    expect(answer.status).toBe(403);
    expect(answer.body.error).toMatchObject({
      code: 'AuthorizationFailed',
      message: expect.stringContaining("perform action 'Microsoft.Compute/virtualMachines/read' over scope"),
    });
  });
});
