/** Entry point: the status of an EC2NodeClass, and what is checked of it beyond its CRD. */
export { type ClassPool, classPools } from './class-pools.ts';
export { type DryRunOutcome, type DryRunRequests, DryRuns, type FindDryRunRequests } from './dry-runs.ts';
export {
  type KubeletProblem,
  type KubeletReason,
  kubeletProblems,
  kubeletWarning,
} from './kubelet-validation.ts';
export {
  AwsNodeClassStatus,
  type AwsNodeClassStatusDeps,
  type NodeClassReconciliation,
  type PartError,
} from './status.ts';
