/**
 * Every action of every statement of Karpenter's policies for a controller: who is asked once it is missing, and what `why` must
 * say. A statement without an action of the policy, or an action without a row, fails the suite.
 */

export interface MissingRow {
  readonly sid: string;
  readonly action: string;
  /** What happens after the start, and whom `why` is asked about. */
  readonly scenario: ScenarioName;
  /** Cause: it explains why something does not work. Suspicious: everything else works. */
  readonly as: 'cause' | 'suspicious';
  /** What the denied resource contains. Default: the action has none. */
  readonly resource?: string;
  /** Part of `npm test`. */
  readonly quick?: true;
}

export type ScenarioName =
  /** A pod that needs a node; dry runs validate the class. */
  | 'pod'
  /** The same without dry runs: the launch itself is denied. */
  | 'podWithoutDryRun'
  /** A pod that runs: nothing but the background is denied. */
  | 'running'
  /** A NodeClaim of a running node is deleted. */
  | 'deleteClaim'
  /** The EC2NodeClass of a NodePool is deleted, after it was used. */
  | 'deleteClass'
  | 'changeTags'
  | 'reservation'
  | 'placementGroup'
  /** Somebody asks for a reboot of a running node. */
  | 'reboot'
  /** The controller ends. */
  | 'start'
  /** The same, with zonal shift enabled. */
  | 'startWithZonalShift';

/** Actions of statements that the simulated EC2 does not ask for, with the reason. */
export const NOT_ASKED_FOR: Readonly<Record<string, string>> = {
  'AllowScopedEC2InstanceAccessActions ec2:CreateFleet':
    'on images, subnets and security groups, launches are checked as ec2:RunInstances',
};

const rows = (
  sid: string,
  list: Readonly<Record<string, Omit<MissingRow, 'sid' | 'action'>>>,
): readonly MissingRow[] => Object.entries(list).map(([action, row]) => ({ sid, action, ...row }));

const DESCRIBED = { scenario: 'pod', as: 'cause' } as const;

export const MISSING: readonly MissingRow[] = [
  ...rows('AllowScopedEC2InstanceAccessActions', {
    'ec2:RunInstances': { scenario: 'pod', as: 'cause', resource: ':image/' },
  }),
  ...rows('AllowScopedEC2LaunchTemplateAccessActions', {
    'ec2:RunInstances': { scenario: 'pod', as: 'cause', resource: ':launch-template/' },
    'ec2:CreateFleet': { scenario: 'pod', as: 'cause', resource: ':launch-template/' },
  }),
  ...rows('AllowScopedEC2InstanceActionsWithTags', {
    'ec2:RunInstances': { scenario: 'pod', as: 'cause', resource: ':instance/' },
    'ec2:CreateFleet': { scenario: 'pod', as: 'cause', resource: ':fleet/' },
    'ec2:CreateLaunchTemplate': { scenario: 'pod', as: 'cause', resource: ':launch-template/' },
  }),
  ...rows('AllowScopedResourceCreationTagging', {
    'ec2:CreateTags': { scenario: 'podWithoutDryRun', as: 'cause', resource: ':launch-template/' },
  }),
  ...rows('AllowScopedResourceTagging', {
    'ec2:CreateTags': { scenario: 'running', as: 'suspicious', resource: ':instance/' },
  }),
  ...rows('AllowScopedDeletion', {
    'ec2:TerminateInstances': { scenario: 'deleteClaim', as: 'cause', resource: ':instance/', quick: true },
    'ec2:DeleteLaunchTemplate': {
      scenario: 'deleteClass',
      as: 'suspicious',
      resource: ':launch-template/',
    },
  }),
  ...rows('AllowPassingInstanceRole', {
    'iam:PassRole': { scenario: 'podWithoutDryRun', as: 'cause', resource: ':role/KarpenterNodeRole' },
  }),
  ...rows('AllowScopedInstanceProfileCreationActions', {
    'iam:CreateInstanceProfile': { scenario: 'pod', as: 'cause', resource: ':instance-profile/' },
  }),
  ...rows('AllowScopedInstanceProfileTagActions', {
    'iam:TagInstanceProfile': { scenario: 'changeTags', as: 'cause', resource: ':instance-profile/' },
  }),
  ...rows('AllowScopedInstanceProfileActions', {
    'iam:AddRoleToInstanceProfile': { scenario: 'pod', as: 'cause', resource: ':instance-profile/' },
    'iam:RemoveRoleFromInstanceProfile': {
      scenario: 'deleteClass',
      as: 'suspicious',
      resource: ':instance-profile/',
    },
    'iam:DeleteInstanceProfile': {
      scenario: 'deleteClass',
      as: 'suspicious',
      resource: ':instance-profile/',
    },
  }),
  ...rows('AllowAPIServerEndpointDiscovery', {
    'eks:DescribeCluster': { scenario: 'pod', as: 'cause', resource: ':cluster/playground' },
  }),
  ...rows('AllowInterruptionQueueActions', {
    'sqs:DeleteMessage': { scenario: 'running', as: 'suspicious', resource: ':playground' },
    'sqs:GetQueueUrl': { scenario: 'running', as: 'suspicious', resource: ':playground' },
    'sqs:ReceiveMessage': { scenario: 'running', as: 'suspicious', resource: ':playground', quick: true },
  }),
  ...rows('AllowZonalShiftStatusReadOnly', {
    'arc-zonal-shift:GetManagedResource': {
      scenario: 'startWithZonalShift',
      as: 'cause',
      resource: ':cluster/playground',
      quick: true,
    },
  }),
  ...rows('AllowRegionalReadActions', {
    'ec2:DescribeCapacityReservations': { scenario: 'reservation', as: 'cause' },
    'ec2:DescribeImages': DESCRIBED,
    'ec2:DescribeInstances': DESCRIBED,
    'ec2:DescribeInstanceStatus': { scenario: 'running', as: 'suspicious' },
    'ec2:DescribeInstanceTypeOfferings': { scenario: 'start', as: 'cause' },
    'ec2:DescribeInstanceTypes': { scenario: 'start', as: 'cause', quick: true },
    'ec2:DescribeLaunchTemplates': { scenario: 'deleteClass', as: 'suspicious' },
    'ec2:DescribePlacementGroups': { scenario: 'placementGroup', as: 'cause' },
    'ec2:DescribeSecurityGroups': DESCRIBED,
    'ec2:DescribeSpotPriceHistory': { scenario: 'running', as: 'suspicious' },
    'ec2:DescribeSubnets': DESCRIBED,
  }),
  ...rows('AllowSSMReadActions', {
    'ssm:GetParameter': { scenario: 'pod', as: 'cause', resource: ':parameter/aws/service/eks/' },
  }),
  ...rows('AllowPricingReadActions', {
    'pricing:GetProducts': { scenario: 'running', as: 'suspicious' },
  }),
  ...rows('AllowUnscopedInstanceProfileListAction', {
    'iam:ListInstanceProfiles': { scenario: 'deleteClass', as: 'suspicious' },
  }),
  ...rows('AllowInstanceProfileReadActions', {
    'iam:GetInstanceProfile': { scenario: 'pod', as: 'cause', resource: ':instance-profile/' },
  }),
];
