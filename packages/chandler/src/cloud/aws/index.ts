/**
 * AWS: images, instance types, offerings and prices from what EC2's API describes, what a claim is launched with, what errors
 * and messages mean, and drift.
 */
export { type AwsCloud, createAwsCloud } from './aws-cloud.ts';
export * from './cluster/index.ts';
export * from './controllers/index.ts';
export * from './drift/index.ts';
export * from './errors/index.ts';
export * from './images/index.ts';
export * from './instance-profiles/index.ts';
export * from './instance-types/index.ts';
export {
  type AwsCloudDeps,
  KubeLaunchRecords,
  LAUNCH_RECORD_ANNOTATION,
  type LaunchOptions,
  type LaunchRecordStore,
  parseProviderId,
  providerIdOf,
} from './instances/index.ts';
export * from './interruption/index.ts';
export * from './launch/index.ts';
export * from './market/index.ts';
export * from './network/index.ts';
export * from './node-class/index.ts';
export * from './offerings/index.ts';
export * from './permissions/index.ts';
export * from './prices/index.ts';
export { awsProvider } from './provider.ts';
export { AWS_STAGES, type AwsStage } from './stages.ts';
export { AWS_REPAIR_POLICIES, awsTraits } from './traits.ts';
export * from './wire/index.ts';
