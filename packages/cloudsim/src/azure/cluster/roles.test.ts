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
});

describe('role definitions', () => {
  test('have unique names and GUIDs', () => {
    expect(new Set(ROLE_DEFINITIONS.map((role) => role.roleName)).size).toBe(ROLE_DEFINITIONS.length);
    expect(new Set(ROLE_DEFINITIONS.map((role) => role.guid)).size).toBe(ROLE_DEFINITIONS.length);
  });
});
