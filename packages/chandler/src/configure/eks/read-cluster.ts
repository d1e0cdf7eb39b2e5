/** Reads the EKS cluster that is configured, and refuses one that the controller could not work with. It changes nothing. */
import type { Cluster } from '@aws-sdk/client-eks';
import { type AwsCalls, partitionOf } from '../../cloud/aws/account.ts';
import { ConfigureError } from '../resource.ts';
import { awsCall, awsRead } from './aws-error.ts';
import { DISCOVERY_TAG } from './discovery-tag.ts';

/** `pod-identity`: an association of EKS. `irsa`: IAM trusts the OIDC issuer of the cluster. */
export type IdentityChoice = 'pod-identity' | 'irsa';

export interface EksTarget {
  readonly clusterName: string;
  readonly accountId: string;
  readonly region: string;
  readonly identity: IdentityChoice;
  /** Of nodes. Default: those that somebody has tagged for the cluster, otherwise those of the cluster that give no public addresses. */
  readonly subnetIds?: readonly string[] | undefined;
  /** Of nodes. Default: those that somebody has tagged for the cluster, otherwise that of the cluster. */
  readonly securityGroupId?: string | undefined;
  /** Whether configure tagged the subnet or the security group. */
  readonly isTaggedByUs?: (id: string) => boolean;
}

export interface EksCluster {
  readonly arn: string;
  readonly name: string;
  readonly accountId: string;
  readonly partition: string;
  readonly region: string;
  readonly endpoint: string;
  readonly issuer: string | undefined;
  readonly subnetIds: readonly string[];
  readonly securityGroupIds: readonly string[];
  /** What the user should know, as sentences. */
  readonly notes: readonly string[];
}

export function eksClusterArn({ region, accountId, clusterName }: EksTarget): string {
  return `arn:${partitionOf(region)}:eks:${region}:${accountId}:cluster/${clusterName}`;
}

/** The account of the credentials. @throws {ConfigureError} */
export async function callersAccount({ sts }: AwsCalls, signal: AbortSignal): Promise<string> {
  const { Account = '' } = await awsCall({ action: 'sts:GetCallerIdentity', scope: '*' }, () =>
    sts.getCallerIdentity({}, { signal }),
  );
  return Account;
}

/** @throws {ConfigureError} and {NotAllowed} */
export async function readEksCluster(
  calls: AwsCalls,
  target: EksTarget,
  signal: AbortSignal,
): Promise<EksCluster> {
  const { clusterName: name, region, accountId } = target;
  refuseUnknownPartition(region);
  const arn = eksClusterArn(target);
  const answer = await awsRead({ action: 'eks:DescribeCluster', scope: arn }, () =>
    calls.eks.describeCluster({ name }, { signal }),
  );
  const cluster = answer?.cluster;
  if (cluster === undefined)
    throw new ConfigureError(
      `there is no EKS cluster ${name} in ${region} of the account ${accountId}; "aws eks list-clusters --region ${region}" lists the clusters`,
    );
  requireUsable(target, cluster);
  if (target.identity === 'pod-identity') await requireAgent(calls, target, cluster, signal);
  const issuer = cluster.identity?.oidc?.issuer;
  if (target.identity === 'irsa' && issuer === undefined)
    throw new ConfigureError(
      `the cluster ${name} has no OIDC issuer, so the controller could not sign in; give --identity pod-identity`,
    );
  const network = await findNetwork(calls, target, cluster, signal);
  return {
    arn: cluster.arn ?? arn,
    name,
    accountId,
    partition: partitionOf(region),
    region,
    endpoint: cluster.endpoint ?? '',
    issuer,
    subnetIds: network.subnetIds,
    securityGroupIds: network.securityGroupIds,
    notes: [...notesOf(cluster), ...network.notes],
  };
}

// ---------------------------------------------------------------------------------------------------------------

const PARTITIONS: ReadonlySet<string> = new Set(['aws', 'aws-cn', 'aws-us-gov']);

