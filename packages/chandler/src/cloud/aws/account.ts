/**
 * What `chandler check --live-aws` and `chandler configure eks` need to call an account. An entry point of its own: nothing that launches instances is loaded, and
 * the SDK clients only when they are needed.
 */
export { type AwsError, classify, HELD_BACK, NO_ANSWER, NO_CREDENTIALS, toAwsError } from './errors/index.ts';
export { type CallsConnection, connectCalls } from './evidence/connect.ts';
export { looked } from './evidence/looked.ts';
export { imageParameters } from './images/image-queries.ts';
export {
  CHECK_PERMISSIONS,
  type CheckAction,
} from './permissions/check-permissions.table.ts';
export { controllerPolicies } from './permissions/controller-policies.ts';
export { checkPolicy, type IamPolicy, NODE_POLICIES } from './permissions/policies.ts';
export type { AwsCalls, CallOptions } from './wire/calls.ts';
export { partitionOf } from './wire/region-names.ts';
