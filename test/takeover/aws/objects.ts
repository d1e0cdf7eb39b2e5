/**
 * Objects as Karpenter's provider for AWS writes them, field by field. Hashes are numbers that Karpenter's own code has printed
 * for these objects; `npm run test:cluster` asks it again.
 */
import type { AwsServer } from '@chandler/cloudsim/aws';
import type { KubeObject } from '@chandler/kube';
import { type CloudTerms, conditions } from '../objects.ts';

export const CLASS_HASH = 'karpenter.k8s.aws/ec2nodeclass-hash';
export const PROFILE_NAME = 'karpenter.k8s.aws/instance-profile-name';

/** What Karpenter's credentials trust as the API server: in base64 it is part of the hash of a class. */
export const CLUSTER_CA = `-----BEGIN CERTIFICATE-----
MIIBiDCCAS+gAwIBAgIUXqZ+F5fpF7xSDrYmJJupIybZdU0wCgYIKoZIzj0EAwIw
GTEXMBUGA1UEAwwOdGVzdCBhdXRob3JpdHkwIBcNMjYxMTE1MDgzNjE5WhgPMjEy
NjEwMjIwODM2MTlaMBkxFzAVBgNVBAMMDnRlc3QgYXV0aG9yaXR5MFkwEwYHKoZI
zj0CAQYIKoZIzj0DAQcDQgAEHqRDxcXq0W9BfJU6vGk1E4D6rdbCUZHJmzZVL9ey
1jLXliaC3scscMw7w7ghsnKmLRGYlEP8B2lwyiH147CR1aNTMFEwHQYDVR0OBBYE
FFyt/s5HmZFS6PkEwGm3ujzCCcF5MB8GA1UdIwQYMBaAFFyt/s5HmZFS6PkEwGm3
ujzCCcF5MA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDRwAwRAIgOtFFnD1b
G1WvtsjzgGmKUbvDAl0LA6ncG7E70kBQtWMCICY1fCUUSPpupzvTxktPN8yRjilG
ZBthfSgjfcHzQEC/
-----END CERTIFICATE-----
`;

/** Of the objects below; v5 is what Karpenter 1.14.1 writes, v6 what follows it. */
export const RECORDED_HASHES = {
  pools: { general: '14214497850098889721', spot: '11149344026374124477' },
  /** With the label `team: other`. */
  changedPool: '13376007991302760440',
  nodeClass: { v5: '18436911443697391021', v6: '12139417132505512174' },
};

export const TERMS: CloudTerms = {
  nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
  classLabel: 'karpenter.k8s.aws/ec2nodeclass',
  requirement: { key: 'karpenter.k8s.aws/instance-family', operator: 'In', values: ['m5'] },
  instanceTypes: ['m5.xlarge', 'm5.2xlarge'],
};

const CLUSTER = 'playground';
export const ROLE = `KarpenterNodeRole-${CLUSTER}`;
const DISCOVERED = [{ tags: { 'karpenter.sh/discovery': CLUSTER } }];

export function nodeClass(): KubeObject {
  return {
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: { name: 'default', finalizers: ['karpenter.k8s.aws/termination'] },
    spec: {
      role: ROLE,
      amiSelectorTerms: [{ alias: 'al2023@latest' }],
      subnetSelectorTerms: DISCOVERED,
      securityGroupSelectorTerms: DISCOVERED,
      tags: { team: 'payments', 'cost/center': '42' },
      kubelet: { maxPods: 58, imageGCHighThresholdPercent: 85, imageGCLowThresholdPercent: 80 },
      blockDeviceMappings: [
        {
          deviceName: '/dev/xvda',
          rootVolume: true,
          ebs: { volumeSize: '100Gi', volumeType: 'gp3', encrypted: true, deleteOnTermination: true },
        },
      ],
      // As the API server fills them in.
      metadataOptions: {
        httpEndpoint: 'enabled',
        httpProtocolIPv6: 'disabled',
        httpPutResponseHopLimit: 1,
        httpTokens: 'required',
      },
    },
  };
}

