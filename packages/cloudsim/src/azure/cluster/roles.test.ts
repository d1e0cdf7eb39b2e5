import { describe, expect, it } from 'vitest';
import { anAzure, type ErrorBody } from './azure.fixture.ts';
import { ROLE_DEFINITIONS } from './role-definitions.table.ts';

describe('role assignments', () => {
  it('are refused with a filter that nobody knows', async () => {
    const test = await anAzure({ rights: 'all' });
    const path = `${test.subscription}/providers/Microsoft.Authorization/roleAssignments`;
    const filter = encodeURIComponent("name eq 'x'");
    const answer = await test.call<ErrorBody>(`${path}?api-version=2022-04-01&$filter=${filter}`);
    await test.close();
    expect([answer.status, answer.body.error.code]).toEqual([400, 'BadRequest']);
  });
});

describe('role definitions', () => {
  it('have names and GUIDs of their own', () => {
    expect(new Set(ROLE_DEFINITIONS.map((role) => role.roleName)).size).toBe(ROLE_DEFINITIONS.length);
    expect(new Set(ROLE_DEFINITIONS.map((role) => role.guid)).size).toBe(ROLE_DEFINITIONS.length);
  });
});
