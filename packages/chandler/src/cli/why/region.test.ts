import { type ResourceRef, resourceName } from '@chandler/kube';
import { expect, test } from 'vitest';
import type { LookupResult, ObjectReader } from '../../causes/index.ts';
import { type CloudName, diagnosisOf } from '../../cloud/registry.ts';

import { regionOfCluster } from './region.ts';

const labelled = (labels: object) => [{ metadata: { name: 'x', labels } }];
const region = (value: string) => labelled({ 'topology.kubernetes.io/region': value });
const zone = (value: string) => labelled({ 'topology.kubernetes.io/zone': value });
const controller = (name: string, value: string) => [
  { metadata: { name: 'k' }, spec: { template: { spec: { containers: [{ env: [{ name, value }] }] } } } },
];

const withArgs = (...args: readonly string[]) => [
  { metadata: { name: 'k' }, spec: { template: { spec: { containers: [{ args }] } } } },
];

const withContainer = (container: object) => [
  { metadata: { name: 'k' }, spec: { template: { spec: { containers: [container] } } } },
];
const withEndpoint = (value: string) => withContainer({ env: [{ name: 'CLUSTER_ENDPOINT', value }] });
const FROM_SECRET = { name: 'AWS_REGION', valueFrom: { secretKeyRef: { name: 's', key: 'region' } } };
const SETTINGS = { configmaps: [{ metadata: {}, data: { 'aws.awsRegion': 'eu-west-2' } }] };
const ofClass = (status: object) => ({ metadata: { name: 'default' }, status });

const node = (providerID: string, region: string) => ({
  metadata: { name: 'x', labels: { 'topology.kubernetes.io/region': region } },
  spec: { providerID },
});
const AKS = node('azure:///subscriptions/s/vm', 'westeurope');
const EKS = node('aws:///eu-central-1a/i-1', 'eu-central-1');
const claim = (group: string, kind: string, value: string) => ({
  metadata: { name: 'x', labels: { 'topology.kubernetes.io/region': value } },
  spec: { nodeClassRef: { group, kind, name: 'default' } },
});
const CLAIMS = [
  claim('karpenter.azure.com', 'AKSNodeClass', 'westeurope'),
  claim('karpenter.k8s.aws', 'EC2NodeClass', 'eu-central-1'),
];

const UNMARKED = Array.from({ length: 5 }, (_, index) => ({ metadata: { name: `edge-${index}` } }));

function reader(objects: Readonly<Record<string, readonly object[]>>): ObjectReader {
  const list = async (resource: ResourceRef, { atMost }: { atMost?: number }) =>
    ({ found: (objects[resourceName(resource)] ?? []).slice(0, atMost) }) as unknown as LookupResult<never>;
  const get = async (resource: ResourceRef) => {
    const [found] = objects[resourceName(resource)] ?? [];
    return (found === undefined ? { why: 'notFound' } : { found }) as unknown as LookupResult<never>;
  };
  return { list, get } as Partial<ObjectReader> as ObjectReader;
}

test.each<
  [cloud: CloudName, objects: Readonly<Record<string, readonly object[]>>, region: string | undefined]