/** Others have names of services that are not known here. */
function refuseUnknownPartition(region: string): void {
  const partition = partitionOf(region);
  if (!PARTITIONS.has(partition))
    throw new ConfigureError(
      `${region} is in the partition ${partition}; configure works in ${[...PARTITIONS].join(', ')}. docs/iam.md has the permissions that the controller needs`,
    );
}

function requireUsable({ clusterName, region }: EksTarget, { status, accessConfig }: Cluster): void {
  if (status !== 'ACTIVE' && status !== 'UPDATING')
    throw new ConfigureError(`the cluster ${clusterName} is ${status}; run configure when it is ACTIVE`);
  if (accessConfig?.authenticationMode === 'CONFIG_MAP')
    throw new ConfigureError(
      `the cluster ${clusterName} has no access entries, so nodes could not join; enable them first: aws eks update-cluster-config --region ${region} --name ${clusterName} --access-config authenticationMode=API_AND_CONFIG_MAP`,
    );
}

const AGENT = 'eks-pod-identity-agent';

/** EKS Auto Mode has the agent without the add-on. */
async function requireAgent(
  { eks }: AwsCalls,
  target: EksTarget,
  { computeConfig }: Cluster,
  signal: AbortSignal,
): Promise<void> {
  if (computeConfig?.enabled === true) return;
  const { clusterName, region } = target;
  const may = { action: 'eks:ListAddons', scope: eksClusterArn(target) };
  let token: string | undefined;
  do {
    const given = token === undefined ? {} : { nextToken: token };
    const page = await awsCall(may, () => eks.listAddons({ clusterName, ...given }, { signal }));
    if (page.addons?.includes(AGENT)) return;
    token = page.nextToken;
  } while (token !== undefined);
  throw new ConfigureError(
    `the cluster ${clusterName} has no add-on ${AGENT}, so the controller could not sign in; install it first: aws eks create-addon --region ${region} --cluster-name ${clusterName} --addon-name ${AGENT}; or give --identity irsa`,
  );
}

function notesOf({ computeConfig, kubernetesNetworkConfig }: Cluster): readonly string[] {
  const notes: string[] = [];
  if (computeConfig?.enabled === true)
    notes.push('EKS Auto Mode of the cluster is on, and also creates nodes for pending pods.');
  if (kubernetesNetworkConfig?.ipFamily === 'ipv6')
    notes.push(
      'The cluster uses IPv6. AWS has no policy for the network plugin with IPv6: attach one of your own to the node role, or to the role of the plugin.',
    );
  return notes;
}

interface Network extends Pick<EksCluster, 'subnetIds' | 'securityGroupIds' | 'notes'> {}

type VpcConfig = NonNullable<Cluster['resourcesVpcConfig']>;

async function findNetwork(
  { ec2 }: AwsCalls,
  target: EksTarget,
  { resourcesVpcConfig: vpc = {} }: Cluster,
  signal: AbortSignal,
): Promise<Network> {
  const subnets = await findSubnets(ec2, target, vpc, signal);
  const groups = await findGroups(ec2, target, vpc, signal);
  return {
    subnetIds: [...subnets.ids].sort(),
    securityGroupIds: [...groups.ids].sort(),
    notes: [...subnets.notes, ...groups.notes],
  };
}

interface Chosen {
  readonly ids: readonly string[];
  readonly notes: readonly string[];
}

