/** The role of a node class, as IAM wants it. */

/** Reasons of the condition InstanceProfileReady. */
export type ProfileProblemReason =
  | 'RoleInvalid'
  | 'RoleNotFound'
  | 'InstanceProfileInvalid'
  | 'InstanceProfileNameTaken'
  | 'InstanceProfileQuotaExceeded';

export interface ProfileProblem {
  readonly reason: ProfileProblemReason;
  /** What is wrong, and what to do. */
  readonly message: string;
}

/**
 * The name of the role. A path in front of it says where IAM keeps the role; calls take the name alone, and answers have
 * the name alone.
 */
export function roleName(role: string): { readonly name: string } | { readonly problem: ProfileProblem } {
  if (role.startsWith('arn:')) {
    return invalid('RoleInvalid', `spec.role "${role}" is an ARN`, role);
  }
  const name = role.split('/').at(-1) ?? '';
  if (!ROLE_NAME.test(name)) {
    return {
      problem: {
        reason: 'RoleInvalid',
        message: `spec.role "${role}" does not end with the name of a role: up to 64 letters, digits and characters of +=,.@_-; write the name of an existing role`,
      },
    };
  }
  return { name };
}

/** What is wrong with the name of an instance profile that a class names itself. */
export function profileNameProblem(profile: string): ProfileProblem | undefined {
  if (PROFILE_NAME.test(profile)) return undefined;
  if (profile.startsWith('arn:'))
    return invalid('InstanceProfileInvalid', `spec.instanceProfile "${profile}" is an ARN`, profile).problem;
  const message = `spec.instanceProfile "${profile}" is not the name of an instance profile: up to 128 letters, digits and characters of +=,.@_-, without a path; write the name of an existing profile`;
  return { reason: 'InstanceProfileInvalid', message };
}

export function isProfileName(name: string): boolean {
  return PROFILE_NAME.test(name);
}

// ---------------------------------------------------------------------------------------------------

const ROLE_NAME = /^[\w+=,.@-]{1,64}$/;
const PROFILE_NAME = /^[\w+=,.@-]{1,128}$/;

function invalid(reason: ProfileProblemReason, what: string, arn: string): { problem: ProfileProblem } {
  const name = arn.split('/').at(-1) ?? '';
  return { problem: { reason, message: `${what}; write its name, which is ${name}` } };
}
