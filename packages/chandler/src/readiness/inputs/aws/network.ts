/** The network of the cluster: subnets, security groups, ways out of the VPC and endpoints in it. */
import type { IpPermission, Route, RouteTable, SecurityGroup, Tag } from '@aws-sdk/client-ec2';
import type { AccountReading } from './account-reading.ts';
import type { SeenCluster } from './cluster.ts';

const ACTIONS = [
  'ec2:DescribeRouteTables',
  'ec2:DescribeSecurityGroups',
  'ec2:DescribeSubnets',
  'ec2:DescribeVpcEndpoints',
] as const;

export async function readNetwork(reading: AccountReading, { missing, vpcId }: SeenCluster): Promise<void> {
  if (vpcId === undefined) {
    reading.skip(ACTIONS, missing ?? 'the VPC of the cluster is not known');
    return;
  }
  const Filters = [{ Name: 'vpc-id', Values: [vpcId] }];
  await Promise.all([
    readSubnets(reading, Filters),
    readGroups(reading, Filters),
    readRouteTables(reading, Filters),
    readEndpoints(reading, Filters),
  ]);
}

// ---------------------------------------------------------------------------------------------------------------

type Filters = { readonly Name: string; readonly Values: string[] }[];

async function readSubnets(reading: AccountReading, Filters: Filters): Promise<void> {
  const answer = await reading.list('ec2:DescribeSubnets', async (aws, options, NextToken) => {
    const page = await aws.ec2.describeSubnets({ Filters, NextToken }, options);
    return { items: page.Subnets ?? [], next: page.NextToken };
  });
  for (const subnet of 'found' in answer ? answer.found : [])
    reading.add('ec2:DescribeSubnets', 'aws_subnet', subnet.SubnetId ?? '', {
      id: subnet.SubnetId,
      vpc_id: subnet.VpcId,
      cidr_block: subnet.CidrBlock,
      availability_zone: subnet.AvailabilityZone,
      map_public_ip_on_launch: subnet.MapPublicIpOnLaunch,
      available_ip_address_count: subnet.AvailableIpAddressCount,
      tags: tagsOf(subnet.Tags),
    });
}

async function readGroups(reading: AccountReading, Filters: Filters): Promise<void> {
  const answer = await reading.list('ec2:DescribeSecurityGroups', async (aws, options, NextToken) => {
    const page = await aws.ec2.describeSecurityGroups({ Filters, NextToken }, options);
    return { items: page.SecurityGroups ?? [], next: page.NextToken };
  });
  for (const group of 'found' in answer ? answer.found : [])
    reading.add('ec2:DescribeSecurityGroups', 'aws_security_group', group.GroupId ?? '', groupValues(group));
}

function groupValues({ GroupId, GroupName, VpcId, Tags, IpPermissions, IpPermissionsEgress }: SecurityGroup) {
  return {
    id: GroupId,
    name: GroupName,
    vpc_id: VpcId,
    tags: tagsOf(Tags),
    ingress: (IpPermissions ?? []).map((rule) => ruleValues(rule)),
    egress: (IpPermissionsEgress ?? []).map((rule) => ruleValues(rule)),
  };
}

function ruleValues(rule: IpPermission) {
  return {
    protocol: rule.IpProtocol,
    from_port: rule.FromPort ?? 0,
    to_port: rule.ToPort ?? 65_535,
    security_groups: (rule.UserIdGroupPairs ?? []).flatMap(({ GroupId }) => GroupId ?? []),
    cidr_blocks: (rule.IpRanges ?? []).flatMap(({ CidrIp }) => CidrIp ?? []),
    ipv6_cidr_blocks: (rule.Ipv6Ranges ?? []).flatMap(({ CidrIpv6 }) => CidrIpv6 ?? []),
    prefix_list_ids: (rule.PrefixListIds ?? []).flatMap(({ PrefixListId }) => PrefixListId ?? []),
  };
}

async function readRouteTables(reading: AccountReading, Filters: Filters): Promise<void> {
  const answer = await reading.list('ec2:DescribeRouteTables', async (aws, options, NextToken) => {
    const page = await aws.ec2.describeRouteTables({ Filters, NextToken }, options);
    return { items: page.RouteTables ?? [], next: page.NextToken };
  });
  for (const table of 'found' in answer ? answer.found : [])
    reading.add('ec2:DescribeRouteTables', 'aws_route_table', table.RouteTableId ?? '', tableValues(table));
}

function tableValues({ RouteTableId, VpcId, Routes = [], Associations = [] }: RouteTable) {
  return {
    id: RouteTableId,
    vpc_id: VpcId,
    main: Associations.some(({ Main }) => Main === true),
    subnet_ids: Associations.flatMap(({ SubnetId }) => SubnetId ?? []),
    route: Routes.map(routeValues),
  };
}

function routeValues(route: Route) {
  return {
    cidr_block: route.DestinationCidrBlock,
    ipv6_cidr_block: route.DestinationIpv6CidrBlock,
    gateway_id: route.GatewayId,
    nat_gateway_id: route.NatGatewayId,
    transit_gateway_id: route.TransitGatewayId,
    network_interface_id: route.NetworkInterfaceId,
    state: route.State,
  };
}

async function readEndpoints(reading: AccountReading, Filters: Filters): Promise<void> {
  const answer = await reading.list('ec2:DescribeVpcEndpoints', async (aws, options, NextToken) => {
    const page = await aws.ec2.describeVpcEndpoints({ Filters, NextToken }, options);
    return { items: page.VpcEndpoints ?? [], next: page.NextToken };
  });
  for (const endpoint of 'found' in answer ? answer.found : [])
    reading.add('ec2:DescribeVpcEndpoints', 'aws_vpc_endpoint', endpoint.VpcEndpointId ?? '', {
      id: endpoint.VpcEndpointId,
      service_name: endpoint.ServiceName,
      vpc_endpoint_type: endpoint.VpcEndpointType,
      private_dns_enabled: endpoint.PrivateDnsEnabled ?? false,
      state: endpoint.State,
      subnet_ids: endpoint.SubnetIds ?? [],
      route_table_ids: endpoint.RouteTableIds ?? [],
      security_group_ids: (endpoint.Groups ?? []).flatMap(({ GroupId }) => GroupId ?? []),
    });
}

function tagsOf(tags: readonly Tag[] = []): object {
  return Object.fromEntries(tags.map(({ Key = '', Value = '' }) => [Key, Value]));
}
