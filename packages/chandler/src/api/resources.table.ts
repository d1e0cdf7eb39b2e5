/** Karpenter's kinds as the API server names them, and the other custom resources that the product reads. */
import { resourceRef } from '@chandler/kube';

export const NODE_POOLS = resourceRef('karpenter.sh', 'v1', 'nodepools', 'NodePool', false);
export const NODE_CLAIMS = resourceRef('karpenter.sh', 'v1', 'nodeclaims', 'NodeClaim', false);
export const NODE_OVERLAYS = resourceRef('karpenter.sh', 'v1alpha1', 'nodeoverlays', 'NodeOverlay', false);
export const CAPACITY_BUFFERS = resourceRef(
  'autoscaling.x-k8s.io',
  'v1beta1',
  'capacitybuffers',
  'CapacityBuffer',
  true,
);
export const AKS_NODE_CLASSES = resourceRef(
  'karpenter.azure.com',
  'v1beta1',
  'aksnodeclasses',
  'AKSNodeClass',
  false,
);
export const EC2_NODE_CLASSES = resourceRef(
  'karpenter.k8s.aws',
  'v1',
  'ec2nodeclasses',
  'EC2NodeClass',
  false,
);
