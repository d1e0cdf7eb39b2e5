/**
 * What one instance will be, from a launch template and what the request overrides, checked as EC2 checks it. Reads the
 * account and changes nothing; launching.ts takes addresses and capacity.
 */
import type {
  InstanceNetworkInterfaceSpecification,
  RequestLaunchTemplateData,
  TagSpecification,
} from '@aws-sdk/client-ec2';
import type { OfferedType } from '../catalogue/catalogue.ts';
import { type AwsContext, ec2Arn } from '../context.ts';
import { type Right, requestTags, resourceTags } from '../iam/rights.ts';
import { mergedTags } from '../store/account.ts';
import type {
  Image,
  InstanceProfileRecord,
  LaunchTemplateRecord,
  PlacementGroup,
  SecurityGroup,
  Tag,
} from '../store/records.ts';
import type { SubnetRecord } from '../store/subnet-record.ts';
import { ec2Error, invalidParameter, missing } from '../wire/errors.ts';
import { checkTags, taggingRights, tagsFor } from './tags.ts';
import { checkUserData } from './user-data.ts';

/** The data of a template with the overrides applied. */
export type LaunchData = RequestLaunchTemplateData & {
  readonly SubnetId?: string | undefined;
  readonly AvailabilityZone?: string | undefined;
};

export interface LaunchPlan {
  readonly data: LaunchData;
  readonly type: OfferedType;
  readonly image: Image;
  readonly subnet: SubnetRecord;
  readonly securityGroups: readonly SecurityGroup[];
  readonly networkInterfaces: readonly InstanceNetworkInterfaceSpecification[];
  readonly profile: InstanceProfileRecord | undefined;
  readonly placementGroup: PlacementGroup | undefined;
  readonly spot: boolean;
  readonly template: LaunchTemplateRecord | undefined;
  readonly tags: readonly Tag[];
  /** Of the template and the request together. */
  readonly tagSpecifications: readonly TagSpecification[];
  readonly httpTokens: string | undefined;
}

export interface LaunchRequest {
  readonly data: LaunchData;
  readonly template: LaunchTemplateRecord | undefined;
  readonly spot: boolean;
  /** Added to those of the template, which are in `data`. */
  readonly tagSpecifications?: readonly TagSpecification[] | undefined;
  /** What policies about `ec2:MetadataHttpTokens` see. */
  readonly httpTokens: string | undefined;
}

/** @throws {AwsError} with the first thing that EC2 would refuse. */
export function planLaunch(context: AwsContext, request: LaunchRequest): LaunchPlan {
  const { data, template, spot } = request;
  const type = typeOf(context, data);
  const image = imageOf(context, data);
  checkArchitecture(type, image);
  checkUserData(data.UserData);
  const networkInterfaces = data.NetworkInterfaces ?? [];
  if (networkInterfaces.length > 0 && (data.SecurityGroupIds?.length ?? 0) > 0)
    throw ec2Error(
      'InvalidParameterCombination',
      'Network interfaces and an instance-level security groups may not be specified on the same request',
    );
  const subnet = subnetOf(context, data);
  const securityGroups = securityGroupsOf(context, data, subnet);
  checkInterfaces(type, networkInterfaces);
  if (!type.zones.includes(subnet.zone)) throw unsupportedZone(type, subnet.zone);
  if (spot && !type.info.SupportedUsageClasses?.includes('spot'))
    throw ec2Error('Unsupported', `The instance type '${type.name}' does not support the Spot usage class.`);
  checkVolumes(data, image);
  const tagSpecifications = mergedSpecifications(data.TagSpecifications, request.tagSpecifications);
  const tags = tagsFor(tagSpecifications, 'instance');
  for (const { Tags = [] } of tagSpecifications) checkTags(Tags);
  return {
    data,
    type,
    image,
    subnet,
    securityGroups,
    networkInterfaces,
    profile: profileOf(context, data),
    placementGroup: placementGroupOf(context, data),
    spot,
    template,
    tags,
    tagSpecifications,
    httpTokens: request.httpTokens,
  };
}

