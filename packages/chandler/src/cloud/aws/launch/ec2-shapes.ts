/**
 * The requests of a launch and their answers, with the names of EC2's API and only the fields that are used. Requests fit
 * the types of the SDK, with one exception: the SDK lists the instance types that it knew at its release, and here the
 * name of a type is any text.
 */

export interface Tag {
  Key: string;
  Value: string;
}

export interface TagSpecification {
  ResourceType:
    | 'instance'
    | 'volume'
    | 'fleet'
    | 'launch-template'
    | 'network-interface'
    | 'spot-instances-request';
  Tags: Tag[];
}

export interface CreateLaunchTemplateRequest {
  LaunchTemplateName: string;
  LaunchTemplateData: LaunchTemplateData;
  TagSpecifications: TagSpecification[];
}

export interface LaunchTemplateData {
  BlockDeviceMappings?: TemplateBlockDeviceMapping[];
  CapacityReservationSpecification?: {
    CapacityReservationPreference: 'capacity-reservations-only' | 'none';
    CapacityReservationTarget?: { CapacityReservationId: string };
  };
  CpuOptions?: { NestedVirtualization: 'enabled' | 'disabled' };
  EnclaveOptions: { Enabled: boolean };
  IamInstanceProfile: { Name: string };
  ImageId: string;
  InstanceMarketOptions?: { MarketType: 'capacity-block' | 'interruptible-capacity-reservation' };
  MetadataOptions: TemplateMetadataOptions;
  Monitoring: { Enabled: boolean };
  NetworkInterfaces: TemplateNetworkInterface[];
  Placement: { Tenancy: Tenancy; GroupId?: string; PartitionNumber?: number };
  TagSpecifications: TagSpecification[];
  UserData: string;
}

export type Tenancy = 'default' | 'dedicated';

export interface TemplateBlockDeviceMapping {
  DeviceName?: string;
  Ebs?: TemplateEbs;
}

export interface TemplateEbs {
  DeleteOnTermination?: boolean;
  Encrypted?: boolean;
  Iops?: number;
  KmsKeyId?: string;
  SnapshotId?: string;
  Throughput?: number;
  VolumeInitializationRate?: number;
  /** In GiB. */
  VolumeSize?: number;
  VolumeType?: 'standard' | 'io1' | 'io2' | 'gp2' | 'sc1' | 'st1' | 'gp3';
}

export interface TemplateMetadataOptions {
  HttpEndpoint: 'enabled' | 'disabled';
  HttpProtocolIpv6?: 'enabled' | 'disabled';
  HttpPutResponseHopLimit: number;
  HttpTokens: 'required' | 'optional';
  InstanceMetadataTags: 'disabled';
}

export interface TemplateNetworkInterface {
  AssociatePublicIpAddress?: boolean;
  ConnectionTrackingSpecification?: {
    TcpEstablishedTimeout?: number;
    UdpStreamTimeout?: number;
    UdpTimeout?: number;
  };
  DeviceIndex: number;
  Groups: string[];
  InterfaceType?: 'interface' | 'efa' | 'efa-only';
  Ipv4PrefixCount?: number;
  Ipv6AddressCount?: number;
  Ipv6PrefixCount?: number;
  NetworkCardIndex?: number;
  PrimaryIpv6?: boolean;
}

export interface CreateFleetRequest {
  /** Absent until the request is grouped: see batching.ts. */
  ClientToken?: string;
  Context?: string;
  LaunchTemplateConfigs: FleetTemplateConfig[];
  OnDemandOptions?: { AllocationStrategy: 'lowest-price' | 'prioritized' };
  ReservedCapacityOptions?: { ReservationTypes: 'interruptible-capacity-reservation'[] };
  SpotOptions?: { AllocationStrategy: 'price-capacity-optimized' | 'capacity-optimized-prioritized' };
  TagSpecifications: TagSpecification[];
  TargetCapacitySpecification: {
    DefaultTargetCapacityType: 'on-demand' | 'spot' | 'capacity-block' | 'reserved-capacity';
    TotalTargetCapacity: number;
  };
  Type: 'instant';
}

export interface FleetTemplateConfig {
  LaunchTemplateSpecification: { LaunchTemplateName: string; Version: string };
  Overrides: FleetOverride[];
}

export interface FleetOverride {
  AvailabilityZone: string;
  ImageId: string;
  InstanceType: string;
  Priority: number;
  SubnetId: string;
}

/** Of the answer everything may be absent. */
export interface CreateFleetResult {
  readonly FleetId?: string | undefined;
  readonly Errors?: readonly CreateFleetError[] | undefined;
  readonly Instances?: readonly CreateFleetInstance[] | undefined;
}

export interface CreateFleetError {
  readonly ErrorCode?: string | undefined;
  readonly ErrorMessage?: string | undefined;
  readonly LaunchTemplateAndOverrides?: TemplateAndOverrides | undefined;
}

export interface CreateFleetInstance {
  readonly InstanceIds?: readonly string[] | undefined;
  readonly InstanceType?: string | undefined;
  readonly AvailabilityZone?: string | undefined;
  readonly SubnetId?: string | undefined;
  readonly LaunchTemplateAndOverrides?: TemplateAndOverrides | undefined;
}

export interface TemplateAndOverrides {
  readonly LaunchTemplateSpecification?: { readonly LaunchTemplateName?: string | undefined } | undefined;
  readonly Overrides?:
    | {
        readonly AvailabilityZone?: string | undefined;
        readonly ImageId?: string | undefined;
        readonly InstanceType?: string | undefined;
        readonly SubnetId?: string | undefined;
      }
    | undefined;
}
