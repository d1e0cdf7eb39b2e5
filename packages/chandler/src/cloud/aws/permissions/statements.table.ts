/**
 * The IAM policy that the controller needs, statement by statement, with the names of Karpenter's CloudFormation template of
 * v1.14, and what Chandler needs beyond it: which statement allows an action on a type of resource. docs/iam.md is made from
 * it. Our own table, 2026-11.
 */

export interface IamStatement {
  readonly sid: string;
  /**
   * The part of the policy's name between `KarpenterController` and `Policy`. `own`: only Chandler needs it, and docs/iam.md has
   * it; `account`: it depends on the account, and no template has it.
   */
  readonly policy: KarpenterPolicy | 'own' | 'account';
  readonly actions: readonly string[];
  /** Types in the ARN of the resource: `subnet`. Undefined: any. */
  readonly resources?: readonly string[];
  /** What else must hold, as a sentence. */
  readonly condition?: string;
}

export type KarpenterPolicy =
  | 'NodeLifecycle'
  | 'IAMIntegration'
  | 'EKSIntegration'
  | 'Interruption'
  | 'ZonalShift'
  | 'ResourceDiscovery';

const CREATED = [
  'fleet',
  'instance',
  'volume',
  'network-interface',
  'launch-template',
  'spot-instances-request',
];
const OWNED =
  'The tag kubernetes.io/cluster/{cluster}=owned and any karpenter.sh/nodepool must be on the resource.';
const REQUESTED =
  'The tags kubernetes.io/cluster/{cluster}=owned, eks:eks-cluster-name={cluster} and karpenter.sh/nodepool must be in the request.';

