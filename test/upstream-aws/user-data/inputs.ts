/** The nodes whose user data is rendered by both sides, with what each side is given. */
import type {
  EC2NodeClass,
  EC2NodeClassSpec,
  NodeClaim,
  Taint,
} from '../../../packages/chandler/src/api/index.ts';
import type { EksBootstrapInput } from '../../../packages/chandler/src/bootstrap/index.ts';
import { bottlerocketVersion, imageFamily } from '../../../packages/chandler/src/cloud/aws/index.ts';

/** As the Go program reads it. */
export interface RenderRequest {
  readonly name: string;
  readonly nodeClass: EC2NodeClass;
  readonly nodeClaim: NodeClaim;
  readonly labels: Readonly<Record<string, string>>;
  readonly cluster: {
    readonly name: string;
    readonly endpoint: string;
    readonly caBundle: string;
    readonly cidr: string;
    readonly dnsIP: string;
  };
  readonly instanceType: string;
  readonly architecture: 'amd64' | 'arm64';
  readonly maxPods: number;
}

interface Given {
  readonly spec: Partial<EC2NodeClassSpec> & Pick<EC2NodeClassSpec, 'amiSelectorTerms'>;
  readonly imageName?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: Taint[];
  readonly startupTaints?: Taint[];
  readonly cluster?: Partial<RenderRequest['cluster']>;
  readonly instanceType?: string;
  readonly architecture?: 'amd64' | 'arm64';
  readonly maxPods?: number;
}

const alias = (text: string) => ({ amiSelectorTerms: [{ alias: text }] });

const KUBELET: NonNullable<EC2NodeClassSpec['kubelet']> = {
  clusterDNS: ['172.20.0.10'],
  maxPods: 58,
  podsPerCore: 10,
  systemReserved: { memory: '200Mi', cpu: '100m' },
  kubeReserved: { memory: '1Gi', cpu: '90m', 'ephemeral-storage': '3Gi', pid: '500' },
  evictionHard: { 'nodefs.available': '10%', 'memory.available': '5%' },
  evictionSoft: { 'memory.available': '500Mi' },
  evictionSoftGracePeriod: { 'memory.available': '2m' },
  evictionMaxPodGracePeriod: 60,
  imageGCHighThresholdPercent: 85,
  imageGCLowThresholdPercent: 80,
  cpuCFSQuota: false,
};
const { podsPerCore: _, ...BOTTLEROCKET_KUBELET } = KUBELET;

const mime = (...parts: readonly string[]) =>
  `MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="OWN"\n\n${parts.map((part) => `--OWN\n${part}\n`).join('')}--OWN--\n`;

const TAINTED = {
  labels: {
    team: 'research',
    'topology.kubernetes.io/zone': 'us-east-1a',
    'node-restriction.kubernetes.io/x': 'y',
  },
  taints: [
    { key: 'dedicated', value: 'batch', effect: 'NoSchedule' },
    { key: 'dedicated', value: 'batch', effect: 'NoExecute' },
  ],
  startupTaints: [{ key: 'node.cilium.io/agent-not-ready', value: 'true', effect: 'NoExecute' }],
} satisfies Partial<Given>;