async function findSubnets(
  ec2: AwsCalls['ec2'],
  target: EksTarget,
  { vpcId, subnetIds = [] }: VpcConfig,
  signal: AbortSignal,
): Promise<Chosen> {
  const given = target.subnetIds;
  const describe = async (input: Parameters<typeof ec2.describeSubnets>[0]) =>
    (
      await awsRead({ action: 'ec2:DescribeSubnets', scope: `subnets of ${target.region}` }, () =>
        ec2.describeSubnets(input, { signal }),
      )
    )?.Subnets ?? [];
  const tagged = (await describe({ Filters: taggedFor(target, vpcId) })).map(({ SubnetId }) => SubnetId!);
  const already = alreadyTagged('subnets', target, tagged, given);
  if (already !== undefined && given === undefined) return already;
  const wanted = given ?? subnetIds;
  if (wanted.length === 0)
    throw new ConfigureError('the cluster has no subnets; give those of nodes with --subnet-ids');
  const found = await describe({ SubnetIds: [...wanted] });
  const wrong = wanted.filter(
    (id) => !found.some(({ SubnetId, VpcId }) => SubnetId === id && VpcId === vpcId),
  );
  if (wrong.length > 0)
    throw new ConfigureError(
      `these subnets are not in the VPC ${vpcId} of the cluster: ${wrong.join(', ')}; give those of nodes with --subnet-ids`,
    );
  // Subnets that somebody names are meant.
  if (given !== undefined) return { ids: given, notes: already?.notes ?? [] };
  const isPublic = (id: string) =>
    found.some(({ SubnetId, MapPublicIpOnLaunch }) => SubnetId === id && MapPublicIpOnLaunch === true);
  const closed = wanted.filter((id) => !isPublic(id));
  // A cluster may have public ones alone.
  if (closed.length === 0 || closed.length === wanted.length) return { ids: wanted, notes: [] };
  const left = wanted.filter(isPublic).join(', ');
  return {
    ids: closed,
    notes: [`The public subnets ${left} get no tag, and so no nodes; --subnet-ids chooses others.`],
  };
}

async function findGroups(
  ec2: AwsCalls['ec2'],
  target: EksTarget,
  { clusterSecurityGroupId, vpcId }: VpcConfig,
  signal: AbortSignal,
): Promise<Chosen> {
  const given = target.securityGroupId;
  const describe = async (input: Parameters<typeof ec2.describeSecurityGroups>[0]) =>
    (
      await awsRead(
        { action: 'ec2:DescribeSecurityGroups', scope: `security groups of ${target.region}` },
        () => ec2.describeSecurityGroups(input, { signal }),
      )
    )?.SecurityGroups ?? [];
  const tagged = (await describe({ Filters: taggedFor(target, vpcId) })).map(({ GroupId }) => GroupId!);
  const already = alreadyTagged('security groups', target, tagged, given === undefined ? undefined : [given]);
  if (already !== undefined && given === undefined) return already;
  const id = given ?? clusterSecurityGroupId;
  if (id === undefined)
    throw new ConfigureError(
      'the cluster has no security group; give the one of nodes with --security-group-id',
    );
  const [found] = await describe({ GroupIds: [id] });
  if (found?.VpcId !== vpcId)
    throw new ConfigureError(
      `there is no security group ${id} in the VPC ${vpcId} of the cluster; give another one with --security-group-id`,
    );
  return { ids: [id], notes: already?.notes ?? [] };
}

function taggedFor({ clusterName }: EksTarget, vpcId: string | undefined) {
  return [
    { Name: `tag:${DISCOVERY_TAG}`, Values: [clusterName] },
    { Name: 'vpc-id', Values: [vpcId ?? ''] },
  ];
}

/** Node classes find them, whatever configure does. Undefined if somebody else has tagged none. */
function alreadyTagged(
  what: string,
  { clusterName, isTaggedByUs = () => false }: EksTarget,
  tagged: readonly string[],
  given: readonly string[] | undefined,
): Chosen | undefined {
  const theirs = tagged.filter((id) => !isTaggedByUs(id) && !given?.includes(id)).join(', ');
  if (theirs === '') return undefined;
  const tag = `${DISCOVERY_TAG}=${clusterName}`;
  return {
    ids: tagged,
    notes: [
      given === undefined
        ? `The ${what} ${theirs} have the tag ${tag} already, so no others get it.`
        : `The ${what} ${theirs} have the tag ${tag} already: nodes get them as well, unless you remove it there.`,
    ],
  };
}
