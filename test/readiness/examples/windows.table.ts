import { daemonSet, liveCluster, object } from './cluster.ts';
import { aNodeClass, aNodePool, CLUSTER, type ExampleTable } from './example.ts';

const CNI = 'GET /api/v1/namespaces/kube-system/configmaps/amazon-vpc-cni';
const AUTH = 'GET /api/v1/namespaces/kube-system/configmaps/aws-auth';
const AGENT = 'GET /apis/apps/v1/namespaces/kube-system/daemonsets/aws-node';
const inKubeSystem = { namespace: 'kube-system' };

export const windowsFiles = {
  'class.yaml': aNodeClass('  amiFamily: Windows2022\n  role: KarpenterNodeRole-shop'),
  'pool.yaml': aNodePool(
    '  template:\n    spec:\n      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}',
  ),
};

/** A cluster with these settings of the CNI, and these groups of the node role. */
export function windowsCluster(ipam: string | undefined, groups: readonly string[], ipv6 = 'false'): string {
  const data = ipam === undefined ? {} : { 'enable-windows-ipam': ipam };
  const mapRoles = `- rolearn: arn:aws:iam::418295670013:role/KarpenterNodeRole-shop\n  groups: ${JSON.stringify(groups)}\n`;
  return liveCluster(
    object('v1', 'ConfigMap', 'amazon-vpc-cni', { data }, inKubeSystem),
    object('v1', 'ConfigMap', 'aws-auth', { data: { mapRoles } }, inKubeSystem),
    daemonSet('aws-node', {
      containers: [{ name: 'aws-node', image: 'cni', env: [{ name: 'ENABLE_IPv6', value: ipv6 }] }],
    }),
  );
}

export const WINDOWS_EXAMPLES: ExampleTable = {
  'K-78': {
    fails: {
      status: 'fail',
      files: { ...windowsFiles, 'cluster.yaml': windowsCluster(undefined, ['system:nodes']) },
      sources: ['class.yaml:6', CNI, AUTH],
    },
    passes: {
      files: {
        'main.tf': CLUSTER,
        ...windowsFiles,
        'cluster.yaml': windowsCluster('true', ['system:nodes', 'eks:kube-proxy-windows']),
      },
      sources: ['class.yaml:6', CNI, AUTH, 'main.tf:1', AGENT],
    },
  },
};
