/**
 * The policy of a controller of nodes, with the statements that Karpenter's CloudFormation template documents, so that a
 * test can take one action away at a time. An account has it only when somebody attaches it.
 */
import type { PolicyDocument, PolicyStatement } from './policy.ts';

export interface ControllerPolicyOptions {
  readonly partition: string;
  readonly region: string;
  readonly accountId: string;
  readonly clusterName: string;
  /** Role of the nodes. */
  readonly nodeRoleArn: string;
  readonly queueArn: string;
}

export function controllerPolicy(options: ControllerPolicyOptions): PolicyDocument {
  return {
    Version: '2012-10-17',
    Statement: [
      ...nodeLifecycle(options),
      ...iamIntegration(options),
      {
        Sid: 'AllowAPIServerEndpointDiscovery',
        Effect: 'Allow',
        Action: 'eks:DescribeCluster',
        Resource: clusterArn(options),
      },
      {
        Sid: 'AllowInterruptionQueueActions',
        Effect: 'Allow',
        Action: ['sqs:DeleteMessage', 'sqs:GetQueueUrl', 'sqs:ReceiveMessage'],
        Resource: options.queueArn,
      },
      {
        Sid: 'AllowZonalShiftStatusReadOnly',
        Effect: 'Allow',
        Action: 'arc-zonal-shift:GetManagedResource',
        Resource: '*',
        Condition: { StringEquals: { 'arc-zonal-shift:ResourceIdentifier': clusterArn(options) } },
      },
      ...resourceDiscovery(options),
    ],
  };
}

/** The policy without one action; a statement that loses its only action is left out. */
export function withoutAction(policy: PolicyDocument, action: string): PolicyDocument {
  const Statement = policy.Statement.flatMap((statement) => {
    const actions = [statement.Action ?? []].flat();
    const left = actions.filter((each) => each !== action);
    return left.length === 0 ? [] : [{ ...statement, Action: left }];
  });
  return { ...policy, Statement };
}

// ---------------------------------------------------------------------------------------------------

const NODEPOOL = 'karpenter.sh/nodepool';
const NODECLASS = 'karpenter.k8s.aws/ec2nodeclass';
const REGION = 'topology.kubernetes.io/region';

function nodeLifecycle({
  partition,
  region,
  clusterName,
}: ControllerPolicyOptions): readonly PolicyStatement[] {
  const anywhere = (...types: string[]) => types.map((type) => `arn:${partition}:ec2:${region}:*:${type}/*`);
  const created = anywhere(
    'fleet',
    'instance',
    'volume',
    'network-interface',
    'launch-template',
    'spot-instances-request',
  );
  const owned = `kubernetes.io/cluster/${clusterName}`;
  const requested = {
    StringEquals: {
      [`aws:RequestTag/${owned}`]: 'owned',
      'aws:RequestTag/eks:eks-cluster-name': clusterName,
    },
    StringLike: { [`aws:RequestTag/${NODEPOOL}`]: '*' },
  };
  const existing = {
    StringEquals: { [`aws:ResourceTag/${owned}`]: 'owned' },
    StringLike: { [`aws:ResourceTag/${NODEPOOL}`]: '*' },
  };
  return [
    {
      Sid: 'AllowScopedEC2InstanceAccessActions',
      Effect: 'Allow',
      Action: ['ec2:RunInstances', 'ec2:CreateFleet'],
      Resource: [
        `arn:${partition}:ec2:${region}::image/*`,
        `arn:${partition}:ec2:${region}::snapshot/*`,
        ...anywhere('security-group', 'subnet', 'capacity-reservation', 'placement-group'),
      ],
    },
    {
      Sid: 'AllowScopedEC2LaunchTemplateAccessActions',
      Effect: 'Allow',
      Action: ['ec2:RunInstances', 'ec2:CreateFleet'],
      Resource: anywhere('launch-template'),
      Condition: existing,
    },
    {
      Sid: 'AllowScopedEC2InstanceActionsWithTags',
      Effect: 'Allow',
      Action: ['ec2:RunInstances', 'ec2:CreateFleet', 'ec2:CreateLaunchTemplate'],
      Resource: created,
      Condition: requested,
    },
    {
      Sid: 'AllowScopedResourceCreationTagging',
      Effect: 'Allow',
      Action: 'ec2:CreateTags',
      Resource: created,
      Condition: {
        StringEquals: {
          ...requested.StringEquals,
          'ec2:CreateAction': ['RunInstances', 'CreateFleet', 'CreateLaunchTemplate'],
        },
        StringLike: requested.StringLike,
      },
    },
    {
      Sid: 'AllowScopedResourceTagging',
      Effect: 'Allow',
      Action: 'ec2:CreateTags',
      Resource: anywhere('instance'),
      Condition: {
        ...existing,
        StringEqualsIfExists: { 'aws:RequestTag/eks:eks-cluster-name': clusterName },
        'ForAllValues:StringEquals': {
          'aws:TagKeys': ['eks:eks-cluster-name', 'karpenter.sh/nodeclaim', 'Name'],
        },
      },
    },
    {
      Sid: 'AllowScopedDeletion',
      Effect: 'Allow',
      Action: ['ec2:TerminateInstances', 'ec2:DeleteLaunchTemplate'],
      Resource: anywhere('instance', 'launch-template'),
      Condition: existing,
    },
  ];
}

