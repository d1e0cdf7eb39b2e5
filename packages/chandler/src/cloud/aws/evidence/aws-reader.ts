/**
 * Reads AWS with the credentials that are available: the instance of a claim with its checks and its console, subnet and
 * routes, security groups, instance profile, cluster, access entry. A refusal names the action of IAM. It changes nothing.
 */
import type { Instance, IpPermission, Route, SecurityGroup } from '@aws-sdk/client-ec2';
import { withoutSecrets } from '@chandler/kube';
import type { LookupFailure, LookupResult } from '../../../causes/index.ts';

import { toAwsError } from '../errors/index.ts';
import { CapacityReservations } from '../network/capacity-reservations.ts';
import { type AwsCalls, allPages, type CallOptions } from '../wire/index.ts';
import {
  type AwsReader,
  type DefaultRoute,
  regionOf,
  type SeenInstance,
  type SeenSecurityGroup,
} from './aws-evidence.ts';
import { looked } from './looked.ts';

export type ReaderCalls = {
  readonly ec2: Pick<
    AwsCalls['ec2'],
    | 'describeCapacityReservations'
    | 'describeInstances'
    | 'describeInstanceStatus'
    | 'describeRouteTables'
    | 'describeSecurityGroups'
    | 'describeSubnets'
    | 'getConsoleOutput'
  >;
  readonly eks: AwsCalls['eks'];
  readonly iam: Pick<AwsCalls['iam'], 'getInstanceProfile'>;
};

/** EC2 keeps the last 64 KB of a console. */
const MAX_CONSOLE_CHARACTERS = 65_536;

/** @param region of the calls: what is in another region does not exist for them. */
export function awsReader(calls: ReaderCalls, region: string): AwsReader {
  // One question; the deadlines of the calls end it.
  const options: CallOptions = { signal: new AbortController().signal };
  return {
    instance: async ({ id, region: own }) => {
      if (own !== region) return elsewhere(own, region);
      return looked('ec2:DescribeInstances', async () => {
        const { Reservations = [] } = await calls.ec2.describeInstances({ InstanceIds: [id] }, options);
        const [instance] = Reservations.flatMap(({ Instances = [] }) => Instances);
        if (instance === undefined) return undefined;
        return seenInstance(instance, await failedChecks(calls, id, options));
      });
    },
    consoleOutput: ({ id }) =>
      looked('ec2:GetConsoleOutput', async () => {
        const { Output = '' } = await newestOutput(calls, id, options);
        const text = Buffer.from(Output, 'base64').toString('utf8');
        return withoutSecrets(text.slice(-MAX_CONSOLE_CHARACTERS));
      }),
    subnet: (id) =>
      looked('ec2:DescribeSubnets', async () => {
        const { Subnets = [] } = await calls.ec2.describeSubnets({ SubnetIds: [id] }, options);
        const [subnet] = Subnets;
        if (subnet === undefined) return undefined;
        return {
          vpcId: subnet.VpcId,
          freeAddresses: subnet.AvailableIpAddressCount,
          defaultRoute: await defaultRoute(calls, id, subnet.VpcId, options),
        };
      }),
    securityGroups: (ids) =>
      looked('ec2:DescribeSecurityGroups', async () => {
        const { SecurityGroups = [] } = await calls.ec2.describeSecurityGroups(
          { GroupIds: [...ids] },
          options,
        );
        return SecurityGroups.map(seenGroup);
      }),
    instanceProfile: (name) =>
      looked('iam:GetInstanceProfile', async () => {
        const { InstanceProfile } = await calls.iam.getInstanceProfile(
          { InstanceProfileName: name },
          options,
        );
        const [role] = InstanceProfile?.Roles ?? [];
        return { roleArn: role?.Arn, roleName: role?.RoleName };
      }),
    cluster: (name) =>
      looked('eks:DescribeCluster', async () => {
        const { cluster } = await calls.eks.describeCluster({ name }, options);
        const vpc = cluster?.resourcesVpcConfig;
        return {
          status: cluster?.status,
          endpoint: cluster?.endpoint,
          certificateAuthority: cluster?.certificateAuthority?.data,
          version: cluster?.version,
          publicAccess: vpc?.endpointPublicAccess,
          privateAccess: vpc?.endpointPrivateAccess,
          publicCidrs: vpc?.publicAccessCidrs ?? [],
          authenticationMode: cluster?.accessConfig?.authenticationMode,
          securityGroupId: vpc?.clusterSecurityGroupId,
          otherSecurityGroupIds: vpc?.securityGroupIds ?? [],
          vpcId: vpc?.vpcId,
        };
      }),
    accessEntry: (clusterName, principalArn) =>
      looked('eks:DescribeAccessEntry', async () => {
        const { accessEntry } = await calls.eks.describeAccessEntry({ clusterName, principalArn }, options);
        return accessEntry?.type;
      }),
    freeReserved: async (terms, zones) => {
      const other = zones.map(regionOf).find((own) => own !== region);
      if (other !== undefined) return elsewhere(other, region);
      return looked('ec2:DescribeCapacityReservations', async () => {
        // What the controller reads, and anew for each question.
        const found = new CapacityReservations({ clock: { monotonic: () => 0 }, ec2: calls.ec2 });
        const { reservations } = await found.list(terms, options.signal);
        return new Map(reservations.map(({ id, freeInstances }) => [id, freeInstances]));
      });
    },
  };
}

// ---------------------------------------------------------------------------------------------------------------

