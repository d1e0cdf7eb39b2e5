/** The nodes whose user data is kept as golden files: each image family, and what can differ between its nodes. */
import { join } from 'node:path';
import type { EC2NodeClassSpec } from '../../packages/chandler/src/api/index.ts';
import {
  type AmiFamily,
  type RenderedUserData,
  renderUserData,
} from '../../packages/chandler/src/bootstrap/index.ts';
import { anEksInput, type EksInputOverrides } from '../../packages/chandler/src/bootstrap/testing.ts';

export const GOLDEN = join(import.meta.dirname, '../../packages/chandler/src/bootstrap/eks/golden');

const FAMILIES: readonly AmiFamily[] = [
  'AL2',
  'AL2023',
  'Bottlerocket',
  'Windows2019',
  'Windows2022',
  'Windows2025',
  'Custom',
];

/** The settings that every family but Custom honours. */
const KUBELET: NonNullable<EC2NodeClassSpec['kubelet']> = {
  clusterDNS: ['172.20.0.10'],
  maxPods: 58,
  systemReserved: { memory: '200Mi', cpu: '100m' },
  kubeReserved: { memory: '1Gi', cpu: '90m', 'ephemeral-storage': '3Gi' },
  evictionHard: { 'nodefs.available': '10%', 'memory.available': '5%' },
  evictionSoft: { 'memory.available': '500Mi' },
  evictionSoftGracePeriod: { 'memory.available': '2m' },
  evictionMaxPodGracePeriod: 60,
  imageGCHighThresholdPercent: 85,
  imageGCLowThresholdPercent: 80,
  cpuCFSQuota: false,
};

const MIME = `MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="BOUNDARY"

--BOUNDARY
Content-Type: text/x-shellscript; charset="us-ascii"

#!/bin/bash
echo "first" > /etc/motd

--BOUNDARY
Content-Type: text/cloud-config

#cloud-config
package_update: true
--BOUNDARY--
`;

const OWN_USER_DATA: Readonly<Record<AmiFamily, string>> = {
  AL2: MIME,
  AL2023: `apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec:
  featureGates:
    InstanceIdNodeName: true
`,
  Bottlerocket: `[settings]
motd = "hello"

[settings.kubernetes]
kube-api-qps = 30
node-labels = { team = "platform" }

[settings.kernel.sysctl]
"user.max_user_namespaces" = "16384"
`,
  Windows2019: 'Write-Host "own commands"',
  Windows2022: '<powershell>\nWrite-Host "own block"\n</powershell>\n<persist>true</persist>',
  Windows2025: 'Write-Host "own commands"',
  Custom: '#!/bin/bash\n/opt/join.sh --register-with-taints=karpenter.sh/unregistered:NoExecute\n',
};

const variations = (family: AmiFamily): Readonly<Record<string, EksInputOverrides>> => ({
  plain: {},
  // Windows has no images for ARM.
  ...(family.startsWith('Windows')
    ? {}
    : {
        arm: {
          labels: { 'kubernetes.io/arch': 'arm64', 'node.kubernetes.io/instance-type': 'm7g.xlarge' },
          node: { maxPods: { value: 58, source: 'computed', path: 'm7g.xlarge' } },
        },
      }),
  gpu: {
    labels: {
      'node.kubernetes.io/instance-type': 'g5.2xlarge',
      'karpenter.k8s.aws/instance-gpu-name': 'a10g',
      'karpenter.k8s.aws/instance-gpu-count': '1',
    },
    taints: [{ key: 'nvidia.com/gpu', value: 'true', effect: 'NoSchedule' }],
    node: { maxPods: { value: 58, source: 'computed', path: 'g5.2xlarge' } },
  },
  taints: {
    taints: [
      { key: 'dedicated', value: 'batch', effect: 'NoSchedule' },
      { key: 'dedicated', value: 'batch', effect: 'NoExecute' },
    ],
    startupTaints: [{ key: 'node.cilium.io/agent-not-ready', value: 'true', effect: 'NoExecute' }],
  },
  kubelet: { spec: { kubelet: KUBELET } },
  'own-user-data': { spec: { userData: OWN_USER_DATA[family] } },
  'instance-store': { spec: { instanceStorePolicy: 'RAID0' } },
});

export const CASES: Readonly<Record<string, EksInputOverrides>> = {
  ...Object.fromEntries(
    FAMILIES.flatMap((family) =>
      Object.entries(variations(family)).map(([name, overrides]) => [
        `${family.toLowerCase()}-${name}`,
        { family, ...overrides },
      ]),
    ),
  ),
  'al2023-mime': { spec: { userData: MIME } },
  'al2023-any-kubelet': {
    spec: {
      kubelet: {
        ...KUBELET,
        clusterDNS: ['172.20.0.10', '172.20.0.11'],
        podsPerCore: 10,
        singleProcessOOMKill: true,
        featureGates: { KubeletSeparateDiskGC: true },
        shutdownGracePeriod: '30s',
      } as NonNullable<EC2NodeClassSpec['kubelet']>,
    },
  },
  'al2023-ipv6': {
    cluster: {
      serviceCidr: { value: 'fd30:1c53:5f8a::/108', source: 'cluster', path: 'serviceIpv6Cidr' },
      dnsIp: { value: 'fd30:1c53:5f8a::a', source: 'cluster', path: 'Service kube-system/kube-dns' },
    },
  },
  'al2-ipv6': {
    family: 'AL2',
    cluster: {
      dnsIp: { value: 'fd30:1c53:5f8a::a', source: 'cluster', path: 'Service kube-system/kube-dns' },
    },
  },
  'bottlerocket-old-instance-store': {
    family: 'Bottlerocket',
    imageVersion: 'v1.45.0',
    spec: {
      instanceStorePolicy: 'RAID0',
      userData:
        '[settings.bootstrap-commands.own]\ncommands = [["apiclient", "set", "motd=hi"]]\nmode = "once"\nessential = false\n',
    },
  },
};

export function renderCase(overrides: EksInputOverrides): RenderedUserData {
  return renderUserData(anEksInput(overrides));
}

/** Each value's source and path, and the warnings, one line each. */
export function sourcesText({ values, warnings }: RenderedUserData): string {
  const lines = [
    ...values.map(({ name, source, path }) => `${name}\t${source}\t${path}`),
    ...warnings.map(({ code, path, message }) => `warning ${code}\t${path}\t${message}`),
  ];
  return `${lines.join('\n')}\n`;
}
