import type { AwsServer } from '@chandler/cloudsim/aws';
import { CLUSTER_GROUP_ID, NODE_GROUP_ID, subnetIdOf } from '@chandler/cloudsim/aws/testing';
import { aNodeClass, type ExampleTable } from './example.ts';

const DISCOVERY = 'karpenter.sh/discovery';

/** Selectors are in lines 7 and 10. */
export const CLASS = {
  'class.yaml': aNodeClass(
    `  role: KarpenterNodeRole-shop
  subnetSelectorTerms:
    - tags:
        ${DISCOVERY}: shop
  securityGroupSelectorTerms:
    - tags:
        ${DISCOVERY}: shop`,
  ),
};

const asItIs = () => {};
const subnetCalls = (count: number) => Array.from({ length: count }, () => 'ec2:DescribeSubnets');

function untag(aws: AwsServer, ...zones: readonly number[]): void {
  for (const zone of zones) {
    const subnet = aws.account.subnets.get(subnetIdOf(zone))!.shown();
    aws.account.addSubnet({ ...subnet, SubnetId: subnet.SubnetId!, CidrBlock: subnet.CidrBlock!, Tags: [] });
  }
}

export function tagGroups(
  aws: AwsServer,
  ids: readonly string[],
  tags: Readonly<Record<string, string>>,
): void {
  for (const [id, group] of aws.account.securityGroups)
    aws.account.securityGroups.set(id, {
      ...group,
      Tags: ids.includes(id) ? Object.entries(tags).map(([Key, Value]) => ({ Key, Value })) : [],
    });
}

export const LIVE_NETWORK_EXAMPLES: ExampleTable = {
  'S-08': {
    fails: {
      status: 'fail',
      files: CLASS,
      live: (aws) => untag(aws, 2),
      sources: ['class.yaml:7', ...subnetCalls(2)],
    },
    passes: { files: CLASS, live: asItIs, sources: ['class.yaml:7', ...subnetCalls(3)] },
  },
  'K-01': {
    fails: {
      status: 'warn',
      files: CLASS,
      live: (aws) => untag(aws, 1, 2),
      sources: ['class.yaml:7', ...subnetCalls(1)],
    },
    passes: { files: CLASS, live: asItIs, sources: ['class.yaml:7', ...subnetCalls(3)] },
  },
  'K-02': {
    fails: {
      status: 'warn',
      files: CLASS,
      live: (aws) => {
        aws.account.subnets.get(subnetIdOf(1))!.gateway = 'internet';
      },
      sources: ['class.yaml:7', 'ec2:DescribeSubnets', 'ec2:DescribeRouteTables'],
    },
    passes: {
      files: CLASS,
      live: asItIs,
      sources: ['class.yaml:7', ...subnetCalls(3).flatMap((call) => [call, 'ec2:DescribeRouteTables'])],
    },
  },
  'K-03': {
    fails: {
      status: 'fail',
      files: CLASS,
      live: (aws) =>
        tagGroups(aws, [CLUSTER_GROUP_ID, NODE_GROUP_ID], {
          [DISCOVERY]: 'shop',
          'kubernetes.io/cluster/shop': 'owned',
        }),
      sources: ['class.yaml:10', 'ec2:DescribeSecurityGroups', 'ec2:DescribeSecurityGroups'],
    },
    passes: { files: CLASS, live: asItIs, sources: ['class.yaml:10', 'ec2:DescribeSecurityGroups'] },
  },
  'K-04': {
    fails: {
      status: 'fail',
      files: CLASS,
      live: (aws) => tagGroups(aws, [], {}),
      sources: ['class.yaml:7', 'class.yaml:10', 'eks:DescribeCluster', ...subnetCalls(3)],
    },
    passes: {
      files: CLASS,
      live: asItIs,
      sources: ['class.yaml:7', 'class.yaml:10', ...subnetCalls(3), 'ec2:DescribeSecurityGroups'],
    },
  },
  'K-06': {
    fails: {
      status: 'fail',
      files: CLASS,
      live: ({ account }) => {
        for (const subnet of account.subnets.values()) subnet.occupied = 10_000;
      },
      sources: ['class.yaml:7', ...subnetCalls(3)],
    },
    passes: { files: CLASS, live: asItIs, sources: ['class.yaml:7', ...subnetCalls(3)] },
  },
};
