/** Entry point: what a claim is launched with, the requests for it, and what their answers mean. Nothing here calls AWS. */
export {
  BATCH_LIMITS,
  type DealtAnswer,
  dealAnswer,
  groupIds,
  groupLaunches,
  type LaunchGroup,
  type LaunchMember,
  type LaunchRecord,
  launchRecordText,
  type PendingLaunch,
  parseLaunchRecord,
  regroup,
} from './batching.ts';
export { type ChoiceRequest, chooseTypes, type LaunchChoice, tenancyOf } from './choose-types.ts';
export { ClaimRequirements } from './claim-requirements.ts';
export { clientToken, DOUBT_LIMIT_MS, isAnswered, isLost, tokenClaimUid } from './client-token.ts';
export type * from './ec2-shapes.ts';
export {
  type FleetContext,
  type FleetFailure,
  type FleetOutcome,
  type LaunchedInstance,
  readFleetAnswer,
  type Unavailable,
  type UnavailableThing,
} from './fleet-answer.ts';
export { type FleetInput, fleetRequest, type NamedTemplate } from './fleet-request.ts';
export {
  EFA_RESOURCE,
  ENCLAVE_RESOURCE,
  LAUNCH_TEMPLATE_PREFIX,
  launchTemplate,
  type TemplateInput,
} from './launch-template.ts';
export type { CapacityTypeName, LaunchOffering, LaunchType, ReservationKind } from './launch-types.ts';
export {
  ADDRESS_COUNT_TTL_MS,
  type AddressHold,
  addressesPerZone,
  type LaunchSubnet,
  type ObservedSubnet,
  SubnetAddresses,
} from './subnet-addresses.ts';
export {
  CLUSTER_NAME_TAG,
  LAUNCH_TOKEN_TAG,
  type LaunchTagsInput,
  launchTags,
  NODE_CLAIM_TAG,
  restrictedTags,
  type Tags,
  tagList,
  tagSpecifications,
} from './tags.ts';
export { type TemplateGroup, type TypeSettings, templateGroups } from './template-groups.ts';
export { TEMPLATE_TTL_MS, TemplateUses } from './template-uses.ts';
export { MAX_LAUNCH_TYPES } from './truncate.ts';
