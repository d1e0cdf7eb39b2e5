export { type ApiVersions, apiVersionsProblem } from './api-versions.ts';
export {
  ArmError,
  type ArmErrorDetail,
  BAD_ANSWER,
  fromErrorObject,
  HELD_BACK,
  isNotFound,
  NO_ANSWER,
  NO_TOKEN,
  toArmError,
} from './arm-error.ts';
export {
  ArmRateLimiter,
  type CallRate,
  type CallRates,
  callRates,
  DEFAULT_LONGEST_WAIT_MS,
  DEFAULT_RATES,
  type RateOptions,
} from './arm-rate-limiter.ts';
export { auxiliaryTokenSource } from './auxiliary-token.ts';
export { BUILTIN_ROLES, type BuiltinRole } from './builtin-roles.table.ts';
export { type ArmClients, type ArmClientsOptions, createArmClients } from './clients.ts';
export { type CredentialChoice, checkCredential, createCredential } from './credentials.ts';
export {
  AZURE_CHINA_CLOUD,
  AZURE_PUBLIC_CLOUD,
  AZURE_US_GOVERNMENT_CLOUD,
  type AzureEnvironment,
  armScope,
  parseEnvironmentFile,
  resolveEnvironment,
} from './environments.ts';
export { createHttpClient, retryAfterMs } from './http-client.ts';
export { LACKS_PERMISSION, type MissingPermission, missingPermission } from './missing-permission.ts';
export {
  type Operation,
  type OperationState,
  type Submitted,
  submit,
} from './operation.ts';
export { jsonPages, pagesOf } from './pages.ts';
export { getThroughPipeline } from './pipeline-get.ts';
export {
  coversResource,
  formatResourceId,
  parentResource,
  parseResourceId,
  type ResourceId,
  resourceId,
  resourceName,
  resourceType,
  sameResource,
} from './resource-id.ts';
export {
  lastSegment,
  type RoleAssignmentRequest,
  roleAssignmentId,
  roleAssignmentName,
  roleDefinitionId,
  stableGuid,
  worksAt,
} from './role-ids.ts';
