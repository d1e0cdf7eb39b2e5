import { daemonSet, liveCluster } from './cluster.ts';
import { aNodeClass, aNodePool, type ExampleTable } from './example.ts';

const CNI = 'GET /apis/apps/v1/namespaces/kube-system/daemonsets/aws-node';

/** maxPods is in line 8, the requirements begin in line 10. */
export function podFiles(maxPods: string, types: readonly string[]) {
  return {
    'class.yaml': aNodeClass(`  amiFamily: AL2023\n  kubelet:\n    maxPods: ${maxPods}`),
    'pool.yaml': aNodePool(`  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements:
        - {key: node.kubernetes.io/instance-type, operator: In, values: [${types.join(', ')}]}`),
  };
}

export function networkPlugin(settings: Readonly<Record<string, string>>): string {
  const env = Object.entries(settings).map(([name, value]) => ({ name, value }));
  return liveCluster(daemonSet('aws-node', { containers: [{ name: 'aws-node', image: 'cni', env }] }));
}

export const POD_ADDRESS_EXAMPLES: ExampleTable = {
  'K-54': {
    fails: {
      status: 'warn',
      files: { ...podFiles('110', ['m5.large', 'm5.4xlarge']), 'cluster.yaml': networkPlugin({}) },
      sources: ['class.yaml:8', 'pool.yaml:9', CNI],
    },
    passes: {
      files: {
        ...podFiles('110', ['m5.large', 'm5.4xlarge']),
        'cluster.yaml': networkPlugin({ ENABLE_PREFIX_DELEGATION: 'true' }),
      },
      sources: ['class.yaml:8', 'pool.yaml:9', CNI],
    },
  },
};
