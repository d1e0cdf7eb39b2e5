import type { AwsServer } from '@chandler/cloudsim/aws';
import { CLUSTER_GROUP_ID, NODE_GROUP_ID, VPC_ID } from '@chandler/cloudsim/aws/testing';
import type { Examples, ExampleTable } from './example.ts';
import { CLASS, tagGroups } from './live-network.table.ts';

const asItIs = () => {};
const TABLES = ['ec2:DescribeRouteTables', 'ec2:DescribeRouteTables', 'ec2:DescribeRouteTables'];
const PRIVATE = ['ec2', 'ecr.api', 'ecr.dkr', 's3', 'sts', 'ssm', 'eks'];

function isolate({ account }: AwsServer): void {
  for (const subnet of account.subnets.values()) subnet.routed = false;
}

/** S3 has an endpoint in the routes, the others one with addresses. */
function addEndpoints({ account }: AwsServer, services: readonly string[]): void {
  for (const service of services) {
    const isGateway = service === 's3';
    account.vpcEndpoints.set(`vpce-${service}`, {
      VpcEndpointId: `vpce-${service}`,
      VpcId: VPC_ID,
      ServiceName: `com.amazonaws.eu-west-1.${service}`,
      VpcEndpointType: isGateway ? 'Gateway' : 'Interface',
      State: 'Available',
      PrivateDnsEnabled: !isGateway,
      RouteTableIds: isGateway ? [...account.subnets.keys()].map((id) => id.replace('subnet-', 'rtb-')) : [],
      Groups: isGateway ? [] : [{ GroupId: CLUSTER_GROUP_ID }],
    });
  }
}

const reach = (status: 'fail' | 'warn'): Examples => ({
  fails: { status, files: CLASS, live: isolate, sources: ['class.yaml:7'] },
  passes: { files: CLASS, live: asItIs, sources: TABLES },
});

const transit = (aws: AwsServer) => {
  for (const subnet of aws.account.subnets.values()) subnet.gateway = 'transit';
};

export const LIVE_EGRESS_EXAMPLES: ExampleTable = {
  'S-52': reach('fail'),
  'S-53': reach('fail'),
  'S-54': reach('warn'),
  'S-55': reach('fail'),
  'S-56': {
    ...reach('fail'),
    passes: {
      files: CLASS,
      live: (aws) => {
        isolate(aws);
        addEndpoints(aws, ['ecr.api', 'ecr.dkr']);
      },
      sources: ['ec2:DescribeVpcEndpoints', 'ec2:DescribeVpcEndpoints'],
    },
  },
  'S-57': {
    ...reach('fail'),
    passes: {
      files: CLASS,
      live: (aws) => {
        isolate(aws);
        addEndpoints(aws, ['s3']);
      },
      sources: ['ec2:DescribeVpcEndpoints'],
    },
  },
  'S-58': {
    fails: {
      status: 'fail',
      files: CLASS,
      live: (aws) => {
        transit(aws);
        [...aws.account.subnets.values()][0]!.blackhole = true;
      },
      sources: ['ec2:DescribeRouteTables'],
    },
    passes: { files: CLASS, live: transit, sources: TABLES },
  },
  'K-05': {
    fails: {
      status: 'warn',
      files: CLASS,
      live: (aws) => tagGroups(aws, [NODE_GROUP_ID], { 'karpenter.sh/discovery': 'shop' }),
      sources: ['class.yaml:10', 'eks:DescribeCluster', 'ec2:DescribeSecurityGroups'],
    },
    passes: {
      files: CLASS,
      live: asItIs,
      sources: ['class.yaml:10', 'eks:DescribeCluster', 'ec2:DescribeSecurityGroups'],
    },
  },
  'K-65': {
    fails: {
      status: 'fail',
      files: CLASS,
      live: (aws) => {
        isolate(aws);
        addEndpoints(aws, PRIVATE.slice(1));
      },
      sources: ['class.yaml:7', ...PRIVATE.slice(1).map(() => 'ec2:DescribeVpcEndpoints')],
    },
    passes: {
      files: CLASS,
      live: (aws) => {
        isolate(aws);
        addEndpoints(aws, PRIVATE);
      },
      sources: ['class.yaml:7', ...PRIVATE.map(() => 'ec2:DescribeVpcEndpoints')],
    },
  },
};
