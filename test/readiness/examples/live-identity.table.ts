import type { AwsServer } from '@chandler/cloudsim/aws';
import { addKey } from '@chandler/cloudsim/aws/testing';
import { aNodePool, type ExampleTable } from './example.ts';
import { CLASS } from './live-network.table.ts';

const asItIs = () => {};
const SPOT_POOL = {
  'pool.yaml': aNodePool(
    '  template:\n    spec:\n      requirements:\n        - {key: karpenter.sh/capacity-type, operator: In, values: [spot]}',
  ),
};
const VALUES = { 'values.yaml': 'settings:\n  clusterName: shop\n  interruptionQueue: shop\n' };
const ZONAL_SHIFT = { 'values.yaml': 'settings:\n  clusterName: shop\n  enableZonalShift: true\n' };
const ASSOCIATION = 'eks:DescribePodIdentityAssociation';
const KEY = '1234abcd-12ab-34cd-56ef-1234567890ab';

function encryptQueue(aws: AwsServer, service: string): void {
  const { context, queue } = aws;
  queue.kmsKeyId = addKey(context, KEY).arn;
  context.account.keys.get(KEY)!.policy = {
    Statement: [
      {
        Effect: 'Allow',
        Principal: { Service: service },
        Action: ['kms:GenerateDataKey', 'kms:Decrypt'],
        Resource: '*',
      },
    ],
  };
}

export const LIVE_IDENTITY_EXAMPLES: ExampleTable = {
  'S-45': {
    fails: {
      status: 'fail',
      files: { ...VALUES, ...SPOT_POOL },
      live: ({ account }) => account.queues.clear(),
      sources: ['values.yaml:3', 'sqs:GetQueueUrl'],
    },
    passes: {
      files: { ...VALUES, ...SPOT_POOL },
      live: asItIs,
      sources: ['values.yaml:3', 'sqs:GetQueueAttributes'],
    },
  },
  'S-51': {
    fails: {
      status: 'fail',
      files: CLASS,
      live: ({ cluster }) => {
        cluster.authenticationMode = 'API';
        cluster.accessEntries.clear();
      },
      sources: ['eks:DescribeCluster', 'eks:DescribeAccessEntry'],
    },
    passes: { files: CLASS, live: asItIs, sources: ['eks:DescribeCluster', 'eks:DescribeAccessEntry'] },
  },
  'K-08': {
    fails: {
      status: 'fail',
      files: SPOT_POOL,
      live: ({ account }) => {
        account.spotServiceRole = false;
      },
      sources: ['pool.yaml:1', 'iam:GetRole'],
    },
    passes: { files: SPOT_POOL, live: asItIs, sources: ['pool.yaml:1', 'iam:GetRole'] },
  },
  'K-11': {
    fails: {
      status: 'fail',
      files: VALUES,
      live: ({ queue }) => {
        queue.policy = undefined;
      },
      sources: ['sqs:GetQueueAttributes'],
    },
    passes: { files: VALUES, live: asItIs, sources: ['sqs:GetQueueAttributes'] },
  },
  'K-12': {
    fails: {
      status: 'fail',
      files: VALUES,
      live: (aws) => encryptQueue(aws, 'sns.amazonaws.com'),
      sources: ['sqs:GetQueueAttributes', 'kms:GetKeyPolicy'],
    },
    passes: {
      files: VALUES,
      live: (aws) => encryptQueue(aws, 'events.amazonaws.com'),
      sources: ['sqs:GetQueueAttributes', 'kms:GetKeyPolicy'],
    },
  },
  'K-39': {
    fails: {
      status: 'fail',
      // Without the cluster it is not known whether a chart installed the agent.
      files: { 'cluster.yaml': 'apiVersion: v1\nkind: Node\nmetadata: {name: a}\n' },
      live: ({ cluster }) => {
        cluster.addons = ['vpc-cni'];
      },
      sources: [ASSOCIATION, 'eks:ListAddons'],
    },
    passes: { files: {}, live: asItIs, sources: [ASSOCIATION, 'eks:ListAddons'] },
  },
  'K-69': {
    fails: {
      status: 'warn',
      files: SPOT_POOL,
      live: ({ cluster }) => {
        cluster.autoMode = true;
      },
      sources: ['eks:DescribeCluster'],
    },
    passes: { files: SPOT_POOL, live: asItIs, sources: ['eks:DescribeCluster'] },
  },
  'K-79': {
    fails: {
      status: 'warn',
      files: SPOT_POOL,
      live: ({ cluster }) => {
        cluster.ipFamily = 'ipv6';
      },
      sources: ['eks:DescribeCluster', 'pool.yaml:8'],
    },
    passes: {
      files: {
        'pool.yaml': `${SPOT_POOL['pool.yaml']}        - {key: karpenter.k8s.aws/instance-hypervisor, operator: In, values: [nitro]}\n`,
      },
      live: ({ cluster }) => {
        cluster.ipFamily = 'ipv6';
      },
      sources: ['eks:DescribeCluster', 'pool.yaml:8'],
    },
  },
  'K-80': {
    fails: {
      status: 'fail',
      files: ZONAL_SHIFT,
      live: ({ cluster }) => {
        cluster.zonalShift = false;
      },
      sources: ['values.yaml:3', 'eks:DescribeCluster'],
    },
    passes: { files: ZONAL_SHIFT, live: asItIs, sources: ['values.yaml:3', 'eks:DescribeCluster'] },
  },
  'K-87': {
    fails: {
      status: 'warn',
      files: {},
      live: ({ cluster }) => {
        cluster.privateAccess = false;
        cluster.publicCidrs = ['203.0.113.0/24'];
      },
      sources: ['eks:DescribeCluster', 'eks:DescribeCluster'],
    },
    passes: { files: {}, live: asItIs, sources: ['eks:DescribeCluster'] },
  },
};
