/** DescribeVpcs, DescribeVpcEndpoints, DescribeSubnets, DescribeRouteTables, DescribeSecurityGroups, DescribePlacementGroups, DescribeAvailabilityZones. */
import type { RouteTable } from '@aws-sdk/client-ec2';
import type { AwsContext, Zone } from '../context.ts';
import type { PlacementGroup, SecurityGroup, Vpc, VpcEndpoint } from '../store/records.ts';
import type { SubnetRecord } from '../store/subnet-record.ts';
import type { Operation } from '../wire/aws-request.ts';
import { type DescribeRow, describeOperation } from './describe.ts';

export function networkOperations(context: AwsContext): readonly Operation[] {
  return [
    describeOperation(context, VPCS),
    describeOperation(context, VPC_ENDPOINTS),
    describeOperation(context, SUBNETS),
    describeOperation(context, ROUTE_TABLES),
    describeOperation(context, SECURITY_GROUPS),
    describeOperation(context, PLACEMENT_GROUPS),
    describeOperation(context, zonesRow()),
  ];
}

// ---------------------------------------------------------------------------------------------------

const VPCS: DescribeRow<Vpc> = {
  action: 'DescribeVpcs',
  member: 'Vpcs',
  items: ({ account }) => [...account.vpcs.values()],
  key: ({ VpcId }) => VpcId ?? '',
  selectors: [
    {
      param: 'VpcIds',
      of: ({ VpcId }) => VpcId,
      code: 'InvalidVpcID.NotFound',
      message: (id) => `The vpc ID '${id}' does not exist`,
    },
  ],
  filters: {
    'vpc-id': ({ VpcId }) => VpcId,
    cidr: ({ CidrBlock }) => CidrBlock,
    state: ({ State }) => State,
    'is-default': ({ IsDefault }) => IsDefault,
    'owner-id': ({ OwnerId }) => OwnerId,
  },
  tags: ({ Tags }) => Tags ?? [],
  page: { min: 5, max: 1000 },
};

const VPC_ENDPOINTS: DescribeRow<VpcEndpoint> = {
  action: 'DescribeVpcEndpoints',
  member: 'VpcEndpoints',
  items: ({ account }) => [...account.vpcEndpoints.values()],
  key: ({ VpcEndpointId }) => VpcEndpointId ?? '',
  selectors: [
    {
      param: 'VpcEndpointIds',
      of: ({ VpcEndpointId }) => VpcEndpointId,
      code: 'InvalidVpcEndpointId.NotFound',
      message: (id) => `The Vpc Endpoint Id '${id}' does not exist`,
    },
  ],
  filters: {
    'vpc-id': ({ VpcId }) => VpcId,
    'vpc-endpoint-id': ({ VpcEndpointId }) => VpcEndpointId,
    'vpc-endpoint-type': ({ VpcEndpointType }) => VpcEndpointType,
    'vpc-endpoint-state': ({ State }) => State,
    'service-name': ({ ServiceName }) => ServiceName,
  },
  tags: ({ Tags }) => Tags ?? [],
  page: { min: 5, max: 1000 },
};

const SUBNETS: DescribeRow<SubnetRecord> = {
  action: 'DescribeSubnets',
  member: 'Subnets',
  items: ({ account }) => [...account.subnets.values()],
  key: ({ id }) => id,
  selectors: [
    {
      param: 'SubnetIds',
      of: ({ id }) => id,
      code: 'InvalidSubnetID.NotFound',
      message: (id) => `The subnet ID '${id}' does not exist`,
    },
  ],
  filters: {
    'subnet-id': ({ id }) => id,
    'vpc-id': ({ vpcId }) => vpcId,
    'availability-zone': ({ zone }) => zone,
    availabilityZone: ({ zone }) => zone,
    'availability-zone-id': (subnet) => subnet.shown().AvailabilityZoneId,
    'available-ip-address-count': ({ free }) => free,
    'cidr-block': (subnet) => subnet.shown().CidrBlock,
    state: (subnet) => subnet.shown().State,
    'default-for-az': (subnet) => subnet.shown().DefaultForAz,
    'map-public-ip-on-launch': (subnet) => subnet.shown().MapPublicIpOnLaunch,
    'owner-id': (subnet) => subnet.shown().OwnerId,
    'subnet-arn': (subnet) => subnet.shown().SubnetArn,
  },
  tags: (subnet) => subnet.shown().Tags ?? [],
  page: { min: 5, max: 1000 },
  shown: (subnet) => subnet.shown(),
};

/** Every subnet has a table of its own. */
const ROUTE_TABLES: DescribeRow<RouteTable> = {
  action: 'DescribeRouteTables',
  member: 'RouteTables',
  items: ({ account }) => [...account.subnets.values()].map(routeTable),
  key: ({ RouteTableId }) => RouteTableId ?? '',
  selectors: [
    {
      param: 'RouteTableIds',
      of: ({ RouteTableId }) => RouteTableId,
      code: 'InvalidRouteTableID.NotFound',
      message: (id) => `The routeTable ID '${id}' does not exist`,
    },
  ],
  filters: {
    'route-table-id': ({ RouteTableId }) => RouteTableId,
    'vpc-id': ({ VpcId }) => VpcId,
    'association.subnet-id': ({ Associations }) => Associations?.[0]?.SubnetId,
    'association.main': () => false,
  },
  page: { min: 5, max: 100 },
};

