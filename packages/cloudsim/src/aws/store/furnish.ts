/**
 * The account as it is after a cluster without nodes was created: network, roles, queue, images. Names are those that
 * Karpenter's getting-started guide uses.
 */
import { publishImages } from '../catalogue/images.ts';
import { type AwsContext, ec2Arn, oidcProviderArn, queueArn } from '../context.ts';
import type { PolicyDocument } from '../iam/policy.ts';
import type { ClusterRecord } from './cluster-record.ts';
import { Queue } from './queue.ts';
import type { IdentityProvider, RoleRecord, SecurityGroup } from './records.ts';

export interface FurnishOptions {
  /** Address range of the subnet of each zone. Default 10.0.0.0/19, 10.0.32.0/19, … */
  readonly subnetCidrs?: readonly string[];
  /** Name of the queue. Default: that of the cluster. */
  readonly queueName?: string;
  readonly oidcIssuer?: string;
  /** Issuers whose tokens pods exchange for credentials. The account trusts them, unless nothing is configured. */
  readonly identityProviders?: readonly IdentityProvider[];
  /**
   * False: the account as somebody finds it who has not installed a controller yet. There is the cluster with its network, but
   * no role of nodes or of a controller, no queue, no rules, no trusted issuer, no access entry, no Pod Identity association and
   * no tag for discovery; the credentials of the server are those of an operator. Default true.
   */
  readonly configured?: boolean;
}

export const VPC_ID = 'vpc-0a11ce00000000001';
export const CLUSTER_GROUP_ID = 'sg-0c1000000000000c1';
export const NODE_GROUP_ID = 'sg-0c1000000000000c2';

/** `subnet-0a110c00000000001` for the first zone. */
export function subnetIdOf(index: number): string {
  return `subnet-0a110c0000000000${index + 1}`;
}

export function furnish(context: AwsContext, options: FurnishOptions = {}): ClusterRecord {
  const { settings, account, world } = context;
  const nowMs = world.clock.now();
  const { configured = true } = options;
  seedNetwork(context, options);
  const nodeRole = configured ? addNodeRole(context) : undefined;
  publishImages(context, nowMs - 45 * 86_400_000);
  publishImages(context, nowMs - 10 * 86_400_000);
  if (configured) addQueue(context, options.queueName ?? settings.clusterName);
  const oidcIssuer =
    options.oidcIssuer ?? `https://oidc.eks.${settings.region}.amazonaws.com/id/0123456789ABCDEF`;
  const trusted = [
    { issuer: oidcIssuer, audiences: ['sts.amazonaws.com'] },
    ...(options.identityProviders ?? []),
  ];
  for (const { issuer, audiences } of configured ? trusted : [])
    account.oidcProviders.set(oidcProviderArn(settings, issuer), {
      url: issuer,
      clientIds: audiences,
      thumbprints: [],
      createdMs: nowMs,
      tags: [],
    });
  const arn = `arn:${settings.partition}:eks:${settings.region}:${settings.accountId}:cluster/${settings.clusterName}`;
  return {
    name: settings.clusterName,
    arn,
    version: settings.kubernetesMinor,
    endpoint: `https://0123456789ABCDEF.gr7.${settings.region}.eks.amazonaws.com`,
    certificateAuthority: '',
    serviceIpv4Cidr: '172.20.0.0/16',
    ipFamily: 'ipv4',
    vpcId: VPC_ID,
    subnetIds: [...account.subnets.keys()],
    securityGroupId: CLUSTER_GROUP_ID,
    oidcIssuer,
    authenticationMode: 'API_AND_CONFIG_MAP',
    createdMs: nowMs - 90 * 86_400_000,
    accessEntries: new Map(nodeRole === undefined ? [] : [[nodeRole.arn, 'EC2_LINUX']]),
    entryDetails: new Map(),
    shiftedZones: new Map(),
    addons: ['coredns', 'eks-pod-identity-agent', 'kube-proxy', 'vpc-cni'],
    podIdentityAssociations: [],
  };
}

export function addRole(
  { account, settings, world }: AwsContext,
  name: string,
  trust: PolicyDocument,
  path = '/',
): RoleRecord {
  const role: RoleRecord = {
    name,
    path,
    arn: `arn:${settings.partition}:iam::${settings.accountId}:role${path}${name}`,
    id: account.newUniqueId('AROA'),
    createdMs: world.clock.now(),
    trust,
    attached: [],
  };
  account.roles.set(name, role);
  return role;
}

