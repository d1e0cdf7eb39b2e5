/**
 * The least-privilege policies of the controller's role, made from the table of statements: which actions each allows is there, on what
 * and under which conditions is here. `chandler configure eks` gives them to the role.
 */
import { type IamPolicy, type IamPolicyStatement, type PolicyPlace, requestedRegion } from './policies.ts';
import { IAM_STATEMENTS, type IamStatement } from './statements.table.ts';

export interface ControllerPlace extends PolicyPlace {
  readonly nodeRoleArn: string;
  readonly queueArn: string;
}

/** By the part of the policy's name, in the order of the table. */
export function controllerPolicies(place: ControllerPlace): ReadonlyMap<string, IamPolicy> {
  const policies = new Map<string, IamPolicyStatement[]>();
  for (const row of IAM_STATEMENTS.filter(({ policy }) => policy !== 'account')) {
    const name = row.policy === 'own' ? 'Chandler' : row.policy;
    policies.set(name, [...(policies.get(name) ?? []), statementOf(row, place)]);
  }
  return new Map(
    [...policies].map(([name, Statement]) => [name, { Version: '2012-10-17', Statement }] as const),
  );
}

// ---------------------------------------------------------------------------------------------------------------

const NODE_POOL = 'karpenter.sh/nodepool';
const NODE_CLASS = 'karpenter.k8s.aws/ec2nodeclass';
const REGION = 'topology.kubernetes.io/region';
const CLUSTER_NAME = 'eks:eks-cluster-name';

type Scope = Pick<IamPolicyStatement, 'Resource' | 'Condition'>;

function statementOf({ sid, actions, resources }: IamStatement, place: ControllerPlace): IamPolicyStatement {
  const { Resource, Condition } = SCOPES[sid]!(place, resources ?? []);
  return {
    Sid: sid,
    Effect: 'Allow',
    Action: actions.length === 1 ? actions[0]! : actions,
    Resource,
    ...(Condition === undefined ? {} : { Condition }),
  };
}

/** By statement. `types` are those of the table. */
const SCOPES: Readonly<Record<string, (place: ControllerPlace, types: readonly string[]) => Scope>> = {
  AllowScopedEC2InstanceAccessActions: (place, types) => ({ Resource: ofEc2(place, types) }),
  AllowScopedEC2LaunchTemplateAccessActions: (place, types) => ({
    Resource: ofEc2(place, types),
    Condition: onOwned(place),
  }),
  AllowScopedEC2InstanceActionsWithTags: (place, types) => ({
    Resource: ofEc2(place, types),
    Condition: requested(place),
  }),
  AllowScopedResourceCreationTagging: (place, types) => {
    const { StringEquals, StringLike } = requested(place);
    const created = { 'ec2:CreateAction': ['RunInstances', 'CreateFleet', 'CreateLaunchTemplate'] };
    return {
      Resource: ofEc2(place, types),
      Condition: { StringEquals: { ...StringEquals, ...created }, StringLike },
    };
  },
  AllowScopedResourceTagging: (place, types) => ({
    Resource: ofEc2(place, types),
    Condition: {
      ...onOwned(place),
      StringEqualsIfExists: { [`aws:RequestTag/${CLUSTER_NAME}`]: place.clusterName },
      'ForAllValues:StringEquals': { 'aws:TagKeys': [CLUSTER_NAME, 'karpenter.sh/nodeclaim', 'Name'] },
    },
  }),
  AllowScopedDeletion: (place) => ({
    Resource: ofEc2(place, ['instance', 'launch-template']),
    Condition: onOwned(place),
  }),
  AllowScopedReboot: (place) => ({ Resource: ofEc2(place, ['instance']), Condition: onOwned(place) }),
  AllowPassingInstanceRole: (place) => ({
    Resource: place.nodeRoleArn,
    Condition: { StringEquals: { 'iam:PassedToService': passedTo(place) } },
  }),
  AllowScopedInstanceProfileCreationActions: (place) => ({
    Resource: profiles(place),
    Condition: {
      StringEquals: profileRequest(place),
      StringLike: { [`aws:RequestTag/${NODE_CLASS}`]: '*' },
    },
  }),
  AllowScopedInstanceProfileTagActions: (place) => ({
    Resource: profiles(place),
    Condition: {
      StringEquals: { ...profileTags(place), ...profileRequest(place) },
      StringLike: { [`aws:ResourceTag/${NODE_CLASS}`]: '*', [`aws:RequestTag/${NODE_CLASS}`]: '*' },
    },
  }),
  AllowScopedInstanceProfileActions: (place) => ({
    Resource: profiles(place),
    Condition: { StringEquals: profileTags(place), StringLike: { [`aws:ResourceTag/${NODE_CLASS}`]: '*' } },
  }),
  AllowAPIServerEndpointDiscovery: (place) => ({ Resource: clusterArn(place) }),
  AllowInterruptionQueueActions: ({ queueArn }) => ({ Resource: queueArn }),
  AllowZonalShiftStatusReadOnly: (place) => ({
    Resource: '*',
    Condition: { StringEquals: { 'arc-zonal-shift:ResourceIdentifier': clusterArn(place) } },
  }),
  AllowRegionalReadActions: ({ region }) => ({ Resource: '*', Condition: requestedRegion(region) }),
  AllowSSMReadActions: ({ partition, region }) => ({
    Resource: `arn:${partition}:ssm:${region}::parameter/aws/service/*`,
  }),
  AllowPricingReadActions: () => ({ Resource: '*' }),
  AllowUnscopedInstanceProfileListAction: () => ({ Resource: '*' }),
  AllowInstanceProfileReadActions: (place) => ({ Resource: profiles(place) }),
};

