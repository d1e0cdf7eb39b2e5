import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { anAzure, type ErrorBody, type TestAzure } from './azure.fixture.ts';

let simulation: TestAzure;

beforeEach(async () => {
  simulation = await anAzure();
});

afterEach(() => simulation.close());

const clusterPath = () =>
  `${simulation.subscription}/resourceGroups/playground/providers/Microsoft.ContainerService/managedClusters/playground`;

describe('a controller with the rights it needs', () => {
  const nodes = () =>
    `${simulation.subscription}/resourceGroups/${simulation.server.settings.nodeResourceGroup}/providers`;

  test('may do its work and nothing else', async () => {
    const { access } = simulation.server.context;
    const { objectId } = simulation.server.credentials;
    const may = (action: string, scope: string) => access.allowed(objectId, action, scope);
    expect(
      may('Microsoft.Compute/virtualMachines/write', `${nodes()}/Microsoft.Compute/virtualMachines/a`),
    ).toBe(true);
    expect(
      may('Microsoft.Network/networkInterfaces/delete', `${nodes()}/Microsoft.Network/networkInterfaces/a`),
    ).toBe(true);
    expect(may('Microsoft.Compute/skus/read', simulation.subscription)).toBe(true);
    expect(may('Microsoft.Compute/diskEncryptionSets/read', simulation.byok.diskEncryptionSetId)).toBe(true);
    expect(may('Microsoft.Compute/diskEncryptionSets/write', simulation.byok.diskEncryptionSetId)).toBe(
      false,
    );
    expect(
      may('Microsoft.Compute/virtualMachines/write', `${simulation.subscription}/resourceGroups/other`),
    ).toBe(false);
    expect(may('Microsoft.ContainerService/managedClusters/read', clusterPath())).toBe(true);
    expect(may('Microsoft.ContainerService/managedClusters/write', clusterPath())).toBe(false);
    const identity = `${nodes()}/Microsoft.ManagedIdentity/userAssignedIdentities/a`;
    expect(may('Microsoft.ManagedIdentity/userAssignedIdentities/assign/action', identity)).toBe(true);
  });

  test('gets the missing permission in the error', async () => {
    simulation.azure.roles.revoke(
      simulation.server.credentials.objectId,
      `${simulation.subscription}/resourceGroups/${simulation.server.settings.nodeResourceGroup}`,
      'Virtual Machine Contributor',
    );
    const path = `${nodes()}/Microsoft.Compute/virtualMachines/aks-a`;
    const answer = await simulation.call<ErrorBody>(`${path}?api-version=2025-04-01`);
    expect(answer.status).toBe(403);
    expect(answer.body.error).toMatchObject({
      code: 'AuthorizationFailed',
      message: expect.stringContaining("perform action 'Microsoft.Compute/virtualMachines/read' over scope"),
    });
  });
});