/** What the caller must be allowed to do for this launch. */
export function launchRights(context: AwsContext, plan: LaunchPlan): readonly Right[] {
  const { settings, account } = context;
  const run = (type: string, id: string, conditions: Right['context'] = {}): Right => ({
    action: 'ec2:RunInstances',
    resource: ec2Arn(settings, type, id),
    context: conditions,
  });
  const created = (type: string, conditions: Right['context'] = {}) =>
    run(type, '*', { ...requestTags(tagsFor(plan.tagSpecifications, type)), ...conditions });
  const role = plan.profile?.roleName === undefined ? undefined : account.roles.get(plan.profile.roleName);
  const { CapacityReservationId } =
    plan.data.CapacityReservationSpecification?.CapacityReservationTarget ?? {};
  return [
    ...(plan.template === undefined
      ? []
      : [
          run(
            'launch-template',
            plan.template.template.LaunchTemplateId!,
            resourceTags(plan.template.template.Tags ?? [], 'ec2'),
          ),
        ]),
    run('image', plan.image.ImageId!, resourceTags(plan.image.Tags ?? [], 'ec2')),
    run('subnet', plan.subnet.id, resourceTags(plan.subnet.shown().Tags ?? [], 'ec2')),
    ...plan.securityGroups.map(({ GroupId, Tags }) =>
      run('security-group', GroupId!, resourceTags(Tags ?? [], 'ec2')),
    ),
    ...(CapacityReservationId === undefined ? [] : [run('capacity-reservation', CapacityReservationId)]),
    ...(plan.placementGroup === undefined ? [] : [run('placement-group', plan.placementGroup.GroupName!)]),
    created('instance', {
      'ec2:InstanceType': plan.type.name,
      'ec2:Tenancy': plan.data.Placement?.Tenancy ?? 'default',
      'ec2:MetadataHttpTokens': plan.httpTokens,
    }),
    created('volume'),
    created('network-interface'),
    ...(plan.spot ? [created('spot-instances-request')] : []),
    ...taggingRights(context, 'RunInstances', plan.tagSpecifications),
    ...(role === undefined
      ? []
      : [
          {
            action: 'iam:PassRole',
            resource: role.arn,
            context: { 'iam:PassedToService': 'ec2.amazonaws.com' },
          },
        ]),
  ];
}

/** Network interfaces of a request replace fields of those of the template with the same card and device. */
export function mergedInterfaces(
  base: readonly InstanceNetworkInterfaceSpecification[] | undefined,
  overrides: readonly InstanceNetworkInterfaceSpecification[] | undefined,
): InstanceNetworkInterfaceSpecification[] {
  const keyOf = ({ NetworkCardIndex = 0, DeviceIndex = 0 }: InstanceNetworkInterfaceSpecification) =>
    `${NetworkCardIndex} ${DeviceIndex}`;
  const merged = new Map((base ?? []).map((each) => [keyOf(each), each]));
  for (const each of overrides ?? []) merged.set(keyOf(each), { ...merged.get(keyOf(each)), ...each });
  return [...merged.values()];
}

// ---------------------------------------------------------------------------------------------------

function typeOf({ catalogue }: AwsContext, { InstanceType }: LaunchData): OfferedType {
  const name = InstanceType ?? 'm1.small';
  const type = catalogue.find(name);
  if (type === undefined) throw invalidParameter(`Invalid value '${name}' for InstanceType.`);
  return type;
}

function imageOf({ account }: AwsContext, { ImageId }: LaunchData): Image {
  if (ImageId === undefined) throw missing('ImageId');
  if (!/^ami-[0-9a-f]+$/.test(ImageId))
    throw ec2Error('InvalidAMIID.Malformed', `Invalid id: "${ImageId}" (expecting "ami-...")`);
  const image = account.images.get(ImageId);
  if (image === undefined)
    throw ec2Error('InvalidAMIID.NotFound', `The image id '[${ImageId}]' does not exist`);
  if (image.State !== 'available')
    throw ec2Error('InvalidAMIID.Unavailable', `The image ID '${ImageId}' is not available`);
  return image;
}

function checkArchitecture(type: OfferedType, image: Image): void {
  const supported = type.info.ProcessorInfo?.SupportedArchitectures ?? [];
  if (supported.some((each) => each === image.Architecture)) return;
  throw invalidParameter(
    `The architecture '${supported.filter((each) => each !== 'i386').join(',')}' of the specified instance type does not match the architecture ` +
      `'${image.Architecture}' of the specified AMI. Specify an instance type and an AMI that have matching architectures, and try again. ` +
      "You can use 'describe-instance-types' or 'describe-images' to discover the architecture of the instance type or AMI.",
  );
}

function subnetOf({ account }: AwsContext, data: LaunchData): SubnetRecord {
  const interfaces = data.NetworkInterfaces ?? [];
  const id = data.SubnetId ?? interfaces.find(({ SubnetId }) => SubnetId !== undefined)?.SubnetId;
  const zone = data.AvailabilityZone ?? data.Placement?.AvailabilityZone;
  if (id === undefined) {
    const usual = [...account.subnets.values()].find(
      (subnet) => subnet.shown().DefaultForAz && (zone === undefined || subnet.zone === zone),
    );
    if (usual !== undefined) return usual;
    throw ec2Error('MissingInput', 'No subnets found for the default VPC. Please specify a subnet.');
  }
  const subnet = account.subnets.get(id);
  if (subnet === undefined)
    throw ec2Error('InvalidSubnetID.NotFound', `The subnet ID '${id}' does not exist`);
  if (zone !== undefined && zone !== '' && zone !== subnet.zone)
    throw invalidParameter(`The subnet '${id}' is in Availability Zone ${subnet.zone}, not in ${zone}.`);
  return subnet;
}

