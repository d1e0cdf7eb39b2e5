/**
 * A launch template and its name. The name is a hash of everything in the template: the same content has the same name,
 * in every process and after every restart, and another content another one. So a template is never changed, and
 * `$Latest` is its only version. The hash is our own; Karpenter's templates have other names and are not shared.
 */
import { createHash } from 'node:crypto';
import { parseQuantity } from '@chandler/kube';
import {
  AWS_GROUP,
  type BlockDeviceMapping,
  CapacityType,
  type EC2NodeClassSpec,
} from '../../../api/index.ts';
import { byCodeUnit } from '../../../scheduling/index.ts';

import type {
  CreateLaunchTemplateRequest,
  LaunchTemplateData,
  TemplateBlockDeviceMapping,
  TemplateEbs,
  TemplateMetadataOptions,
  Tenancy,
} from './ec2-shapes.ts';
import type { CapacityTypeName, ReservationKind } from './launch-types.ts';
import { networkInterfaces } from './network-interfaces.ts';
import { type Tags, tagList, tagSpecifications } from './tags.ts';

export interface TemplateInput {
  readonly region: string;
  readonly ipFamily: 'ipv4' | 'ipv6';
  readonly spec: Pick<
    EC2NodeClassSpec,
    | 'associatePublicIPAddress'
    | 'connectionTracking'
    | 'cpuOptions'
    | 'detailedMonitoring'
    | 'ipPrefixCount'
    | 'metadataOptions'
    | 'networkInterfaces'
  >;
  /** Of the class, or the default of its image family. */
  readonly blockDeviceMappings: readonly BlockDeviceMapping[];
  readonly imageId: string;
  /** In base64. */
  readonly userData: string;
  readonly instanceProfile: string;
  readonly securityGroupIds: readonly string[];
  readonly tags: Tags;
  readonly efaCount: number;
  readonly enclaves: boolean;
  readonly capacityType: CapacityTypeName;
  /** Of a reserved launch. */
  readonly reservation?: (ReservationKind & { readonly id: string }) | undefined;
  readonly tenancy: Tenancy;
  readonly placementGroupId?: string | undefined;
  readonly partition?: string | undefined;
  /** Whether the gate ReservedCapacity is open: then open reservations are used only where they are meant. */
  readonly reservedCapacity: boolean;
}

export function launchTemplate(input: TemplateInput): CreateLaunchTemplateRequest {
  const LaunchTemplateData = templateData(input);
  return {
    LaunchTemplateName: launchTemplateName(LaunchTemplateData, input.tags),
    LaunchTemplateData,
    TagSpecifications: tagSpecifications(['launch-template'], input.tags),
  };
}

export const LAUNCH_TEMPLATE_PREFIX = `${AWS_GROUP}/`;

/** Resources by which a claim asks for EFA interfaces and for Nitro enclaves. */
export const EFA_RESOURCE = 'vpc.amazonaws.com/efa';
export const ENCLAVE_RESOURCE = 'eks.amazonaws.com/nitro-sandbox';

// ---------------------------------------------------------------------------------------------------------------

/** 128 bits: two contents never meet in one name. */
const HASH_LENGTH = 32;
const GIB = 2 ** 30;
/** The isolated regions whose EC2 does not know the field. */
const WITHOUT_IPV6_METADATA = /^us-iso[bf]?-/;

/** The tags count, too: the controller finds a template of a class by them. */
function launchTemplateName(data: LaunchTemplateData, tags: Tags): string {
  const content = JSON.stringify([canonical(data), tagList(tags)]);
  return `${LAUNCH_TEMPLATE_PREFIX}${createHash('sha256').update(content).digest('hex').slice(0, HASH_LENGTH)}`;
}