const GATEWAYS = {
  nat: { NatGatewayId: 'nat-0123456789abcdef0' },
  internet: { GatewayId: 'igw-0123456789abcdef0' },
  transit: { TransitGatewayId: 'tgw-0123456789abcdef0' },
} as const;

function routeTable({ id, vpcId, routed, gateway, blackhole }: SubnetRecord): RouteTable {
  const RouteTableId = id.replace('subnet-', 'rtb-');
  return {
    RouteTableId,
    VpcId: vpcId,
    Associations: [
      {
        Main: false,
        RouteTableAssociationId: id.replace('subnet-', 'rtbassoc-'),
        RouteTableId,
        SubnetId: id,
      },
    ],
    Routes: [
      {
        DestinationCidrBlock: '10.0.0.0/16',
        GatewayId: 'local',
        State: 'active',
        Origin: 'CreateRouteTable',
      },
      ...(routed
        ? ([
            {
              DestinationCidrBlock: '0.0.0.0/0',
              ...GATEWAYS[gateway],
              State: blackhole ? 'blackhole' : 'active',
              Origin: 'CreateRoute',
            },
          ] as const)
        : []),
    ],
    Tags: [],
  };
}

const SECURITY_GROUPS: DescribeRow<SecurityGroup> = {
  action: 'DescribeSecurityGroups',
  member: 'SecurityGroups',
  items: ({ account }) => [...account.securityGroups.values()],
  key: ({ GroupId }) => GroupId ?? '',
  selectors: [
    {
      param: 'GroupIds',
      of: ({ GroupId }) => GroupId,
      code: 'InvalidGroup.NotFound',
      message: (id) => `The security group '${id}' does not exist`,
      form: {
        pattern: /^sg-[0-9a-f]+$/,
        code: 'InvalidGroupId.Malformed',
        message: (id) => `Invalid id: "${id}" (expecting "sg-...")`,
      },
    },
    {
      param: 'GroupNames',
      of: ({ GroupName }) => GroupName,
      code: 'InvalidGroup.NotFound',
      message: (name) => `The security group '${name}' does not exist in default VPC`,
    },
  ],
  filters: {
    'group-id': ({ GroupId }) => GroupId,
    'group-name': ({ GroupName }) => GroupName,
    'vpc-id': ({ VpcId }) => VpcId,
    'owner-id': ({ OwnerId }) => OwnerId,
    description: ({ Description }) => Description,
  },
  tags: ({ Tags }) => Tags ?? [],
  page: { min: 5, max: 1000 },
  shown: (group, { account }) =>
    account.isolatedGroups.has(group.GroupId ?? '') ? { ...group, IpPermissionsEgress: [] } : group,
};

const PLACEMENT_GROUPS: DescribeRow<PlacementGroup> = {
  action: 'DescribePlacementGroups',
  member: 'PlacementGroups',
  items: ({ account }) => [...account.placementGroups.values()],
  key: ({ GroupId }) => GroupId ?? '',
  selectors: [
    {
      param: 'GroupIds',
      of: ({ GroupId }) => GroupId,
      code: 'InvalidPlacementGroupId.NotFound',
      message: (id) => `The placement group ID '${id}' does not exist`,
    },
    {
      param: 'GroupNames',
      of: ({ GroupName }) => GroupName,
      code: 'InvalidPlacementGroup.Unknown',
      message: (name) => `The Placement Group '${name}' is unknown.`,
    },
  ],
  filters: {
    'group-name': ({ GroupName }) => GroupName,
    'group-arn': ({ GroupArn }) => GroupArn,
    state: ({ State }) => State,
    strategy: ({ Strategy }) => Strategy,
    'spread-level': ({ SpreadLevel }) => SpreadLevel,
  },
  tags: ({ Tags }) => Tags ?? [],
};

function zonesRow(): DescribeRow<Zone> {
  return {
    action: 'DescribeAvailabilityZones',
    member: 'AvailabilityZones',
    items: ({ settings }) => settings.zones,
    key: ({ name }) => name,
    selectors: [
      {
        param: 'ZoneNames',
        of: ({ name }) => name,
        code: 'InvalidParameterValue',
        message: (name) => `Invalid availability zone: [${name}]`,
      },
      {
        param: 'ZoneIds',
        of: ({ id }) => id,
        code: 'InvalidParameterValue',
        message: (id) => `Invalid availability zone-id: [${id}]`,
      },
    ],
    filters: {
      'zone-name': ({ name }) => name,
      'zone-id': ({ id }) => id,
      state: () => 'available',
      'zone-type': () => 'availability-zone',
      'opt-in-status': () => 'opt-in-not-required',
      'region-name': ({ name }) => name.slice(0, -1),
    },
    shown: ({ name, id }, { settings: { region } }) => ({
      ZoneName: name,
      ZoneId: id,
      State: 'available',
      OptInStatus: 'opt-in-not-required',
      RegionName: region,
      GroupName: `${region}-zg-1`,
      NetworkBorderGroup: region,
      ZoneType: 'availability-zone',
      Messages: [],
    }),
  };
}
