/** The objects of a workload that name Azure. */
import { conditionOf } from '../checks/check.ts';
import type { CloudStory } from '../cloud-story.ts';

export const azureStory: CloudStory = {
  zones: ['eastus-1', 'eastus-2', 'eastus-3'],
  types: ['Standard_D2s_v5', 'Standard_D4s_v5', 'Standard_D2as_v5', 'Standard_D4as_v5', 'Standard_E2s_v5'],
  pairs: {
    four: ['Standard_D4s_v5', 'Standard_D4as_v5'],
    two: ['Standard_D2s_v5', 'Standard_D2as_v5'],
  },
  nodeClass: (name) => ({
    apiVersion: 'karpenter.azure.com/v1beta1',
    kind: 'AKSNodeClass',
    metadata: { name },
    spec: {},
  }),
  nodeClassRef: (name) => ({ group: 'karpenter.azure.com', kind: 'AKSNodeClass', name }),
  capacityTypes: (drawn) => drawn,
  fewerCores: (than) => ({ key: 'karpenter.azure.com/sku-cpu', operator: 'Lt', values: [`${than}`] }),
  changes: {
    tags: (tags) => ({ tags }),
    diskSize: (osDiskSizeGB) => ({ osDiskSizeGB }),
  },
  others: {
    nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
    providerID: 'aws:///us-east-1a/i-theirs',
  },
  nodeNameOf: (_kube, claimName) => `aks-${claimName}`,
  unfinishedClass: (nodeClass) =>
    // A refusal of the disk encryption set expires; then a launch is tried.
    conditionOf(nodeClass, 'DiskEncryptionVerified')?.status === 'False'
      ? 'is held by a refusal of its disk encryption set'
      : undefined,
};