>([
  ['aws', { nodes: region('us-west-2') }, 'us-west-2'],
  ['aws', { nodes: region('Rack 5'), 'nodeclaims.karpenter.sh': zone('eu-west-1b') }, 'eu-west-1'],
  ['aws', { 'deployments.apps': controller('AWS_REGION', 'us-gov-west-1') }, 'us-gov-west-1'],
  ['aws', { 'deployments.apps': controller('LOCATION', 'westeurope') }, undefined],
  ['aws', { 'deployments.apps': withArgs('--log-level=info', '--aws-region=eu-west-3') }, 'eu-west-3'],
  ['aws', { 'deployments.apps': withArgs('--aws-region', 'eu-west-3') }, 'eu-west-3'],
  [
    'aws',
    {
      'deployments.apps': withArgs(),
      configmaps: [{ metadata: {}, data: { 'aws.awsRegion': 'eu-west-2' } }],
    },
    'eu-west-2',
  ],
  ['aws', { 'deployments.apps': withContainer({ env: [FROM_SECRET] }), ...SETTINGS }, undefined],
  [
    'aws',
    { 'deployments.apps': withContainer({ envFrom: [{ secretRef: { name: 's' } }] }), ...SETTINGS },
    undefined,
  ],
  [
    'aws',
    { 'deployments.apps': withContainer({ args: ['--aws-region=eu-west-3'], env: [FROM_SECRET] }) },
    'eu-west-3',
  ],
  [
    'aws',
    { 'ec2nodeclasses.karpenter.k8s.aws': [ofClass({ subnets: [{ zone: 'eu-west-1a' }] })] },
    'eu-west-1',
  ],
  [
    'aws',
    {
      'ec2nodeclasses.karpenter.k8s.aws': [
        ofClass({ capacityReservations: [{ availabilityZone: 'eu-west-1b' }] }),
      ],
    },
    'eu-west-1',
  ],
  ['aws', { 'deployments.apps': withEndpoint('https://ABCD.gr7.eu-west-1.eks.amazonaws.com') }, 'eu-west-1'],
  [
    'aws',
    { 'deployments.apps': withEndpoint('https://ABCD.sk1.cn-north-1.eks.amazonaws.com.cn') },
    'cn-north-1',
  ],
  ['aws', { 'deployments.apps': withEndpoint('https://eks.example.com') }, undefined],
  ['azure', { 'deployments.apps': withEndpoint('https://ABCD.gr7.eu-west-1.eks.amazonaws.com') }, undefined],
  [
    'aws',
    {
      'deployments.apps': withContainer({
        env: [FROM_SECRET],
        args: ['--cluster-endpoint=https://ABCD.gr7.eu-west-1.eks.amazonaws.com'],
      }),
    },
    'eu-west-1',
  ],
  ['aws', { nodes: [...UNMARKED, EKS] }, 'eu-central-1'],
  [
    'aws',
    { nodes: [...Array.from({ length: 5 }, () => region('dc-frankfurt')).flat(), EKS] },
    'eu-central-1',
  ],
  ['azure', { nodes: region('westeurope') }, 'westeurope'],
  ['azure', { 'deployments.apps': controller('LOCATION', 'westeurope') }, 'westeurope'],
  ['azure', {}, undefined],
])(
  '%s: the region of the nodes, of NodeClaims or of the controller (case %#)',
  async (cloud, objects, expected) => {
    expect(await regionOfCluster(reader(objects), await diagnosisOf(cloud).diagnosis())).toBe(expected);
  },
);

test.each<[what: string, objects: Readonly<Record<string, readonly object[]>>]>([
  ['nodes', { nodes: [EKS, AKS] }],
  ['many nodes of the other', { nodes: [...Array(20).fill(EKS), ...Array(20).fill(AKS), EKS] }],
  ['NodeClaims', { 'nodeclaims.karpenter.sh': CLAIMS }],
  ['NodeClaims and nodes of their own', { nodes: region('plant'), 'nodeclaims.karpenter.sh': CLAIMS }],
  ['nodes with zones', { nodes: [...zone('eu-central-1a'), ...zone('westeurope-1')] }],
])('with two clouds, each has the region of its own %s', async (_, objects) => {
  const regions = ['aws', 'azure'].map(async (cloud) =>
    regionOfCluster(reader(objects), await diagnosisOf(cloud as CloudName).diagnosis()),
  );
  expect(await Promise.all(regions)).toEqual(['eu-central-1', 'westeurope']);
});

test.each([['karpenter'], ['chandler']])(
  'the controller is found by the label of the chart: %s',
  async (name) => {
    const list = async (resource: ResourceRef, { labels = {} }: { labels?: Record<string, string> }) => ({
      found:
        resource.plural === 'deployments' && labels['app.kubernetes.io/name'] === name
          ? controller('AWS_REGION', 'eu-west-3')
          : [],
    });
    const one = { list, get: async () => ({ why: 'notFound' }) } as unknown as ObjectReader;
    expect(await regionOfCluster(one, await diagnosisOf('aws').diagnosis())).toBe('eu-west-3');
  },
);
