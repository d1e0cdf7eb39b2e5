/**
 * Launches a planned instance: quota, capacity reservation, stock, spread, addresses, in this order. Each can refuse with the
 * code of EC2; when all agree, the instance is pending.
 */
import type { Instance } from '@aws-sdk/client-ec2';
import type { AwsContext } from '../context.ts';
import { valueText } from '../faults/parse-fault.ts';
import { mergedTags } from '../store/account.ts';
import type { CapacityReservation, InstanceRecord, Tag } from '../store/records.ts';
import { type AwsError, ec2Error } from '../wire/errors.ts';
import type { InstanceStates } from './instance-states.ts';
import type { LaunchPlan } from './launch-plan.ts';
import type { Quotas } from './quotas.ts';
import { reservationFor } from './reservations.ts';

export interface LaunchExtras {
  readonly reservationId: string;
  readonly clientToken?: string | undefined;
  /** Tags that EC2 adds. */
  readonly systemTags?: readonly Tag[];
}

export class Launching {
  readonly #context: AwsContext;
  readonly #quotas: Quotas;
  readonly #states: InstanceStates;

  constructor(context: AwsContext, quotas: Quotas, states: InstanceStates) {
    this.#context = context;
    this.#quotas = quotas;
    this.#states = states;
  }

  /** @throws {AwsError} where it cannot be launched now. */
  launch(plan: LaunchPlan, extras: LaunchExtras): InstanceRecord {
    const { account, catalogue } = this.#context;
    const { type, subnet, spot } = plan;
    const capacity = spot ? 'spot' : 'on-demand';
    this.#injected(plan);
    if (spot && !account.spotServiceRole)
      throw ec2Error(
        'AuthFailure.ServiceLinkedRoleCreationNotPermitted',
        'The provided credentials do not have permission to create the service-linked role for EC2 Spot Instances.',
      );
    this.#quotas.require(type, spot);
    const reservation = reservationFor(this.#context, plan);
    if (reservation === undefined && !catalogue.inStock(type.name, subnet.zone, capacity))
      throw this.#insufficient(plan);
    this.#checkSpread(plan);
    const address = subnet.take();
    if (address === undefined)
      throw ec2Error(
        'InsufficientFreeAddressesInSubnet',
        `There are not enough free addresses in subnet '${subnet.id}' to satisfy the requested number of instances.`,
      );
    if (reservation === undefined) catalogue.changeStock(type.name, subnet.zone, capacity, -1);
    else reservation.AvailableInstanceCount = (reservation.AvailableInstanceCount ?? 0) - 1;
    const record = this.#record(plan, extras, address, reservation);
    account.instances.set(record.id, record);
    this.#states.started(record);
    return record;
  }

  #injected({ type, subnet, spot, tags, data }: LaunchPlan): void {
    const nodepool = tags.find(({ Key }) => Key === 'karpenter.sh/nodepool')?.Value;
    // What is reserved is there.
    const isReserved = data.CapacityReservationSpecification?.CapacityReservationTarget !== undefined;
    const subject = {
      service: 'ec2',
      action: 'RunInstances',
      zone: subnet.zone,
      size: type.name,
      capacity: spot ? 'spot' : 'on-demand',
      ...(nodepool === undefined ? {} : { nodepool }),
    } as const;
    const fault = this.#context.faults.trigger(
      'launch',
      subject,
      (name) => name !== 'capacity' || !isReserved,
    );
    if (fault?.name === 'capacity') throw insufficientCapacity(type.name, subnet.zone, type.zones, spot);
    if (fault !== undefined) throw ec2Error(valueText(fault), `The launch failed with ${valueText(fault)}.`);
  }

  #insufficient({ type, subnet, spot }: LaunchPlan): AwsError {
    const { catalogue } = this.#context;
    const capacity = spot ? 'spot' : 'on-demand';
    const others = type.zones.filter((zone) => catalogue.inStock(type.name, zone, capacity));
    return insufficientCapacity(type.name, subnet.zone, others, spot);
  }

  #checkSpread({ placementGroup, subnet }: LaunchPlan): void {
    if (placementGroup?.Strategy !== 'spread') return;
    let members = 0;
    for (const { placementGroupId, zone } of this.#context.account.active())
      if (placementGroupId === placementGroup.GroupId && zone === subnet.zone) members += 1;
    if (members >= 7)
      throw ec2Error(
        'InsufficientInstanceCapacity',
        "You've reached the limit of instances in this spread placement group. A spread placement group can have up to seven instances per Availability Zone.",
      );
  }

  #record(
    plan: LaunchPlan,
    extras: LaunchExtras,
    privateIp: string,
    reservation: CapacityReservation | undefined,
  ): InstanceRecord {
    const { account, world, latencies, settings } = this.#context;
    const id = account.newId('i');
    const launchedMs = world.clock.now();
    const nodeName = `ip-${privateIp.replaceAll('.', '-')}.${dnsDomain(settings.region)}`;
    return {
      id,
      reservationId: extras.reservationId,
      launchedMs,
      visibleMs: launchedMs + latencies.consistencyMs * world.random.next(),
      type: plan.type.name,
      zone: plan.subnet.zone,
      subnetId: plan.subnet.id,
      privateIp,
      nodeName,
      spot: plan.spot,
      imageId: plan.image.ImageId!,
      userData: plan.data.UserData ?? '',
      profileArn: plan.profile?.arn,
      reservedBy: reservation?.CapacityReservationId,
      placementGroupId: plan.placementGroup?.GroupId,
      launched: instanceShape(
        this.#context,
        plan,
        { id, privateIp, nodeName, launchedMs },
        extras,
        reservation,
      ),
      state: 'pending',
      stateReason: undefined,
      stateTransition: '',
      tags: mergedTags(plan.tags, extras.systemTags),
      terminatedMs: undefined,
      instanceImpairedMs: undefined,
      systemImpairedMs: undefined,
      events: [],
      serialLines: [],
    };
  }
}

