/** Karpenter's kinds as the API server names them, and the other custom resources that the product reads. */
import { resourceRef } from '@chandler/kube';
import type { AKSNodeClass } from './kinds/aks-node-class/aks-node-class.ts';
import type { CapacityBuffer } from './kinds/capacity-buffer.ts';
import type { EC2NodeClass } from './kinds/ec2-node-class/ec2-node-class.ts';
import type { NodeClaim } from './kinds/node-claim.ts';
import type { NodeOverlay } from './kinds/node-overlay.ts';
import type { NodePool } from './kinds/node-pool.ts';

export const NODE_POOLS = resourceRef<NodePool>('karpenter.sh', 'v1', 'nodepools', 'NodePool', false);
export const NODE_CLAIMS = resourceRef<NodeClaim>('karpenter.sh', 'v1', 'nodeclaims', 'NodeClaim', false);
export const NODE_OVERLAYS = resourceRef<NodeOverlay>(
  'karpenter.sh',
  'v1alpha1',
  'nodeoverlays',
  'NodeOverlay',
  false,
);
export const CAPACITY_BUFFERS = resourceRef<CapacityBuffer>(
  'autoscaling.x-k8s.io',
  'v1beta1',
  'capacitybuffers',
  'CapacityBuffer',
  true,
);
export const AKS_NODE_CLASSES = resourceRef<AKSNodeClass>(
  'karpenter.azure.com',
  'v1beta1',
  'aksnodeclasses',
  'AKSNodeClass',
  false,
);
export const EC2_NODE_CLASSES = resourceRef<EC2NodeClass>(
  'karpenter.k8s.aws',
  'v1',
  'ec2nodeclasses',
  'EC2NodeClass',
  false,
);
