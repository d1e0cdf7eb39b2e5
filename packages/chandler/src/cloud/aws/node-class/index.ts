/** Entry point: what is checked of an EC2NodeClass beyond its CRD. */
export {
  type KubeletProblem,
  type KubeletReason,
  kubeletProblems,
  kubeletWarning,
} from './kubelet-validation.ts';