// ---------------------------------------------------------------------------------------------------

export function dnsDomain(region: string): string {
  return region === 'us-east-1' ? 'ec2.internal' : `${region}.compute.internal`;
}

function insufficientCapacity(
  type: string,
  zone: string,
  others: readonly string[],
  spot: boolean,
): AwsError {
  if (spot)
    return ec2Error(
      'InsufficientInstanceCapacity',
      'There is no Spot capacity available that matches your request.',
    );
  const elsewhere = others.filter((each) => each !== zone);
  const advice =
    elsewhere.length === 0
      ? ''
      : ` You can currently get ${type} capacity by not specifying an Availability Zone in your request or choosing ${elsewhere.join(', ')}.`;
  return ec2Error(
    'InsufficientInstanceCapacity',
    `We currently do not have sufficient ${type} capacity in the Availability Zone you requested (${zone}). ` +
      `Our system will be working on provisioning additional capacity.${advice}`,
  );
}

interface Facts {
  readonly id: string;
  readonly privateIp: string;
  readonly nodeName: string;
  readonly launchedMs: number;
}

function instanceShape(
  { account, settings }: AwsContext,
  plan: LaunchPlan,
  { id, privateIp, nodeName, launchedMs }: Facts,
  { clientToken }: LaunchExtras,
  reservation: CapacityReservation | undefined,
): Instance {
  const { data, type, image, subnet, securityGroups, profile, placementGroup, spot } = plan;
  const groups = securityGroups.map(({ GroupId, GroupName }) => ({ GroupId, GroupName }));
  const launchTime = new Date(Math.floor(launchedMs / 1000) * 1000);
  const specification = data.CapacityReservationSpecification;
  return {
    InstanceId: id,
    ImageId: image.ImageId,
    InstanceType: type.info.InstanceType,
    LaunchTime: launchTime,
    AmiLaunchIndex: 0,
    Architecture: image.Architecture,
    ...(image.Platform === undefined ? {} : { Platform: image.Platform }),
    PlatformDetails: image.PlatformDetails,
    ClientToken: clientToken ?? '',
    EbsOptimized: type.info.EbsInfo?.EbsOptimizedSupport === 'default',
    EnaSupport: true,
    Hypervisor: 'xen',
    VirtualizationType: 'hvm',
    RootDeviceName: image.RootDeviceName,
    RootDeviceType: 'ebs',
    SourceDestCheck: true,
    PrivateDnsName: nodeName,
    PrivateIpAddress: privateIp,
    SubnetId: subnet.id,
    VpcId: subnet.vpcId,
    SecurityGroups: groups,
    Monitoring: { State: data.Monitoring?.Enabled ? 'enabled' : 'disabled' },
    ...(profile === undefined ? {} : { IamInstanceProfile: { Arn: profile.arn, Id: profile.id } }),
    ...(spot ? { InstanceLifecycle: 'spot', SpotInstanceRequestId: account.newId('sir').slice(0, 12) } : {}),
    ...(data.InstanceMarketOptions?.MarketType === 'capacity-block'
      ? { InstanceLifecycle: 'capacity-block' }
      : {}),
    CpuOptions: {
      CoreCount: type.info.VCpuInfo?.DefaultCores,
      ThreadsPerCore: type.info.VCpuInfo?.DefaultThreadsPerCore,
    },
    ...(reservation === undefined ? {} : { CapacityReservationId: reservation.CapacityReservationId }),
    CapacityReservationSpecification: {
      CapacityReservationPreference: specification?.CapacityReservationPreference ?? 'open',
      ...(specification?.CapacityReservationTarget === undefined
        ? {}
        : {
            CapacityReservationTarget: {
              CapacityReservationId: specification.CapacityReservationTarget.CapacityReservationId,
            },
          }),
    },
    EnclaveOptions: { Enabled: data.EnclaveOptions?.Enabled ?? false },
    MetadataOptions: {
      State: 'applied',
      HttpEndpoint: data.MetadataOptions?.HttpEndpoint ?? 'enabled',
      HttpTokens: data.MetadataOptions?.HttpTokens ?? 'optional',
      HttpPutResponseHopLimit: data.MetadataOptions?.HttpPutResponseHopLimit ?? 1,
      HttpProtocolIpv6: data.MetadataOptions?.HttpProtocolIpv6 ?? 'disabled',
      InstanceMetadataTags: data.MetadataOptions?.InstanceMetadataTags ?? 'disabled',
    },
    Placement: {
      AvailabilityZone: subnet.zone,
      AvailabilityZoneId: settings.zones.find(({ name }) => name === subnet.zone)?.id,
      Tenancy: data.Placement?.Tenancy ?? 'default',
      ...(placementGroup === undefined
        ? {}
        : { GroupName: placementGroup.GroupName, GroupId: placementGroup.GroupId }),
      ...(data.Placement?.PartitionNumber === undefined
        ? {}
        : { PartitionNumber: data.Placement.PartitionNumber }),
    },
    BlockDeviceMappings: volumesOf(plan).map((DeviceName) => ({
      DeviceName,
      Ebs: {
        VolumeId: account.newId('vol'),
        Status: 'attached',
        DeleteOnTermination: true,
        AttachTime: launchTime,
      },
    })),
    NetworkInterfaces: (plan.networkInterfaces.length === 0
      ? [{ DeviceIndex: 0 }]
      : plan.networkInterfaces
    ).map(({ DeviceIndex = 0, NetworkCardIndex = 0, InterfaceType = 'interface' }, index) => ({
      NetworkInterfaceId: account.newId('eni'),
      SubnetId: subnet.id,
      VpcId: subnet.vpcId,
      OwnerId: settings.accountId,
      Status: 'in-use',
      InterfaceType,
      Groups: groups,
      ...(index === 0 ? { PrivateIpAddress: privateIp, PrivateDnsName: nodeName } : {}),
      Attachment: {
        AttachmentId: account.newId('eni-attach'),
        DeviceIndex,
        NetworkCardIndex,
        Status: 'attached',
        DeleteOnTermination: true,
        AttachTime: launchTime,
      },
    })),
  };
}

/** Devices of the image, and those that the launch adds. */
function volumesOf({ data, image }: LaunchPlan): readonly string[] {
  const names = [...(image.BlockDeviceMappings ?? []), ...(data.BlockDeviceMappings ?? [])].map(
    ({ DeviceName }) => DeviceName ?? '',
  );
  return [...new Set(names)];
}
