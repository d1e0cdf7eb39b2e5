/** The objects of a workload that name AWS. */
import { conditionOf } from '../checks/check.ts';
import type { CloudStory } from '../cloud-story.ts';

export const CLUSTER_NAME = 'simulated';
export const NODE_ROLE = `KarpenterNodeRole-${CLUSTER_NAME}`;

export const awsStory: CloudStory = {
  zones: ['us-west-2a', 'us-west-2b', 'us-west-2c'],
  types: ['m5.large', 'm5.xlarge', 'c5.large', 'c5.xlarge', 'm6i.large'],
  pairs: { four: ['m5.xlarge', 'm6a.xlarge'], two: ['m5.large', 'm6a.large'] },
  nodeClass: (name) => ({
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: { name },
    spec: {
      role: NODE_ROLE,
      amiSelectorTerms: [{ alias: 'al2023@latest' }],
      subnetSelectorTerms: [{ tags: { 'karpenter.sh/discovery': CLUSTER_NAME } }],
      securityGroupSelectorTerms: [{ tags: { 'karpenter.sh/discovery': CLUSTER_NAME } }],
      capacityReservationSelectorTerms: [{ tags: { 'karpenter.sh/discovery': CLUSTER_NAME } }],
    },
  }),
  nodeClassRef: (name) => ({ group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name }),
  capacityTypes: (drawn) => [...drawn, 'reserved'],
  fewerCores: (than) => ({ key: 'karpenter.k8s.aws/instance-cpu', operator: 'Lt', values: [`${than}`] }),
  changes: {
    tags: (tags) => ({ tags }),
    diskSize: (gib) => ({
      blockDeviceMappings: [{ deviceName: '/dev/xvda', ebs: { volumeSize: `${gib}Gi`, volumeType: 'gp3' } }],
    }),
  },
  others: {
    nodeClassRef: { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' },
    providerID:
      'azure:///subscriptions/theirs/resourceGroups/theirs/providers/Microsoft.Compute/virtualMachines/theirs',
  },
  nodeNameOf: (kube, claimName) => kube.get('claims', claimName)?.status?.nodeName as string | undefined,
  unfinishedClass: (nodeClass) => {
    const ready = conditionOf(nodeClass, 'Ready');
    return ready?.status === 'True' ? undefined : `is not Ready: ${ready?.message}`;
  },
};