export function addQueue(context: AwsContext, name: string): Queue {
  const queue = newQueue(context, name);
  queue.policy = {
    Version: '2012-10-17',
    Statement: [
      {
        Effect: 'Allow',
        Principal: { Service: ['events.amazonaws.com', 'sqs.amazonaws.com'] },
        Action: 'sqs:SendMessage',
        Resource: queue.settings.arn,
      },
    ],
  };
  return queue;
}

/** Without a policy: nobody but its owner may send to it. */
export function newQueue(
  { account, settings, schedule, world, faults, baseUrl }: AwsContext,
  name: string,
): Queue {
  const queue = new Queue(
    {
      name,
      arn: queueArn(settings, name),
      get url() {
        return `${baseUrl()}/${settings.accountId}/${name}`;
      },
      visibilityTimeoutMs: 30_000,
      retentionMs: 300_000,
      createdMs: world.clock.now(),
    },
    schedule,
    world.random,
    () => world.clock.now(),
  );
  queue.deliversAgain = ({ id }) =>
    faults.trigger('message', { service: 'sqs', action: 'DeleteMessage', name: id }) !== undefined;
  account.queues.set(name, queue);
  return queue;
}

export function trustOf(
  service: string,
  actions: string | readonly string[] = 'sts:AssumeRole',
): PolicyDocument {
  return {
    Version: '2012-10-17',
    Statement: [{ Effect: 'Allow', Principal: { Service: service }, Action: actions }],
  };
}

// ---------------------------------------------------------------------------------------------------

/** Policies of AWS that the guide attaches to the role of the nodes. */
const NODE_POLICIES = [
  'AmazonEKSWorkerNodePolicy',
  'AmazonEKS_CNI_Policy',
  'AmazonEC2ContainerRegistryPullOnly',
  'AmazonSSMManagedInstanceCore',
];

/** EKS admits the group itself; whoever made the node group admitted it, too. */
const CLUSTER_INGRESS: SecurityGroup['IpPermissions'] = [
  { IpProtocol: '-1', UserIdGroupPairs: [{ GroupId: CLUSTER_GROUP_ID }] },
  { IpProtocol: 'tcp', FromPort: 443, ToPort: 443, UserIdGroupPairs: [{ GroupId: NODE_GROUP_ID }] },
];

function addNodeRole(context: AwsContext): RoleRecord {
  const { settings } = context;
  const role = addRole(context, settings.nodeRoleName, trustOf('ec2.amazonaws.com'));
  role.attached = NODE_POLICIES.map((name) => `arn:${settings.partition}:iam::aws:policy/${name}`);
  return role;
}

function seedNetwork(
  { account, settings }: AwsContext,
  { subnetCidrs, configured = true }: FurnishOptions,
): void {
  const { clusterName, accountId: OwnerId } = settings;
  const discovery = configured ? [{ Key: 'karpenter.sh/discovery', Value: clusterName }] : [];
  account.vpcs.set(VPC_ID, {
    VpcId: VPC_ID,
    CidrBlock: '10.0.0.0/16',
    State: 'available',
    IsDefault: false,
    InstanceTenancy: 'default',
    OwnerId,
    Tags: [{ Key: 'Name', Value: `${clusterName}/VPC` }],
  });
  settings.zones.forEach(({ name, id }, index) => {
    const SubnetId = subnetIdOf(index);
    account.addSubnet({
      SubnetId,
      SubnetArn: ec2Arn(settings, 'subnet', SubnetId),
      VpcId: VPC_ID,
      OwnerId,
      AvailabilityZone: name,
      AvailabilityZoneId: id,
      CidrBlock: subnetCidrs?.[index] ?? `10.0.${32 * index}.0/19`,
      State: 'available',
      DefaultForAz: false,
      MapPublicIpOnLaunch: false,
      Tags: [{ Key: 'Name', Value: `${clusterName}/SubnetPrivate${index + 1}` }, ...discovery],
    });
  });
  for (const [GroupId, GroupName, Tags] of [
    [CLUSTER_GROUP_ID, `eks-cluster-sg-${clusterName}-1234567890`, discovery],
    [NODE_GROUP_ID, `${clusterName}-extra`, []],
  ] as const)
    account.securityGroups.set(GroupId, {
      GroupId,
      GroupName,
      Description: GroupName,
      VpcId: VPC_ID,
      OwnerId,
      Tags: [...Tags],
      IpPermissions: GroupId === CLUSTER_GROUP_ID ? CLUSTER_INGRESS : [],
      IpPermissionsEgress: [{ IpProtocol: '-1', IpRanges: [{ CidrIp: '0.0.0.0/0' }] }],
    });
}
