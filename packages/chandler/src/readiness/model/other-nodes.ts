/** Labels of nodes that no NodePool launches: a pod that selects one of them is not about NodePools. */
export const OTHER_NODES =
  /^(eks\.amazonaws\.com\/(nodegroup|compute-type|fargate-profile)|alpha\.eksctl\.io\/nodegroup-name)$/;
