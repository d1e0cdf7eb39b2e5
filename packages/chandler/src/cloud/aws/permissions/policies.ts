/**
 * The IAM policies that Karpenter's templates do not have: what the controller needs beyond them, and what a person needs who
 * runs `why`, `check` or `configure eks`. docs/iam.md prints them.
 */
import { CHECK_PERMISSIONS } from './check-permissions.table.ts';
import { CONFIGURE_PERMISSIONS } from './configure-permissions.table.ts';
import type { PermissionOn, PermissionScope } from './permission-scope.ts';
import { PERMISSION_USES } from './uses.table.ts';

/** Of AWS: the node role that configure creates has them. */
export const NODE_POLICIES: readonly string[] = [
  'AmazonEKSWorkerNodePolicy',
  'AmazonEKS_CNI_Policy',
  'AmazonEC2ContainerRegistryPullOnly',
  'AmazonSSMManagedInstanceCore',
];

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
  readonly Resource: string | readonly string[];
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
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
      Condition: requestedRegion(region),
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

/** Of the person, or of the role, whose credentials `check --live-aws` uses. `*` in a place stands for all of them. */
export function checkPolicy(place: PolicyPlace): IamPolicy {
  return scopedPolicy('AllowReading', CHECK_PERMISSIONS, place);
}

/** Of the person who runs `configure eks`. */
export function configurePolicy(place: PolicyPlace): IamPolicy {
  return scopedPolicy('AllowConfiguring', CONFIGURE_PERMISSIONS, place);
}

// ---------------------------------------------------------------------------------------------------------------

function scopedPolicy(
  prefix: string,
  permissions: Readonly<Record<string, PermissionOn>>,
  place: PolicyPlace,
): IamPolicy {
  const actions = Object.keys(permissions);
  const scopes = [...new Set(actions.map((action) => permissions[action]!.on))];
  return policy(
    scopes.map((scope) => ({
      Sid: `${prefix}${scope.charAt(0).toUpperCase()}${scope.slice(1)}`,
      Effect: 'Allow',
      Action: actions.filter((action) => permissions[action]!.on === scope),
      Resource: resourceOf(scope, place),
      ...conditionOf(scope, place),
    })),
  );
}

function conditionOf(
  scope: PermissionScope,
  { partition, region }: PolicyPlace,
): Pick<IamPolicyStatement, 'Condition'> {
  switch (scope) {
    case 'regional':
      return region === '*' ? {} : { Condition: requestedRegion(region) };
    case 'nodePolicies':
      // Policies of AWS for nodes alone: an administrator is not among them.
      return {
        Condition: {
          ArnEquals: {
            'iam:PolicyARN': NODE_POLICIES.map((name) => `arn:${partition}:iam::aws:policy/${name}`),
          },
        },
      };
    case 'passedRole':
      return { Condition: { StringEquals: { 'iam:PassedToService': 'pods.eks.amazonaws.com' } } };
    default:
      return {};
  }
}

function resourceOf(
  scope: PermissionScope,
  { partition, region, accountId, clusterName }: PolicyPlace,
): string | readonly string[] {
  const of = (service: string, resource: string, at = region) =>
    `arn:${partition}:${service}:${at}:${accountId}:${resource}`;
  const controllerRole = of('iam', `role/chandler-${clusterName}`, '');
  const nodeRole = of('iam', `role/KarpenterNodeRole-${clusterName}`, '');
  const resources: Readonly<Record<PermissionScope, string | readonly string[]>> = {
    anything: '*',
    regional: '*',
    cluster: of('eks', `cluster/${clusterName}`),
    associations: of('eks', `podidentityassociation/${clusterName}/*`),
    accessEntries: of('eks', `access-entry/${clusterName}/*`),
    instanceProfiles: of('iam', 'instance-profile/*', ''),
    roles: of('iam', 'role/*', ''),
    // Policies of AWS have its own account.
    policies: `arn:${partition}:iam::*:policy/*`,
    providers: of('iam', 'oidc-provider/*', ''),
    queues: of('sqs', '*'),
    rules: of('events', 'rule/*'),
    // As configure names them.
    setupRoles: [controllerRole, nodeRole],
    nodePolicies: nodeRole,
    passedRole: controllerRole,
    setupQueue: of('sqs', `chandler-${clusterName}`),
    setupRules: of('events', `rule/chandler-${clusterName}-*`),
    keys: of('kms', 'key/*'),
    network: [of('ec2', 'subnet/*'), of('ec2', 'security-group/*')],
    parameters: `arn:${partition}:ssm:${region}:*:parameter/*`,
  };
  return resources[scope];
}

export function requestedRegion(region: string) {
  return { StringEquals: { 'aws:RequestedRegion': region } };
}

function policy(Statement: readonly IamPolicyStatement[]): IamPolicy {
  return { Version: '2012-10-17', Statement };
}
