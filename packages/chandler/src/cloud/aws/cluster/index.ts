/** Entry point: the cluster and the account. */
export { AwsClusterDetector, type AwsClusterDetectorOptions, type ClusterProblem } from './detector.ts';
export type { AwsClusterFacts, AwsClusterReader } from './facts.ts';
export type { AwsClusterOptions } from './finders.ts';
export { type ClusterProblemCode, type FindingProblem, isTransient, problemOf } from './problems.ts';
export { type AwsClusterReaders, type AwsClusterReadersOptions, awsClusterReaders } from './readers.ts';
export { type ClusterStartOptions, checkAccess, prepareCluster } from './start.ts';
