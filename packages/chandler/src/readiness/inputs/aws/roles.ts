/** Roles of IAM: those of the nodes and of the controller, their policies, and who may assume them. */
import type { Role } from '@aws-sdk/client-iam';
import { roleName } from '../../facts/arn.ts';
import { type FactName, type Facts, knownValues } from '../../facts/facts.ts';
import type { AccountReading } from './account-reading.ts';
import type { SeenCluster } from './cluster.ts';

/** The role that EC2 assumes for spot instances. */
export const SPOT_ROLE = 'AWSServiceRoleForEC2Spot';

/** What is asked about the role of the controller alone. */
const CONTROLLER_ACTIONS = [
  'iam:GetPolicy',
  'iam:GetPolicyVersion',
  'iam:GetRolePolicy',
  'iam:ListRolePolicies',
] as const;

/** Of each kind; an installation has one or two. */
const MAX_NAMES = 3;

/** Instance profiles of classes. @returns names of the roles in them. */
export async function readProfiles(reading: AccountReading, facts: Facts): Promise<readonly string[]> {
  const roles = await Promise.all(
    namesOf(facts, 'instanceProfile').map(async (InstanceProfileName) => {
      const answer = await reading.ask('iam:GetInstanceProfile', (aws, options) =>
        aws.iam.getInstanceProfile({ InstanceProfileName }, options),
      );
      if ('missing' in answer)
        reading.addAbsent('iam:GetInstanceProfile', 'aws_iam_instance_profile', InstanceProfileName);
      if (!('found' in answer)) return [];
      const { Arn, Roles = [] } = answer.found.InstanceProfile ?? {};
      const role = Roles[0]?.RoleName ?? '';
      const values = { name: InstanceProfileName, arn: Arn, role };
      reading.add('iam:GetInstanceProfile', 'aws_iam_instance_profile', InstanceProfileName, values);
      return role === '' ? [] : role;
    }),
  );
  return roles.flat();
}

export async function readRoles(
  reading: AccountReading,
  facts: Facts,
  cluster: SeenCluster,
  profileRoles: readonly string[],
  clusterName: string,
): Promise<void> {
  const nodes = [...new Set([...namesOf(facts, 'nodeRole'), ...profileRoles])].slice(0, MAX_NAMES);
  const controllers = [
    ...new Set([
      ...cluster.controllerRoles.map(roleName),
      ...namesOf(facts, 'controllerRoleArn'),
      ...namesOf(facts, 'controllerRoleName'),
    ]),
  ]
    .filter((name) => !nodes.includes(name))
    .slice(0, MAX_NAMES);
  if (controllers.length === 0 && cluster.rolesUnread !== undefined)
    reading.skip(CONTROLLER_ACTIONS, cluster.rolesUnread);
  await Promise.all([
    ...nodes.map((name) => readNodeRole(reading, name, clusterName, cluster.usesEntries ?? true)),
    ...controllers.map((name) => readControllerRole(reading, name)),
    readRole(reading, SPOT_ROLE, undefined),
    readIssuers(reading),
  ]);
}

// ---------------------------------------------------------------------------------------------------------------

/** Names of roles and profiles that the files know; ARNs have them at their end. */
function namesOf(facts: Facts, fact: FactName): readonly string[] {
  return [...new Set(knownValues(facts.all(fact)).map(roleName))]
    .filter((name) => /^[\w+=,.@-]{1,128}$/.test(name))
    .slice(0, MAX_NAMES);
}

async function readRole(
  reading: AccountReading,
  RoleName: string,
  owner: 'controller' | 'nodes' | undefined,
): Promise<Role | undefined> {
  const answer = await reading.ask('iam:GetRole', (aws, options) => aws.iam.getRole({ RoleName }, options));
  if ('missing' in answer) reading.addAbsent('iam:GetRole', 'aws_iam_role', RoleName);
  const role = 'found' in answer ? answer.found.Role : undefined;
  if (role === undefined) return undefined;
  reading.add(
    'iam:GetRole',
    'aws_iam_role',
    RoleName,
    {
      name: RoleName,
      arn: role.Arn,
      assume_role_policy: documentOf(role.AssumeRolePolicyDocument),
      permissions_boundary: role.PermissionsBoundary?.PermissionsBoundaryArn,
    },
    owner === undefined ? {} : { owner },
  );
  return role;
}