function iamIntegration(options: ControllerPolicyOptions): readonly PolicyStatement[] {
  const { partition, region, accountId, clusterName, nodeRoleArn } = options;
  const profiles = `arn:${partition}:iam::${accountId}:instance-profile/*`;
  const owned = `kubernetes.io/cluster/${clusterName}`;
  const requested = {
    [`aws:RequestTag/${owned}`]: 'owned',
    'aws:RequestTag/eks:eks-cluster-name': clusterName,
    [`aws:RequestTag/${REGION}`]: region,
  };
  const existing = { [`aws:ResourceTag/${owned}`]: 'owned', [`aws:ResourceTag/${REGION}`]: region };
  return [
    {
      Sid: 'AllowPassingInstanceRole',
      Effect: 'Allow',
      Action: 'iam:PassRole',
      Resource: nodeRoleArn,
      Condition: { StringEquals: { 'iam:PassedToService': ['ec2.amazonaws.com', 'ec2.amazonaws.com.cn'] } },
    },
    {
      Sid: 'AllowScopedInstanceProfileCreationActions',
      Effect: 'Allow',
      Action: 'iam:CreateInstanceProfile',
      Resource: profiles,
      Condition: { StringEquals: requested, StringLike: { [`aws:RequestTag/${NODECLASS}`]: '*' } },
    },
    {
      Sid: 'AllowScopedInstanceProfileTagActions',
      Effect: 'Allow',
      Action: 'iam:TagInstanceProfile',
      Resource: profiles,
      Condition: {
        StringEquals: { ...existing, ...requested },
        StringLike: { [`aws:ResourceTag/${NODECLASS}`]: '*', [`aws:RequestTag/${NODECLASS}`]: '*' },
      },
    },
    {
      Sid: 'AllowScopedInstanceProfileActions',
      Effect: 'Allow',
      Action: [
        'iam:AddRoleToInstanceProfile',
        'iam:RemoveRoleFromInstanceProfile',
        'iam:DeleteInstanceProfile',
      ],
      Resource: profiles,
      Condition: { StringEquals: existing, StringLike: { [`aws:ResourceTag/${NODECLASS}`]: '*' } },
    },
  ];
}

function resourceDiscovery({
  partition,
  region,
  accountId,
}: ControllerPolicyOptions): readonly PolicyStatement[] {
  const kinds = [
    'CapacityReservations',
    'Images',
    'Instances',
    'InstanceStatus',
    'InstanceTypeOfferings',
    'InstanceTypes',
    'LaunchTemplates',
    'PlacementGroups',
    'SecurityGroups',
    'SpotPriceHistory',
    'Subnets',
  ];
  return [
    {
      Sid: 'AllowRegionalReadActions',
      Effect: 'Allow',
      Action: kinds.map((kind) => `ec2:Describe${kind}`),
      Resource: '*',
      Condition: { StringEquals: { 'aws:RequestedRegion': region } },
    },
    {
      Sid: 'AllowSSMReadActions',
      Effect: 'Allow',
      Action: 'ssm:GetParameter',
      Resource: `arn:${partition}:ssm:${region}::parameter/aws/service/*`,
    },
    { Sid: 'AllowPricingReadActions', Effect: 'Allow', Action: 'pricing:GetProducts', Resource: '*' },
    {
      Sid: 'AllowUnscopedInstanceProfileListAction',
      Effect: 'Allow',
      Action: 'iam:ListInstanceProfiles',
      Resource: '*',
    },
    {
      Sid: 'AllowInstanceProfileReadActions',
      Effect: 'Allow',
      Action: 'iam:GetInstanceProfile',
      Resource: `arn:${partition}:iam::${accountId}:instance-profile/*`,
    },
  ];
}

function clusterArn({ partition, region, accountId, clusterName }: ControllerPolicyOptions): string {
  return `arn:${partition}:eks:${region}:${accountId}:cluster/${clusterName}`;
}
