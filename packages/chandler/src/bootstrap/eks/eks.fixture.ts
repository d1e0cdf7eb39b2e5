/** A node of EKS to bootstrap, for tests; each names only what it is about. */
import type { EC2NodeClassSpec, Taint } from '../../api/index.ts';
import { hardcoded } from '../../settings/index.ts';
import type { AmiFamily, EksBootstrapInput, EksClusterValues, EksNodeValues } from './input.ts';

export interface EksInputOverrides {
  readonly family?: AmiFamily;
  readonly spec?: Partial<EC2NodeClassSpec>;
  readonly imageVersion?: string;
  readonly cluster?: Partial<EksClusterValues>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly Taint[];
  readonly startupTaints?: readonly Taint[];
  readonly node?: Partial<EksNodeValues>;
}

const fromCluster = (value: string, path: string) => ({ value, source: 'cluster' as const, path });

export function anEksInput(request: EksInputOverrides = {}): EksBootstrapInput {
  return {
    cluster: {
      name: { value: 'shop', source: 'env', path: 'CLUSTER_NAME' },
      endpoint: fromCluster('https://ABC.gr7.eu-west-1.eks.amazonaws.com', 'cluster.endpoint'),
      caBundle: fromCluster('Y2EtYnVuZGxl', 'cluster.certificateAuthority.data'),
      serviceCidr: fromCluster('10.100.0.0/16', 'cluster.kubernetesNetworkConfig.serviceIpv4Cidr'),
      dnsIp: fromCluster('10.100.0.10', 'Service kube-system/kube-dns'),
      ...request.cluster,
    },
    nodeClass: {
      family: request.family ?? 'AL2023',
      spec: {
        subnetSelectorTerms: [{ id: 'subnet-1' }],
        securityGroupSelectorTerms: [{ id: 'sg-1' }],
        amiSelectorTerms: [{ id: 'ami-1' }],
        role: 'node',
        ...request.spec,
      },
      imageVersion: hardcoded(request.imageVersion ?? 'latest'),
    },
    node: {
      maxPods: { value: 29, source: 'computed', path: 'm5.large' },
      labels: {
        value: {
          'karpenter.sh/nodepool': 'general',
          'karpenter.k8s.aws/ec2nodeclass': 'default',
          'kubernetes.io/arch': 'amd64',
          'node.kubernetes.io/instance-type': 'm5.large',
          ...request.labels,
        },
        source: 'NodePool',
        path: 'spec.template.metadata.labels',
      },
      capacityType: { value: 'on-demand', source: 'computed', path: 'offering' },
      taints: { value: request.taints ?? [], source: 'NodePool', path: 'spec.template.spec.taints' },
      startupTaints: {
        value: request.startupTaints ?? [],
        source: 'NodePool',
        path: 'spec.template.spec.startupTaints',
      },
      ...request.node,
    },
  };
}