export const IAM_STATEMENTS: readonly IamStatement[] = [
  {
    sid: 'AllowScopedEC2InstanceAccessActions',
    policy: 'NodeLifecycle',
    actions: ['ec2:RunInstances', 'ec2:CreateFleet'],
    resources: ['image', 'snapshot', 'security-group', 'subnet', 'capacity-reservation', 'placement-group'],
  },
  {
    sid: 'AllowScopedEC2LaunchTemplateAccessActions',
    policy: 'NodeLifecycle',
    actions: ['ec2:RunInstances', 'ec2:CreateFleet'],
    resources: ['launch-template'],
    condition: OWNED,
  },
  {
    sid: 'AllowScopedEC2InstanceActionsWithTags',
    policy: 'NodeLifecycle',
    actions: ['ec2:RunInstances', 'ec2:CreateFleet', 'ec2:CreateLaunchTemplate'],
    resources: CREATED,
    condition: REQUESTED,
  },
  {
    sid: 'AllowScopedResourceTagging',
    policy: 'NodeLifecycle',
    actions: ['ec2:CreateTags'],
    resources: ['instance'],
    condition: 'Only the tags eks:eks-cluster-name, karpenter.sh/nodeclaim and Name may be added later.',
  },
  {
    sid: 'AllowScopedResourceCreationTagging',
    policy: 'NodeLifecycle',
    actions: ['ec2:CreateTags'],
    resources: CREATED,
    condition: REQUESTED,
  },
  {
    sid: 'AllowScopedDeletion',
    policy: 'NodeLifecycle',
    actions: ['ec2:TerminateInstances', 'ec2:DeleteLaunchTemplate'],
    condition: OWNED,
  },
  {
    sid: 'AllowPassingInstanceRole',
    policy: 'IAMIntegration',
    actions: ['iam:PassRole'],
    condition: 'The resource is the ARN of the node role, and iam:PassedToService is ec2.amazonaws.com.',
  },
  {
    sid: 'AllowScopedInstanceProfileCreationActions',
    policy: 'IAMIntegration',
    actions: ['iam:CreateInstanceProfile'],
    condition: REQUESTED,
  },
  {
    sid: 'AllowScopedInstanceProfileTagActions',
    policy: 'IAMIntegration',
    actions: ['iam:TagInstanceProfile'],
    condition: OWNED,
  },
  {
    sid: 'AllowScopedInstanceProfileActions',
    policy: 'IAMIntegration',
    actions: [
      'iam:AddRoleToInstanceProfile',
      'iam:RemoveRoleFromInstanceProfile',
      'iam:DeleteInstanceProfile',
    ],
    condition: OWNED,
  },
  {
    sid: 'AllowAPIServerEndpointDiscovery',
    policy: 'EKSIntegration',
    actions: ['eks:DescribeCluster'],
  },
  {
    sid: 'AllowInterruptionQueueActions',
    policy: 'Interruption',
    actions: ['sqs:DeleteMessage', 'sqs:GetQueueUrl', 'sqs:ReceiveMessage'],
  },
  {
    sid: 'AllowZonalShiftStatusReadOnly',
    policy: 'ZonalShift',
    actions: ['arc-zonal-shift:GetManagedResource'],
    condition: 'arc-zonal-shift:ResourceIdentifier must be the ARN of the cluster.',
  },
  {
    sid: 'AllowRegionalReadActions',
    policy: 'ResourceDiscovery',
    actions: [
      'ec2:DescribeCapacityReservations',
      'ec2:DescribeImages',
      'ec2:DescribeInstances',
      'ec2:DescribeInstanceStatus',
      'ec2:DescribeInstanceTypeOfferings',
      'ec2:DescribeInstanceTypes',
      'ec2:DescribeLaunchTemplates',
      'ec2:DescribePlacementGroups',
      'ec2:DescribeSecurityGroups',
      'ec2:DescribeSpotPriceHistory',
      'ec2:DescribeSubnets',
    ],
    condition: 'aws:RequestedRegion must be the region of the cluster.',
  },
  {
    sid: 'AllowSSMReadActions',
    policy: 'ResourceDiscovery',
    actions: ['ssm:GetParameter'],
    condition: 'Karpenter allows parameters under /aws/service/ only; a parameter of your own needs its ARN.',
  },
  { sid: 'AllowPricingReadActions', policy: 'ResourceDiscovery', actions: ['pricing:GetProducts'] },
  {
    sid: 'AllowUnscopedInstanceProfileListAction',
    policy: 'ResourceDiscovery',
    actions: ['iam:ListInstanceProfiles'],
    condition: 'It is needed since Karpenter 1.7.',
  },
  {
    sid: 'AllowInstanceProfileReadActions',
    policy: 'ResourceDiscovery',
    actions: ['iam:GetInstanceProfile'],
  },
  {
    sid: 'AllowScopedReboot',
    policy: 'own',
    actions: ['ec2:RebootInstances'],
    condition: OWNED,
  },
  {
    sid: 'AllowCreatingSpotServiceLinkedRole',
    policy: 'account',
    actions: ['iam:CreateServiceLinkedRole'],
    condition:
      'Better create the role once: aws iam create-service-linked-role --aws-service-name spot.amazonaws.com.',
  },
  {
    sid: 'AllowUseOfVolumeKey',
    policy: 'account',
    actions: [
      'kms:CreateGrant',
      'kms:Decrypt',
      'kms:DescribeKey',
      'kms:Encrypt',
      'kms:GenerateDataKeyWithoutPlaintext',
      'kms:ReEncryptFrom',
      'kms:ReEncryptTo',
    ],
    condition:
      'The key policy must allow it as well, for the service ec2.{region}.amazonaws.com (kms:ViaService).',
  },
];

/** Of Karpenter's policies, all of them. */
export const KARPENTER_STATEMENTS: readonly IamStatement[] = IAM_STATEMENTS.filter(
  ({ policy }) => policy !== 'own' && policy !== 'account',
);

/** The statement that should allow the action on the resource; undefined for an action that the controller does not need. */
export function statementFor(action: string, resource: string | undefined): IamStatement | undefined {
  const rows = IAM_STATEMENTS.filter(({ actions }) => actions.includes(action));
  const type = typeInArn(resource ?? '');
  return rows.find(({ resources }) => resources === undefined || resources.includes(type)) ?? rows[0];
}

// ---------------------------------------------------------------------------------------------------------------

/** `subnet` of `arn:aws:ec2:eu-west-1:123456789012:subnet/subnet-1`. */
function typeInArn(arn: string): string {
  return /^arn:[\w-]+:[\w-]+:[\w-]*:\d*:([\w-]+)/.exec(arn)?.[1] ?? '';
}
