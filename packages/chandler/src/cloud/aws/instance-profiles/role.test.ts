import { describe, expect, test } from 'vitest';
import { isProfileName, profileNameProblem, roleName } from './role.ts';

describe('the role of a class', () => {
  test.each([
    ['KarpenterNodeRole-dev', 'KarpenterNodeRole-dev'],
    ['/teams/a/node', 'node'],
    ['teams/node', 'node'],
  ])('%s is the role %s', (role, name) => {
    expect(roleName(role)).toEqual({ name });
  });

  test('an ARN is no name, and the message says which name to write', () => {
    expect(roleName('arn:aws:iam::123456789012:role/teams/node')).toEqual({
      problem: {
        reason: 'RoleInvalid',
        message: expect.stringMatching(/is an ARN; write its name, which is node$/),
      },
    });
  });

  test.each(['', 'a b', 'node/', `${'x'.repeat(65)}`])('"%s" is no role', (role) => {
    expect(roleName(role)).toMatchObject({ problem: { reason: 'RoleInvalid' } });
  });
});

describe('an instance profile that the class names itself', () => {
  test('a name is fine', () => {
    expect(profileNameProblem('KarpenterNodeInstanceProfile-dev')).toBeUndefined();
  });

  test.each([
    ['arn:aws:iam::123456789012:instance-profile/a/nodes', /is an ARN; write its name, which is nodes$/],
    ['path/nodes', /without a path/],
    ['x'.repeat(129), /up to 128/],
  ])('%s is refused with a cure', (profile, message) => {
    expect(profileNameProblem(profile)).toEqual({
      reason: 'InstanceProfileInvalid',
      message: expect.stringMatching(message),
    });
    expect(isProfileName(profile)).toBe(false);
  });
});