async function readNodeRole(
  reading: AccountReading,
  name: string,
  clusterName: string,
  usesEntries: boolean,
): Promise<void> {
  const [role] = await Promise.all([readRole(reading, name, 'nodes'), readAttached(reading, name)]);
  const arn = role?.Arn;
  if (arn === undefined) return;
  // EKS refuses the question where the mode is CONFIG_MAP.
  if (!usesEntries) return reading.addAbsent('eks:DescribeCluster', 'aws_eks_access_entry', name);
  const answer = await reading.ask('eks:DescribeAccessEntry', (aws, options) =>
    aws.eks.describeAccessEntry({ clusterName, principalArn: arn }, options),
  );
  if ('missing' in answer) reading.addAbsent('eks:DescribeAccessEntry', 'aws_eks_access_entry', name);
  if (!('found' in answer)) return;
  reading.add('eks:DescribeAccessEntry', 'aws_eks_access_entry', name, {
    cluster_name: clusterName,
    principal_arn: arn,
    type: answer.found.accessEntry?.type,
  });
}

async function readControllerRole(reading: AccountReading, name: string): Promise<void> {
  const [role, attached] = await Promise.all([
    readRole(reading, name, 'controller'),
    readAttached(reading, name),
    readInline(reading, name),
  ]);
  const boundary = role?.PermissionsBoundary?.PermissionsBoundaryArn;
  await Promise.all([
    ...attached.map((arn) => readPolicy(reading, arn, 'aws_iam_policy')),
    ...(boundary === undefined ? [] : [readPolicy(reading, boundary, 'permissions_boundary')]),
  ]);
}

async function readAttached(reading: AccountReading, RoleName: string): Promise<readonly string[]> {
  const action = 'iam:ListAttachedRolePolicies';
  const answer = await reading.list(action, async (aws, options, Marker) => {
    const page = await aws.iam.listAttachedRolePolicies({ RoleName, Marker }, options);
    return { items: page.AttachedPolicies ?? [], next: page.IsTruncated ? page.Marker : undefined };
  });
  if ('unread' in answer) reading.skip(['iam:GetPolicy', 'iam:GetPolicyVersion'], answer.unread);
  const arns = 'found' in answer ? answer.found.flatMap(({ PolicyArn }) => PolicyArn ?? []) : [];
  for (const arn of arns)
    reading.add(action, 'aws_iam_role_policy_attachment', `${RoleName}/${roleName(arn)}`, {
      role: RoleName,
      policy_arn: arn,
    });
  return arns;
}

/** @param type a boundary allows nothing by itself. */
async function readPolicy(
  reading: AccountReading,
  PolicyArn: string,
  type: 'aws_iam_policy' | 'permissions_boundary',
): Promise<void> {
  const policy = await reading.ask('iam:GetPolicy', (aws, options) =>
    aws.iam.getPolicy({ PolicyArn }, options),
  );
  if ('unread' in policy) reading.skip(['iam:GetPolicyVersion'], policy.unread);
  const VersionId = 'found' in policy ? policy.found.Policy?.DefaultVersionId : undefined;
  if (VersionId === undefined) return;
  const version = await reading.ask('iam:GetPolicyVersion', (aws, options) =>
    aws.iam.getPolicyVersion({ PolicyArn, VersionId }, options),
  );
  const document = 'found' in version ? documentOf(version.found.PolicyVersion?.Document) : undefined;
  if (document === undefined) return;
  const name = roleName(PolicyArn);
  const values = { name, arn: PolicyArn, policy: document };
  reading.add('iam:GetPolicyVersion', type, name, values, { owner: 'controller' });
}

async function readInline(reading: AccountReading, RoleName: string): Promise<void> {
  const answer = await reading.list('iam:ListRolePolicies', async (aws, options, Marker) => {
    const page = await aws.iam.listRolePolicies({ RoleName, Marker }, options);
    return { items: page.PolicyNames ?? [], next: page.IsTruncated ? page.Marker : undefined };
  });
  if ('unread' in answer) reading.skip(['iam:GetRolePolicy'], answer.unread);
  await Promise.all(
    ('found' in answer ? answer.found : []).map(async (PolicyName) => {
      const found = await reading.ask('iam:GetRolePolicy', (aws, options) =>
        aws.iam.getRolePolicy({ RoleName, PolicyName }, options),
      );
      const document = 'found' in found ? documentOf(found.found.PolicyDocument) : undefined;
      if (document === undefined) return;
      const values = { name: PolicyName, role: RoleName, policy: document };
      reading.add('iam:GetRolePolicy', 'aws_iam_role_policy', `${RoleName}/${PolicyName}`, values, {
        owner: 'controller',
      });
    }),
  );
}

async function readIssuers(reading: AccountReading): Promise<void> {
  const action = 'iam:ListOpenIDConnectProviders';
  const answer = await reading.ask(action, (aws, options) => aws.iam.listOpenIDConnectProviders({}, options));
  for (const { Arn = '' } of 'found' in answer ? (answer.found.OpenIDConnectProviderList ?? []) : []) {
    const url = Arn.replace(/^.*:oidc-provider\//, '');
    reading.add(action, 'aws_iam_openid_connect_provider', url, { arn: Arn, url });
  }
}

/** Documents are encoded as in URLs. */
function documentOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