/** Subnets with the most free addresses first, images with the newest first and their requirements by the length of the key. */
export function nodeClassStatus(server: AwsServer, instanceProfile: string, time: string): object {
  const { subnets, securityGroups } = server.account;
  const freeFirst = [...subnets.values()].sort(
    (one, other) => other.free - one.free || (one.id < other.id ? -1 : 1),
  );
  return {
    subnets: freeFirst.map((subnet) => ({
      id: subnet.id,
      zone: subnet.zone,
      zoneID: zoneId(server, subnet.zone),
    })),
    securityGroups: [...securityGroups.values()]
      .filter(({ Tags }) => Tags?.some(({ Key }) => Key === 'karpenter.sh/discovery'))
      .map(({ GroupId, GroupName }) => ({ id: GroupId, name: GroupName })),
    amis: amis(server),
    instanceProfile,
    conditions: conditions(time, [
      'AMIsReady',
      'CapacityReservationsReady',
      'InstanceProfileReady',
      'PlacementGroupReady',
      'SecurityGroupsReady',
      'SubnetsReady',
      'ValidationSucceeded',
      'Ready',
    ]),
  };
}

export function classAnnotations(version: 'v5' | 'v6' = 'v6'): Record<string, string> {
  return { [CLASS_HASH]: RECORDED_HASHES.nodeClass[version], [`${CLASS_HASH}-version`]: version };
}

/** What Karpenter puts on everything that a launch creates. */
export function launchTags(pool: string): Record<string, string> {
  return {
    [`kubernetes.io/cluster/${CLUSTER}`]: 'owned',
    'karpenter.sh/nodepool': pool,
    'eks:eks-cluster-name': CLUSTER,
    'karpenter.k8s.aws/ec2nodeclass': 'default',
    team: 'payments',
    'cost/center': '42',
  };
}

export function profileTags(region: string): Record<string, string> {
  const { 'karpenter.sh/nodepool': _, ...rest } = launchTags('');
  return { ...rest, 'topology.kubernetes.io/region': region };
}

/** The image of an ordinary instance type for x86. */
export function standardImage(server: AwsServer): string {
  return parameter(server, 'x86_64', 'standard');
}

export function zoneId({ settings }: AwsServer, zone: string): string {
  return settings.zones.find(({ name }) => name === zone)!.id;
}

// ---------------------------------------------------------------------------------------------------

const GPU = 'karpenter.k8s.aws/instance-gpu-count';
const ACCELERATOR = 'karpenter.k8s.aws/instance-accelerator-count';

const VARIANTS = {
  standard: [
    { key: GPU, operator: 'DoesNotExist' },
    { key: ACCELERATOR, operator: 'DoesNotExist' },
  ],
  nvidia: [{ key: GPU, operator: 'Exists' }],
  neuron: [{ key: ACCELERATOR, operator: 'Exists' }],
};

function amis(server: AwsServer): object[] {
  const rows = [
    ['x86_64', 'standard'],
    ['x86_64', 'nvidia'],
    ['x86_64', 'neuron'],
    ['arm64', 'standard'],
    ['arm64', 'nvidia'],
  ] as const;
  return (
    rows
      .map(([architecture, variant]) => ({
        id: parameter(server, architecture, variant),
        name: server.account.images.get(parameter(server, architecture, variant))!.Name,
        requirements: [
          {
            key: 'kubernetes.io/arch',
            operator: 'In',
            values: [architecture === 'x86_64' ? 'amd64' : 'arm64'],
          },
          ...VARIANTS[variant],
        ],
      }))
      // All of one day.
      .sort((one, other) => (one.id < other.id ? -1 : 1))
  );
}

function parameter({ account, settings }: AwsServer, architecture: string, variant: string): string {
  const folder = `/aws/service/eks/optimized-ami/${settings.kubernetesMinor}/amazon-linux-2023`;
  return account.parameters.get(`${folder}/${architecture}/${variant}/recommended/image_id`)!.value;
}
