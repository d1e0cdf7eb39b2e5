/** Entry point: the calls to AWS. */
export type { AwsService } from './actions.table.ts';
export { type AwsCallsOptions, createAwsCalls, DEFAULT_CALL_TIMEOUT_MS } from './aws-calls.ts';
export type {
  AwsCalls,
  Call,
  CallOptions,
  Ec2Calls,
  EksCalls,
  IamCalls,
  PricingCalls,
  SqsCalls,
  SsmCalls,
  StsCalls,
} from './calls.ts';
export { type AwsCredentialSource, type AwsCredentials, fixedCredentials } from './credential-source.ts';
export { allPages } from './pages.ts';
