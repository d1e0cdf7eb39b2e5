/** Loaded on first use: `chandler --help` must not load an SDK. */
export {
  AddRoleToInstanceProfileCommand,
  CreateInstanceProfileCommand,
  DeleteInstanceProfileCommand,
  GetInstanceProfileCommand,
  GetPolicyCommand,
  GetPolicyVersionCommand,
  GetRoleCommand,
  GetRolePolicyCommand,
  IAMClient as Client,
  ListAttachedRolePoliciesCommand,
  ListInstanceProfilesCommand,
  ListOpenIDConnectProvidersCommand,
  ListRolePoliciesCommand,
  RemoveRoleFromInstanceProfileCommand,
  TagInstanceProfileCommand,
} from '@aws-sdk/client-iam';