/** In a region where nobody asked. */
function elsewhere(own: string, asked: string): LookupFailure {
  return { why: 'notAsked', message: `it is in ${own}, and AWS was asked in ${asked}` };
}

/** The newest lines are known only of Nitro instances. */
async function newestOutput(calls: ReaderCalls, InstanceId: string, options: CallOptions) {
  try {
    return await calls.ec2.getConsoleOutput({ InstanceId, Latest: true }, options);
  } catch (error) {
    if (!toAwsError(error).codes.includes('UnsupportedOperation')) throw error;
    return calls.ec2.getConsoleOutput({ InstanceId }, options);
  }
}

/** Without the permission, the rest of the instance is worth an answer. */
function failedChecks(
  calls: ReaderCalls,
  id: string,
  options: CallOptions,
): Promise<LookupResult<readonly string[]>> {
  return looked('ec2:DescribeInstanceStatus', async () => {
    const { InstanceStatuses = [] } = await calls.ec2.describeInstanceStatus({ InstanceIds: [id] }, options);
    return InstanceStatuses.flatMap(({ InstanceStatus, SystemStatus }) => [
      ...(SystemStatus?.Status === 'impaired' ? ['system'] : []),
      ...(InstanceStatus?.Status === 'impaired' ? ['instance'] : []),
    ]);
  });
}

function seenInstance(instance: Instance, checks: SeenInstance['failedChecks']): SeenInstance {
  const { StateReason, MetadataOptions } = instance;
  return {
    state: instance.State?.Name ?? '',
    stateReason: StateReason === undefined ? undefined : reasonText(StateReason.Code, StateReason.Message),
    type: instance.InstanceType,
    imageId: instance.ImageId,
    launchedAtMs: instance.LaunchTime?.getTime(),
    subnetId: instance.SubnetId,
    securityGroupIds: (instance.SecurityGroups ?? []).flatMap(({ GroupId }) => GroupId ?? []),
    publicIp: (instance.PublicIpAddress ?? '') !== '',
    profile: instance.IamInstanceProfile?.Arn?.split('/').at(-1),
    clusterName: instance.Tags?.find(({ Key }) => Key === 'eks:eks-cluster-name')?.Value,
    httpEndpoint: MetadataOptions?.HttpEndpoint,
    httpHopLimit: MetadataOptions?.HttpPutResponseHopLimit,
    privateDnsName: instance.PrivateDnsName,
    failedChecks: checks,
  };
}

/** EC2's message often begins with its code. */
function reasonText(code = '', message = ''): string {
  return message.startsWith(code) ? message : `${code}: ${message}`;
}

/** Of the table of the subnet; one without a table has the main table of its VPC. */
function defaultRoute(
  calls: ReaderCalls,
  subnetId: string,
  vpcId: string | undefined,
  options: CallOptions,
): Promise<LookupResult<DefaultRoute>> {
  const tables = async (filters: readonly (readonly [string, string])[]) =>
    allPages(
      calls.ec2.describeRouteTables,
      { Filters: filters.map(([Name, value]) => ({ Name, Values: [value] })) },
      ({ RouteTables }) => RouteTables,
      options,
    );
  return looked('ec2:DescribeRouteTables', async () => {
    const own = await tables([['association.subnet-id', subnetId]]);
    const main = async () =>
      tables([
        ['vpc-id', vpcId ?? ''],
        ['association.main', 'true'],
      ]);
    const found = own.length > 0 || vpcId === undefined ? own : await main();
    return found.length === 0 ? undefined : routeKind(found.flatMap(({ Routes = [] }) => Routes));
  });
}

function routeKind(routes: readonly Route[]): DefaultRoute {
  const route = routes.find(
    ({ DestinationCidrBlock, DestinationIpv6CidrBlock }) =>
      DestinationCidrBlock === '0.0.0.0/0' || DestinationIpv6CidrBlock === '::/0',
  );
  if (route === undefined) return 'none';
  if (route.State === 'blackhole') return 'blackhole';
  if (route.NatGatewayId !== undefined) return 'nat';
  if (route.TransitGatewayId !== undefined) return 'transitGateway';
  return route.GatewayId?.startsWith('igw-') === true ? 'internetGateway' : 'other';
}

function seenGroup({
  GroupId = '',
  VpcId,
  IpPermissions = [],
  IpPermissionsEgress = [],
}: SecurityGroup): SeenSecurityGroup {
  return {
    id: GroupId,
    vpcId: VpcId,
    allowsHttpsOut: IpPermissionsEgress.some(coversHttps),
    admitsHttpsFrom: [...new Set(IpPermissions.filter(coversHttps).flatMap(sourcesOf))],
  };
}

function coversHttps({ IpProtocol, FromPort = 0, ToPort = 65_535 }: IpPermission): boolean {
  if (IpProtocol === '-1') return true;
  return (IpProtocol === 'tcp' || IpProtocol === '6') && FromPort <= 443 && ToPort >= 443;
}

function sourcesOf({
  UserIdGroupPairs,
  IpRanges,
  Ipv6Ranges,
  PrefixListIds,
}: IpPermission): readonly string[] {
  return [
    ...(UserIdGroupPairs ?? []).flatMap(({ GroupId }) => GroupId ?? []),
    ...(IpRanges ?? []).flatMap(({ CidrIp }) => CidrIp ?? []),
    ...(Ipv6Ranges ?? []).flatMap(({ CidrIpv6 }) => CidrIpv6 ?? []),
    ...(PrefixListIds ?? []).flatMap(({ PrefixListId }) => PrefixListId ?? []),
  ];
}
