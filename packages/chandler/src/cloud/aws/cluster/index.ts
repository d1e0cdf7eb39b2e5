/** Entry point: the cluster and the account. */
export type { AwsClusterFacts, AwsClusterReader } from './facts.ts';
