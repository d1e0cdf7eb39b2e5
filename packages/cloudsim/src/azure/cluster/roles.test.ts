import { describe, expect, test } from 'vitest';
import { anAzure, type ErrorBody } from './azure.fixture.ts';
import { ROLE_DEFINITIONS } from './role-definitions.table.ts';

describe('role assignments', () => {
  test('are rejected with an unknown filter', async () => {
    const simulation = await anAzure({ rights: 'all' });
    const path = `${simulation.subscription}/providers/Microsoft.Authorization/roleAssignments`;
    const filter = encodeURIComponent("name eq 'x'");
    const answer = await simulation.call<ErrorBody>(`${path}?api-version=2022-04-01&$filter=${filter}`);
    await simulation.close();
    expect([answer.status, answer.body.error.code]).toEqual([400, 'BadRequest']);
  });

  test('find a new identity once the directory has it everywhere', async () => {
    const simulation = await anAzure({ configured: false });
    const put = <Body>(path: string, body: object) =>
      simulation.call<Body>(`${simulation.subscription}${path}`, {
        method: 'PUT',
        body: JSON.stringify(body),
      });
    const made = await put<{ properties: { principalId: string } }>(
      '/resourceGroups/playground/providers/Microsoft.ManagedIdentity/userAssignedIdentities/one?api-version=2024-11-30',
      { location: 'eastus' },
    );
    const { principalId } = made.body.properties;
    const assign = () =>
      put<ErrorBody>(
        '/providers/Microsoft.Authorization/roleAssignments/7c0f6e40-0000-4000-8000-000000000001?api-version=2022-04-01',
        { properties: { principalId, roleDefinitionId: ROLE_DEFINITIONS[2].guid } },
      );
    const early = await assign();
    expect([early.status, early.body.error.code]).toEqual([400, 'PrincipalNotFound']);
    await simulation.world.clock.advance(1000);
    expect((await assign()).status).toBe(201);
    await simulation.close();
  });
});

describe('role definitions', () => {
  test('have unique names and GUIDs', () => {
    expect(new Set(ROLE_DEFINITIONS.map((role) => role.roleName)).size).toBe(ROLE_DEFINITIONS.length);
    expect(new Set(ROLE_DEFINITIONS.map((role) => role.guid)).size).toBe(ROLE_DEFINITIONS.length);
  });
});
