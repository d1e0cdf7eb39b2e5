/** Entry point: the life of EC2 instances, and the records that launches keep with their claims. */
export {
  type AwsCloudDeps,
  type AwsMarket,
  LAUNCH_RECORD_ANNOTATION,
  type LaunchCalls,
  type LaunchOptions,
  type LaunchRecordStore,
  type ReservationCounts,
} from './aws-cloud-deps.ts';
export { NODE_NAME_ANNOTATION } from './instance.ts';
export { describedFacts, type InstanceFacts } from './instance-facts.ts';
export { KubeLaunchRecords } from './kube-launch-records.ts';
export { parseProviderId, providerIdOf } from './provider-id.ts';
