import { describe, expect, test } from 'vitest';
import { roleAssignmentId, roleAssignmentName, roleDefinitionId, worksAt } from './role-ids.ts';

const SCOPE = '/subscriptions/s1/resourceGroups/rg/providers/Microsoft.ContainerService/managedClusters/c';
const request = { scope: SCOPE, principalId: 'P', roleId: 'R' };

describe('the name of a role assignment', () => {
  test('is a UUID of version 5, and stays the same', () => {
    expect(roleAssignmentName(request)).toBe('dd7fbf59-babb-5b35-ac42-44f40458d7d9');
    expect(roleAssignmentName(request)).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
  });

  test('does not depend on case, a trailing slash or the form of the role id', () => {
    const other = { scope: `${SCOPE.toUpperCase()}/`, principalId: 'p', roleId: '/x/roleDefinitions/r' };
    expect(roleAssignmentName(other)).toBe(roleAssignmentName(request));
  });

  test('differs with scope, principal and role', () => {
    const names = [
      request,
      { ...request, scope: `${SCOPE}2` },
      { ...request, principalId: 'Q' },
      { ...request, roleId: 'S' },
    ];
    expect(new Set(names.map(roleAssignmentName)).size).toBe(4);
  });
});

test('an assignment works where it was made and below', () => {
  const id = roleAssignmentId(request);
  expect(worksAt(id, SCOPE)).toBe(true);
  expect(worksAt(id.toLowerCase(), `${SCOPE}/agentPools/a`)).toBe(true);
  expect(worksAt(id, '/subscriptions/s1')).toBe(false);
  expect(worksAt(id, `${SCOPE}-other`)).toBe(false);
  expect(worksAt('/providers/Microsoft.Authorization/roleAssignments/x', SCOPE)).toBe(true);
});

test('an assignment on a management group works on the cluster', () => {
  const group = '/providers/Microsoft.Management/managementGroups/platform';
  expect(worksAt(`${group}/providers/Microsoft.Authorization/roleAssignments/x`, SCOPE)).toBe(true);
});

test('the definition is named in the subscription of the scope', () => {
  expect(roleDefinitionId(request)).toBe(
    '/subscriptions/s1/providers/Microsoft.Authorization/roleDefinitions/r',
  );
});
