/** Entry point: the calls to AWS. */
export type { AwsService } from './actions.table.ts';
export { type AwsCallsOptions, createAwsCalls, DEFAULT_CALL_TIMEOUT_MS } from './aws-calls.ts';
export { awsWriteOf } from './aws-write.ts';
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
export { type AwsRateOptions, rateNames } from './rate-buckets.ts';
export { DEFAULT_LONGEST_WAIT_MS } from './rate-limiter.ts';
export type { CallRate } from './rates.table.ts';