/** The services to which the role of nodes is given. */
function passedTo({ partition }: ControllerPlace): string | readonly string[] {
  return partition === 'aws-cn' ? ['ec2.amazonaws.com', 'ec2.amazonaws.com.cn'] : 'ec2.amazonaws.com';
}

/** Images and snapshots belong to whoever publishes them. */
function ofEc2({ partition, region }: ControllerPlace, types: readonly string[]): readonly string[] {
  return types.map((type) => {
    const account = type === 'image' || type === 'snapshot' ? '' : '*';
    return `arn:${partition}:ec2:${region}:${account}:${type}/*`;
  });
}

function profiles({ partition, accountId }: ControllerPlace): string {
  return `arn:${partition}:iam::${accountId}:instance-profile/*`;
}

function clusterArn({ partition, region, accountId, clusterName }: ControllerPlace): string {
  return `arn:${partition}:eks:${region}:${accountId}:cluster/${clusterName}`;
}

function onOwned({ clusterName }: ControllerPlace) {
  return {
    StringEquals: { [`aws:ResourceTag/kubernetes.io/cluster/${clusterName}`]: 'owned' },
    StringLike: { [`aws:ResourceTag/${NODE_POOL}`]: '*' },
  };
}

function requested({ clusterName }: ControllerPlace) {
  return {
    StringEquals: {
      [`aws:RequestTag/kubernetes.io/cluster/${clusterName}`]: 'owned',
      [`aws:RequestTag/${CLUSTER_NAME}`]: clusterName,
    },
    StringLike: { [`aws:RequestTag/${NODE_POOL}`]: '*' },
  };
}

function profileRequest({ clusterName, region }: ControllerPlace) {
  return {
    [`aws:RequestTag/kubernetes.io/cluster/${clusterName}`]: 'owned',
    [`aws:RequestTag/${CLUSTER_NAME}`]: clusterName,
    [`aws:RequestTag/${REGION}`]: region,
  };
}

function profileTags({ clusterName, region }: ControllerPlace) {
  return {
    [`aws:ResourceTag/kubernetes.io/cluster/${clusterName}`]: 'owned',
    [`aws:ResourceTag/${REGION}`]: region,
  };
}
