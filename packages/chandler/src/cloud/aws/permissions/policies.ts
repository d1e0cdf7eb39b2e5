/**
 * The IAM policies that Karpenter's templates do not have: what the controller needs beyond them, and what a person needs who asks
 * `why` about nodes of EKS. docs/iam.md prints them.
 */
import { PERMISSION_USES } from './uses.table.ts';

export interface PolicyPlace {
  readonly partition: string;
  readonly region: string;
  readonly accountId: string;
  readonly clusterName: string;
}

export interface IamPolicy {
  readonly Version: '2012-10-17';
  readonly Statement: readonly IamPolicyStatement[];
}

export interface IamPolicyStatement {
  readonly Sid: string;
  readonly Effect: 'Allow';
  readonly Action: string | readonly string[];
  readonly Resource: string;
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** Beside Karpenter's policies. */
export function ownPolicy({ partition, region, clusterName }: PolicyPlace): IamPolicy {
  return policy([
    {
      Sid: 'AllowScopedReboot',
      Effect: 'Allow',
      Action: 'ec2:RebootInstances',
      Resource: `arn:${partition}:ec2:${region}:*:instance/*`,
      Condition: {
        StringEquals: { [`aws:ResourceTag/kubernetes.io/cluster/${clusterName}`]: 'owned' },
        StringLike: { 'aws:ResourceTag/karpenter.sh/nodepool': '*' },
      },
    },
  ]);
}

/** Of the person, or of the role, whose credentials `why` and `dump` use. */
export function whyPolicy({ partition, region, accountId, clusterName }: PolicyPlace): IamPolicy {
  const cluster = `arn:${partition}:eks:${region}:${accountId}`;
  return policy([
    {
      Sid: 'AllowReadingInstances',
      Effect: 'Allow',
      Action: Object.keys(PERMISSION_USES).filter(
        (action) => action.startsWith('ec2:') && PERMISSION_USES[action]!.by.includes('why'),
      ),
      Resource: '*',
      Condition: { StringEquals: { 'aws:RequestedRegion': region } },
    },
    {
      Sid: 'AllowReadingCluster',
      Effect: 'Allow',
      Action: 'eks:DescribeCluster',
      Resource: `${cluster}:cluster/${clusterName}`,
    },
    {
      Sid: 'AllowReadingAccessEntries',
      Effect: 'Allow',
      Action: 'eks:DescribeAccessEntry',
      Resource: `${cluster}:access-entry/${clusterName}/*`,
    },
    {
      Sid: 'AllowReadingInstanceProfiles',
      Effect: 'Allow',
      Action: 'iam:GetInstanceProfile',
      Resource: `arn:${partition}:iam::${accountId}:instance-profile/*`,
    },
  ]);
}

// ---------------------------------------------------------------------------------------------------------------

function policy(Statement: readonly IamPolicyStatement[]): IamPolicy {
  return { Version: '2012-10-17', Statement };
}
