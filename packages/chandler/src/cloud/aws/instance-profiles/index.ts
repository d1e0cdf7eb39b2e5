/** Entry point: the instance profiles of node classes. */
export {
  type EnsuredProfile,
  InstanceProfiles,
  type InstanceProfilesOptions,
  type ListedProfile,
  PROPAGATION_MS,
  type WantedProfile,
} from './instance-profiles.ts';
export {
  classPath,
  clusterPath,
  legacyProfileName,
  type ProfileOwner,
  type ProfileScope,
  profileName,
  profileTags,
} from './profile-names.ts';
export { type ProfileProblem, type ProfileProblemReason, profileNameProblem, roleName } from './role.ts';
export { isUsed, type ProfileUses, UNUSED_MS, UnusedProfiles } from './unused-profiles.ts';
