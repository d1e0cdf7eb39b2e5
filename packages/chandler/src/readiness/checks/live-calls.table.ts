/**
 * Which calls of the live account each check is judged from, by id. With `--live-aws`, a check of which one has no answer is skipped, and says
 * which. Checks that are not here are judged from files, and what is live is further evidence for them.
 */
import type { CheckAction } from '../../cloud/aws/account.ts';

const POLICIES = [
  'iam:ListAttachedRolePolicies',
  'iam:GetPolicy',
  'iam:GetPolicyVersion',
  'iam:ListRolePolicies',
  'iam:GetRolePolicy',
] as const;
const NODE_ROLE = ['iam:GetInstanceProfile', 'iam:GetRole'] as const;
const NODE_POLICIES = [...NODE_ROLE, 'iam:ListAttachedRolePolicies'] as const;
const ASSOCIATION = ['eks:ListPodIdentityAssociations', 'eks:DescribePodIdentityAssociation'] as const;
const QUEUE = ['sqs:GetQueueUrl', 'sqs:GetQueueAttributes'] as const;
const SUBNETS = ['ec2:DescribeSubnets'] as const;
const GROUPS = ['ec2:DescribeSecurityGroups'] as const;
const EGRESS = [...SUBNETS, ...GROUPS, 'ec2:DescribeRouteTables', 'ec2:DescribeVpcEndpoints'] as const;

export const LIVE_CALLS: Readonly<Record<string, readonly CheckAction[]>> = {
  'S-01': ['eks:DescribeCluster'],
  'S-02': ['iam:GetInstanceProfile'],
  'S-03': ['iam:GetInstanceProfile'],
  'S-04': ['iam:GetInstanceProfile'],
  'S-05': ['iam:GetRole'],
  'S-06': ['iam:GetRole'],
  'S-07': SUBNETS,
  'S-08': SUBNETS,
  'S-09': GROUPS,
  'S-11': ['eks:DescribeCluster'],
  'S-15': ['eks:DescribeCluster', 'iam:ListOpenIDConnectProviders', ...ASSOCIATION],
  'S-18': ['eks:DescribeCluster'],
  'S-20': ASSOCIATION,
  'S-33': ['ec2:DescribeImages'],
  'S-34': ['eks:DescribeCluster'],
  'S-37': ['ec2:GetEbsEncryptionByDefault'],
  'S-38': ['kms:DescribeKey'],
  'S-45': ['sqs:GetQueueUrl'],
  'S-46': NODE_POLICIES,
  'S-47': NODE_POLICIES,
  'S-48': NODE_POLICIES,
  'S-49': POLICIES,
  'S-50': POLICIES,
  'S-51': [...NODE_ROLE, 'eks:DescribeCluster', 'eks:DescribeAccessEntry'],
  'S-52': EGRESS,
  'S-53': EGRESS,
  'S-54': EGRESS,
  'S-55': EGRESS,
  'S-56': EGRESS,
  'S-57': EGRESS,
  'S-58': [...SUBNETS, 'ec2:DescribeRouteTables'],
  'S-59': ['eks:DescribeCluster', 'ssm:GetParameter', 'ec2:DescribeImages'],
  'K-01': SUBNETS,
  'K-02': [...SUBNETS, 'ec2:DescribeRouteTables'],
  'K-03': GROUPS,
  'K-04': [...SUBNETS, ...GROUPS],
  'K-05': [...GROUPS, 'eks:DescribeCluster'],
  'K-06': SUBNETS,
  'K-08': ['iam:GetRole'],
  'K-09': ['sqs:GetQueueUrl'],
  'K-10': [...QUEUE, 'events:ListRuleNamesByTarget', 'events:DescribeRule'],
  'K-11': QUEUE,
  'K-12': [...QUEUE, 'kms:DescribeKey', 'kms:GetKeyPolicy'],
  'K-29': ['eks:DescribeCluster', 'ssm:GetParameter'],
  'K-30': ['ec2:DescribeImages'],
  'K-32': ['ssm:GetParameter', 'ec2:DescribeImages'],
  'K-33': ['kms:DescribeKey', 'kms:GetKeyPolicy', 'iam:GetRole', ...ASSOCIATION, ...POLICIES],
  'K-34': [...NODE_ROLE, 'eks:DescribeCluster', 'eks:DescribeAccessEntry'],
  'K-37': ['eks:DescribeCluster', 'iam:GetRole', ...ASSOCIATION],
  'K-38': ASSOCIATION,
  'K-39': ['eks:DescribeCluster', 'eks:ListAddons', ...ASSOCIATION],
  'K-40': POLICIES,
  'K-41': POLICIES,
  'K-42': ['iam:GetRole', ...ASSOCIATION, ...POLICIES],
  'K-47': ['eks:ListAddons'],
  'K-51': ['eks:DescribeCluster'],
  'K-65': EGRESS,
  'K-66': [...SUBNETS, 'ec2:DescribeRouteTables'],
  'K-69': ['eks:DescribeCluster'],
  'K-70': ['ec2:DescribeCapacityReservations'],
  'K-71': ['servicequotas:GetServiceQuota'],
  'K-75': [...SUBNETS, ...GROUPS],
  'K-78': ['eks:DescribeCluster', 'eks:DescribeAccessEntry'],
  'K-79': ['eks:DescribeCluster'],
  'K-80': ['eks:DescribeCluster'],
  'K-85': NODE_POLICIES,
  'K-86': NODE_POLICIES,
  'K-87': ['eks:DescribeCluster'],
};