const GIVEN: Readonly<Record<string, Given>> = {
  'al2-taints': { spec: alias('al2@latest'), ...TAINTED },
  'al2-kubelet': { spec: { ...alias('al2@latest'), kubelet: KUBELET } },
  'al2-mime-raid0': {
    spec: {
      ...alias('al2@v20240807'),
      instanceStorePolicy: 'RAID0',
      userData: mime(
        'Content-Type: text/x-shellscript; charset="us-ascii"\nContent-Disposition: attachment; filename="a.sh"\n\n#!/bin/bash\necho a\n',
        'Content-Type: text/cloud-config\n\n#cloud-config\npackage_update: true\n',
      ),
    },
  },
  'al2-ipv6-script': {
    spec: { ...alias('al2@latest'), userData: '#!/bin/bash\r\necho hi\r\n' },
    cluster: { cidr: 'fd30:1c53:5f8a::/108', dnsIP: 'fd30:1c53:5f8a::a' },
  },
  'al2023-gpu-taints': {
    spec: alias('al2023@latest'),
    ...TAINTED,
    instanceType: 'g5.2xlarge',
    maxPods: 58,
  },
  'al2023-kubelet-arm': {
    spec: { ...alias('al2023@latest'), kubelet: KUBELET },
    instanceType: 'm7g.xlarge',
    architecture: 'arm64',
  },
  'al2023-nodeconfig-raid0': {
    spec: {
      ...alias('al2023@v20260801'),
      instanceStorePolicy: 'RAID0',
      userData:
        'apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\nspec:\n  featureGates: { InstanceIdNodeName: true }\n',
    },
  },
  'al2023-mime-encoded-part': {
    spec: {
      ...alias('al2023@latest'),
      userData: mime(
        'Content-Type: text/x-shellscript\nContent-Transfer-Encoding: base64\n\nIyEvYmluL2Jhc2gKZWNobyBoaQo=',
        'Content-Type: application/node.eks.aws\n\napiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\nspec: {}\n',
      ),
    },
  },
  'al2023-script': {
    spec: { ...alias('al2023@latest'), userData: '#!/bin/bash\necho "$(date)" > /etc/motd\n' },
  },
  'al2023-script-of-comments': {
    spec: { ...alias('al2023@latest'), userData: '#!/bin/bash\n# nothing yet\n' },
  },
  'al2023-cloud-config': {
    spec: { ...alias('al2023@latest'), userData: '#cloud-config\npackage_update: true\n' },
  },
  'al2023-any-kubelet': {
    spec: { ...alias('al2023@latest'), kubelet: { shutdownGracePeriod: '30s' } as never },
  },
  'bottlerocket-old-raid0': {
    spec: { ...alias('bottlerocket@v1.45.0'), instanceStorePolicy: 'RAID0' },
    ...TAINTED,
  },
  'bottlerocket-own-settings': {
    spec: {
      amiSelectorTerms: [{ id: 'ami-1' }],
      amiFamily: 'Bottlerocket',
      kubelet: BOTTLEROCKET_KUBELET,
      instanceStorePolicy: 'RAID0',
      userData:
        '[settings]\nmotd = "hi"\n[settings.kubernetes]\nkube-api-qps = 30\nmax-pods = 5\nfuture-key = "x"\n' +
        '[settings.kubernetes.node-labels]\nteam = "platform"\n[settings.kernel.sysctl]\n"user.max_user_namespaces" = "16384"\n' +
        '[settings.bootstrap-commands.own]\ncommands = [["apiclient", "set", "motd=hi"]]\nmode = "once"\nessential = false\n',
    },
    imageName: 'bottlerocket-aws-k8s-1.33-x86_64-v1.46.0-431fe75a',
  },
  'windows2022-kubelet': {
    spec: { ...alias('windows2022@latest'), kubelet: KUBELET, userData: 'Write-Host "hi"' },
    ...TAINTED,
  },
  'windows2019-block': {
    spec: { ...alias('windows2019@latest'), userData: '<powershell>\nWrite-Host "hi"\n</powershell>' },
  },
  'custom-own': {
    spec: {
      amiSelectorTerms: [{ id: 'ami-1' }],
      amiFamily: 'Custom',
      userData: '#!/bin/bash\n/opt/join.sh karpenter.sh/unregistered:NoExecute\n',
    },
  },
};

export const REQUESTS: readonly RenderRequest[] = Object.entries(GIVEN).map(([name, given]) =>
  request(name, given),
);

/** The same for our side. */
export function ownInput(asked: RenderRequest): EksBootstrapInput {
  const { nodeClass, nodeClaim, cluster } = asked;
  const spec = nodeClass.spec!;
  const family = imageFamily(spec);
  if ('problem' in family) throw new Error(family.problem.message);
  const given = <T>(value: T) => ({ value, source: 'cluster' as const, path: 'test' });
  return {
    cluster: {
      name: given(cluster.name),
      endpoint: given(cluster.endpoint),
      caBundle: given(cluster.caBundle),
      serviceCidr: given(cluster.cidr),
      dnsIp: given(cluster.dnsIP),
    },
    nodeClass: {
      family: family.family,
      spec,
      imageVersion: bottlerocketVersion(spec, nodeClass.status?.amis ?? []),
    },
    node: {
      maxPods: given(asked.maxPods),
      labels: given(nodeClaim.metadata.labels ?? {}),
      capacityType: given('on-demand'),
      taints: given(nodeClaim.spec.taints ?? []),
      startupTaints: given(nodeClaim.spec.startupTaints ?? []),
    },
  };
}

// ---------------------------------------------------------------------------------------------------

function request(name: string, given: Given): RenderRequest {
  const labels = {
    'karpenter.sh/nodepool': 'general',
    'karpenter.k8s.aws/ec2nodeclass': 'default',
    ...given.labels,
  };
  const architecture = given.architecture ?? 'amd64';
  return {
    name,
    nodeClass: {
      apiVersion: 'karpenter.k8s.aws/v1',
      kind: 'EC2NodeClass',
      metadata: { name: 'default' },
      spec: { subnetSelectorTerms: [], securityGroupSelectorTerms: [], ...given.spec },
      status: {
        amis: [
          {
            id: 'ami-1',
            name: given.imageName ?? 'image',
            requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: [architecture] }],
          },
        ],
      },
    },
    nodeClaim: {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodeClaim',
      metadata: { name: 'claim', labels },
      spec: {
        nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
        requirements: [],
        ...(given.taints === undefined ? {} : { taints: given.taints }),
        ...(given.startupTaints === undefined ? {} : { startupTaints: given.startupTaints }),
      },
    },
    // Upstream adds the capacity type before it renders.
    labels: { ...labels, 'karpenter.sh/capacity-type': 'on-demand' },
    cluster: {
      name: 'shop',
      endpoint: 'https://ABC.gr7.us-east-1.eks.amazonaws.com',
      caBundle: 'Y2EtYnVuZGxl',
      cidr: '10.100.0.0/16',
      dnsIP: '10.100.0.10',
      ...given.cluster,
    },
    instanceType: given.instanceType ?? 'm5.large',
    architecture,
    maxPods: given.maxPods ?? 29,
  };
}