function securityGroupsOf(
  { account }: AwsContext,
  data: LaunchData,
  subnet: SubnetRecord,
): readonly SecurityGroup[] {
  const ids = [
    ...(data.SecurityGroupIds ?? []),
    ...(data.NetworkInterfaces ?? []).flatMap(({ Groups }) => Groups ?? []),
  ];
  return [...new Set(ids)].map((id) => {
    const group = account.securityGroups.get(id);
    if (group === undefined)
      throw ec2Error(
        'InvalidGroup.NotFound',
        `The security group '${id}' does not exist in VPC '${subnet.vpcId}'`,
      );
    if (group.VpcId !== subnet.vpcId)
      throw ec2Error(
        'InvalidParameter',
        `Security group ${id} and subnet ${subnet.id} belong to different networks.`,
      );
    return group;
  });
}

function checkInterfaces(
  type: OfferedType,
  interfaces: readonly InstanceNetworkInterfaceSpecification[],
): void {
  const { NetworkInfo: network } = type.info;
  const max = network?.MaximumNetworkInterfaces ?? 1;
  if (interfaces.length > max)
    throw ec2Error(
      'AttachmentLimitExceeded',
      `Interface count ${interfaces.length} exceeds the limit for ${type.name}`,
    );
  for (const { InterfaceType = 'interface', NetworkCardIndex = 0 } of interfaces) {
    if (InterfaceType.startsWith('efa') && network?.EfaSupported !== true)
      throw ec2Error(
        'Unsupported',
        `Elastic Fabric Adapter interfaces are not supported on the specified instance type '${type.name}'.`,
      );
    if (NetworkCardIndex >= (network?.MaximumNetworkCards ?? 1))
      throw invalidParameter(`Network card index ${NetworkCardIndex} is not valid for ${type.name}`);
  }
}

function checkVolumes(data: LaunchData, image: Image): void {
  for (const { DeviceName, Ebs } of data.BlockDeviceMappings ?? []) {
    const root = image.BlockDeviceMappings?.find((mapping) => mapping.DeviceName === DeviceName)?.Ebs;
    const wanted = Ebs?.VolumeSize;
    if (root?.VolumeSize !== undefined && wanted !== undefined && wanted < root.VolumeSize)
      throw ec2Error(
        'InvalidBlockDeviceMapping',
        `Volume of size ${wanted}GB is smaller than snapshot '${root.SnapshotId}', expect size >= ${root.VolumeSize}GB`,
      );
  }
}

function profileOf({ account, world }: AwsContext, data: LaunchData): InstanceProfileRecord | undefined {
  const { Name, Arn } = data.IamInstanceProfile ?? {};
  if (Name === undefined && Arn === undefined) return undefined;
  const profile = Name === undefined ? account.profileByArn(Arn!) : account.instanceProfiles.get(Name);
  const nowMs = world.clock.now();
  const known = profile !== undefined && profile.usableMs <= nowMs;
  if (!known)
    throw invalidParameter(
      Name === undefined
        ? `Value (${Arn}) for parameter iamInstanceProfile.arn is invalid. Invalid IAM Instance Profile ARN`
        : `Value (${Name}) for parameter iamInstanceProfile.name is invalid. Invalid IAM Instance Profile name`,
    );
  if (profile.roleName === undefined || (profile.roleUsableMs ?? 0) > nowMs)
    throw invalidParameter(`IAM Instance Profile "${profile.arn}" has no associated IAM Roles`);
  return profile;
}

function placementGroupOf({ account }: AwsContext, { Placement }: LaunchData): PlacementGroup | undefined {
  const { GroupName, GroupId } = Placement ?? {};
  if (!GroupName && !GroupId) return undefined;
  for (const group of account.placementGroups.values())
    if (GroupId ? group.GroupId === GroupId : group.GroupName === GroupName) return group;
  throw ec2Error(
    'InvalidPlacementGroup.Unknown',
    `The Placement Group '${GroupName ?? GroupId}' is unknown.`,
  );
}

function unsupportedZone(type: OfferedType, zone: string) {
  return ec2Error(
    'Unsupported',
    `Your requested instance type (${type.name}) is not supported in your requested Availability Zone (${zone}). ` +
      `Please retry your request by not specifying an Availability Zone or choosing ${type.zones.join(', ')}.`,
  );
}

function mergedSpecifications(
  ...lists: readonly (readonly TagSpecification[] | undefined)[]
): readonly TagSpecification[] {
  const byType = new Map<string, readonly Tag[]>();
  for (const list of lists)
    for (const { ResourceType = 'instance', Tags = [] } of list ?? [])
      byType.set(ResourceType, mergedTags(byType.get(ResourceType), Tags));
  return [...byType].map(([ResourceType, tags]) => ({ ResourceType, Tags: [...tags] }) as TagSpecification);
}
