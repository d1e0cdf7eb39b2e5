/** Entry point: the calls to AWS. */
export type { AwsService } from './actions.table.ts';
export { type AwsCallsOptions, createAwsCalls } from './aws-calls.ts';
export { awsWriteOf } from './aws-write.ts';
export type {
  ArcZonalShiftCalls,
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
export { createCredentials } from './credentials/cached-credentials.ts';
export { type CredentialSettings, NO_CREDENTIAL_SETTINGS } from './credentials/credential-settings.ts';
export type { ProviderOptions } from './credentials/providers.ts';
export { InstanceMetadata, METADATA_ENDPOINT } from './instance-metadata.ts';
export { DEFAULT_CALL_TIMEOUT_MS, DEFAULT_LONGEST_WAIT_MS } from './limits.ts';
export { allPages } from './pages.ts';
export { type AwsRateOptions, rateNames } from './rate-buckets.ts';
export type { CallRate } from './rates.table.ts';
export { RegionSource } from './region.ts';
export { partitionOf, regionProblem } from './region-names.ts';
export type { GetManagedResourceOutput } from './zonal-shift-shapes.ts';
