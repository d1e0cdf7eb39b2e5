/**
 * What each permission is for, and what happens without it. The controller has those of its statements (`statements.table.ts`);
 * `why` has those of the person who asks. A call that is not here fails a test.
 */
export interface PermissionUse {
  /** Who calls it. */
  readonly by: readonly ('controller' | 'why')[];
  /** Completes "It is needed to …". */
  readonly to: string;
  /** A clause: `no node is launched`. */
  readonly without: string;
}

const NO_LAUNCH = 'no node is launched';
const CLASS_STAYS = 'an EC2NodeClass cannot be deleted';
const UNKNOWN = 'this is not part of the answer';

const controller = (to: string, without: string): PermissionUse => ({ by: ['controller'], to, without });
const both = (to: string, without: string): PermissionUse => ({ by: ['controller', 'why'], to, without });
const why = (to: string): PermissionUse => ({ by: ['why'], to, without: UNKNOWN });
const NOT_READY = 'the EC2NodeClass does not become ready';
const classNotReady = (what: string) => `an EC2NodeClass ${what} does not become ready`;

export const PERMISSION_USES: Readonly<Record<string, PermissionUse>> = {
  'arc-zonal-shift:GetManagedResource': controller(
    'read from which zones the cluster is shifted away, if ENABLE_ZONAL_SHIFT is true',
    'the controller does not start with ENABLE_ZONAL_SHIFT=true; if it is taken away later, new shifts are not seen',
  ),
  'ec2:CreateFleet': controller('launch instances', NO_LAUNCH),
  'ec2:CreateLaunchTemplate': controller('create the launch templates of launches', NO_LAUNCH),
  'ec2:CreateTags': controller(
    'tag what is created, and add the name of the node to its instance',
    `${NO_LAUNCH}; if it is missing only in AllowScopedResourceTagging, instances are not tagged with Name`,
  ),
  'ec2:DeleteLaunchTemplate': controller(
    'delete launch templates that are no longer used',
    `unused launch templates stay, and ${CLASS_STAYS}`,
  ),
  'ec2:DescribeCapacityReservations': both(
    'read the reservations of capacityReservationSelectorTerms',
    classNotReady('with such terms'),
  ),
  'ec2:DescribeImages': controller('read AMIs', NOT_READY),
  'ec2:DescribeInstances': both('read instances', 'no launch is confirmed, and no node becomes ready'),
  'ec2:DescribeInstanceStatus': both(
    'find instances with failed status checks and scheduled maintenance',
    'such instances are not replaced',
  ),
  'ec2:DescribeInstanceTypeOfferings': controller(
    'find out which instance types each zone has',
    'the controller does not start',
  ),
  'ec2:DescribeInstanceTypes': controller('read instance types', 'the controller does not start'),
  'ec2:DescribeLaunchTemplates': controller(
    'find launch templates that are no longer used',
    `unused launch templates stay, and ${CLASS_STAYS}`,
  ),
  'ec2:DescribePlacementGroups': controller(
    'read the placement group of placementGroupSelector',
    classNotReady('with this field'),
  ),
  'ec2:DescribeRouteTables': why('see whether the subnet of an instance has a route to the endpoint'),
  'ec2:DescribeSecurityGroups': both('read security groups', NOT_READY),
  'ec2:DescribeSpotPriceHistory': controller('read spot prices', 'spot prices are built-in estimates'),
  'ec2:DescribeSubnets': both('read subnets and their free addresses', NOT_READY),
  'ec2:GetConsoleOutput': why('read what a system that does not join wrote to its console'),
  'ec2:RebootInstances': controller(
    'reboot the node of a NodeClaim with the condition Rebooting; no repair policy for AWS sets it',
    'such a node is replaced after five minutes',
  ),
  'ec2:RunInstances': controller(
    'launch instances with CreateFleet, and validate an EC2NodeClass with dry runs',
    NO_LAUNCH,
  ),
  'ec2:TerminateInstances': controller(
    'terminate the instances of NodeClaims that are deleted',
    'nodes are drained, and their instances go on running',
  ),
  'eks:DescribeAccessEntry': why('see whether the node role may join the cluster'),
  'eks:DescribeCluster': both(
    'read the endpoint, the CA and the service range of the cluster, as far as options do not set them',
    'nodes with AL2023 cannot start unless SERVICE_CIDR is set, and no node without CLUSTER_ENDPOINT',
  ),
  'iam:AddRoleToInstanceProfile': controller(
    'put spec.role into its instance profile',
    classNotReady('with spec.role'),
  ),
  'iam:CreateInstanceProfile': controller(
    'create the instance profile of spec.role',
    classNotReady('with spec.role'),
  ),
  'iam:DeleteInstanceProfile': controller(
    'delete instance profiles that are no longer used',
    `unused instance profiles stay, and ${CLASS_STAYS}`,
  ),
  'iam:GetInstanceProfile': both('read instance profiles', NOT_READY),
  'iam:ListInstanceProfiles': controller(
    'find instance profiles that are no longer used',
    `unused instance profiles stay, and ${CLASS_STAYS}`,
  ),
  'iam:PassRole': controller('give the node role to instances', NO_LAUNCH),
  'iam:RemoveRoleFromInstanceProfile': controller(
    'take the role out of an instance profile before it is deleted',
    `unused instance profiles stay, and ${CLASS_STAYS}`,
  ),
  'iam:TagInstanceProfile': controller(
    'correct the tags of an instance profile, for example after a change of spec.tags',
    classNotReady('whose instance profile lacks tags'),
  ),
  'pricing:GetProducts': controller('read prices on demand', 'prices are those of the built-in list'),
  'sqs:DeleteMessage': controller(
    'delete messages that were handled',
    'each message is handled again and again until it expires',
  ),
  'sqs:GetQueueUrl': controller('find the interruption queue', 'interruptions are not handled'),
  'sqs:ReceiveMessage': controller('read the interruption queue', 'interruptions are not handled'),
  'ssm:GetParameter': controller(
    'find the AMIs of an alias or of ssmParameter',
    classNotReady('with such a term'),
  ),
};

/** AWS answers these whatever the policies say. */
export const WITHOUT_PERMISSION: Readonly<Record<string, string>> = {
  'sts:GetCallerIdentity': 'the account, for messages; IAM allows it to everybody',
};