/** With keys in order, so that the way in which an object was built does not count. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(
    entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, each]) => [key, canonical(each)]),
  );
}

function templateData(input: TemplateInput): LaunchTemplateData {
  const { spec, placementGroupId, partition } = input;
  // In which order a class lists its disks does not matter to EC2.
  const disks = input.blockDeviceMappings
    .map(blockDeviceMapping)
    .sort((a, b) => byCodeUnit(a.DeviceName ?? '', b.DeviceName ?? ''));
  const virtualization = spec.cpuOptions?.nestedVirtualization;
  const isSpot = input.capacityType === CapacityType.spot;
  return {
    // EC2 refuses an empty list.
    ...(disks.length === 0 ? {} : { BlockDeviceMappings: disks }),
    ...(virtualization === undefined ? {} : { CpuOptions: { NestedVirtualization: virtualization } }),
    EnclaveOptions: { Enabled: input.enclaves },
    IamInstanceProfile: { Name: input.instanceProfile },
    ImageId: input.imageId,
    MetadataOptions: metadataOptions(input),
    Monitoring: { Enabled: spec.detailedMonitoring === true },
    NetworkInterfaces: networkInterfaces(input),
    Placement: {
      Tenancy: input.tenancy,
      ...(placementGroupId === undefined ? {} : { GroupId: placementGroupId }),
      ...(partition === undefined ? {} : { PartitionNumber: Number(partition) }),
    },
    TagSpecifications: tagSpecifications(
      ['network-interface', ...(isSpot ? (['spot-instances-request'] as const) : [])],
      input.tags,
    ),
    UserData: input.userData,
    ...(input.reservedCapacity ? reservationData(input) : {}),
  };
}

/** `none` keeps ordinary instances out of reservations that are open to all. */
function reservationData({
  reservation,
}: TemplateInput): Pick<LaunchTemplateData, 'CapacityReservationSpecification' | 'InstanceMarketOptions'> {
  if (reservation === undefined)
    return { CapacityReservationSpecification: { CapacityReservationPreference: 'none' } };
  return {
    CapacityReservationSpecification: {
      CapacityReservationPreference: 'capacity-reservations-only',
      CapacityReservationTarget: { CapacityReservationId: reservation.id },
    },
    ...marketOptions(reservation),
  };
}

function marketOptions({
  type,
  interruptible,
}: ReservationKind): Pick<LaunchTemplateData, 'InstanceMarketOptions'> {
  if (type === 'capacity-block') return { InstanceMarketOptions: { MarketType: 'capacity-block' } };
  return interruptible ? { InstanceMarketOptions: { MarketType: 'interruptible-capacity-reservation' } } : {};
}

/** The defaults hold only for a class that was written past the API server, which fills in others. */
function metadataOptions({ spec, ipFamily, region }: TemplateInput): TemplateMetadataOptions {
  const own = spec.metadataOptions;
  const ipv6 = own === undefined ? (ipFamily === 'ipv6' ? 'enabled' : 'disabled') : own.httpProtocolIPv6;
  const knowsIpv6 = ipv6 !== undefined && !WITHOUT_IPV6_METADATA.test(region);
  return {
    HttpEndpoint: own === undefined ? 'disabled' : (own.httpEndpoint ?? 'enabled'),
    ...(knowsIpv6 ? { HttpProtocolIpv6: ipv6 } : {}),
    HttpPutResponseHopLimit: own === undefined ? 2 : (own.httpPutResponseHopLimit ?? 1),
    HttpTokens: own?.httpTokens ?? 'required',
    // An account may turn them on by default, and then EC2 refuses tags with a slash in their key.
    InstanceMetadataTags: 'disabled',
  };
}

function blockDeviceMapping({ deviceName, ebs }: BlockDeviceMapping): TemplateBlockDeviceMapping {
  return {
    ...(deviceName === undefined ? {} : { DeviceName: deviceName }),
    ...(ebs === undefined ? {} : { Ebs: ebsOf(ebs) }),
  };
}

function ebsOf(ebs: NonNullable<BlockDeviceMapping['ebs']>): TemplateEbs {
  const fields: { [field in keyof TemplateEbs]: TemplateEbs[field] | undefined } = {
    DeleteOnTermination: ebs.deleteOnTermination,
    Encrypted: ebs.encrypted,
    // 0 means that the volume type decides, and EC2 refuses it.
    Iops: ebs.iops === 0 ? undefined : ebs.iops,
    KmsKeyId: ebs.kmsKeyID,
    SnapshotId: ebs.snapshotID,
    Throughput: ebs.throughput === 0 ? undefined : ebs.throughput,
    VolumeInitializationRate: ebs.volumeInitializationRate,
    VolumeSize:
      ebs.volumeSize === undefined ? undefined : Math.ceil(parseQuantity(ebs.volumeSize).toNumber() / GIB),
    VolumeType: ebs.volumeType,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
