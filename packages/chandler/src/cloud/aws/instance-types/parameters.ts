/**
 * The part of a node class, and of the options, that instance types depend on. Two node classes with equal parameters
 * share one list of types; everything that enters a type or its offerings must be in here.
 */
import type { BlockDeviceMapping, EC2NodeClass, NetworkInterface } from '../../../api/index.ts';
import type { Sourced } from '../../../settings/index.ts';

import { AMI_FAMILY_TRAITS, type AmiFamily } from './ami-families.table.ts';
import { type KubeletSettings, kubeletSettings } from './kubelet-settings.ts';

/** The options that instance types depend on. */
export interface InstanceTypeOptions {
  /** Share of the memory that the hypervisor keeps: 0.075. */
  readonly vmMemoryOverheadPercent: Sourced<number>;
  /** Interfaces that pods get no addresses from, as with custom networking of the VPC CNI. */
  readonly reservedEnis: Sourced<number>;
  /** Whether the VPC CNI hands out prefixes of 16 addresses (`cni.ts` reads it). Karpenter ignores it. */
  readonly prefixDelegation: Sourced<boolean>;
  /** Whether expressions in `kubelet` are evaluated. Default: false. */
  readonly kubeletExpressions?: boolean;
}

export interface Parameters {
  readonly amiFamily: AmiFamily;
  readonly kubelet: KubeletSettings;
  readonly disks: readonly Disk[];
  readonly raid0: boolean;
  /** Undefined where the class lists none; an empty list is another thing. */
  readonly networkInterfaces: readonly NetworkInterface[] | undefined;
  readonly connectionTracking: boolean;
  readonly nestedVirtualization: boolean;
  /** Zones with subnets, by name. */
  readonly zones: readonly ZoneInfo[];
  readonly capacityReservations: readonly CapacityReservation[];
  readonly placementGroup: PlacementGroup | undefined;
  /** The images of the class: observed memory is that of nodes with the same ones. */
  readonly imageIds: readonly string[];
  readonly memoryOverheadPercent: number;
  readonly reservedEnis: number;
  readonly prefixDelegation: boolean;
}

/** A disk of the class, as far as it can hold what pods write. */
export interface Disk {
  readonly device?: string;
  readonly rootVolume: boolean;
  readonly volumeSize?: string;
}

export interface ZoneInfo {
  readonly zone: string;
  readonly zoneId?: string;
  readonly subnetIds: readonly string[];
}

export interface CapacityReservation {
  readonly id: string;
  readonly instanceType: string;
  readonly zone: string;
  readonly type: 'default' | 'capacity-block';
  readonly interruptible: boolean;
  readonly expiring: boolean;
}

/** The group that the class's selector leads to. */
export interface PlacementGroup {
  readonly id: string;
  readonly strategy: 'cluster' | 'partition' | 'spread';
  /** Of the strategy `partition`. */
  readonly partitionCount?: number;
}

export function parametersOf(
  { spec, status }: Pick<EC2NodeClass, 'spec' | 'status'>,
  placementGroup: PlacementGroup | undefined,
  options: InstanceTypeOptions,
): Parameters {
  return {
    amiFamily: amiFamilyOf(spec),
    kubelet: kubeletSettings(spec?.kubelet, options.kubeletExpressions),
    disks: (spec?.blockDeviceMappings ?? []).map(diskOf),
    raid0: spec?.instanceStorePolicy === 'RAID0',
    networkInterfaces: spec?.networkInterfaces,
    connectionTracking: spec?.connectionTracking !== undefined,
    nestedVirtualization: spec?.cpuOptions?.nestedVirtualization === 'enabled',
    zones: zonesOf(status?.subnets ?? []),
    capacityReservations: (status?.capacityReservations ?? []).map((reservation) => ({
      id: reservation.id,
      instanceType: reservation.instanceType,
      zone: reservation.availabilityZone,
      type: reservation.reservationType ?? 'default',
      interruptible: reservation.interruptible === true,
      expiring: reservation.state === 'expiring',
    })),
    placementGroup,
    imageIds: (status?.amis ?? []).map(({ id }) => id).sort(),
    memoryOverheadPercent: options.vmMemoryOverheadPercent.value,
    reservedEnis: options.reservedEnis.value,
    prefixDelegation: options.prefixDelegation.value,
  };
}

export function parametersKey(parameters: Parameters): string {
  return JSON.stringify(parameters);
}

/** The family of the class: its own field, else that of its alias. Validation asks for one of them. */
export function amiFamilyOf(spec: EC2NodeClass['spec']): AmiFamily {
  if (spec?.amiFamily !== undefined) return spec.amiFamily;
  const alias = spec?.amiSelectorTerms.find((term) => term.alias !== undefined)?.alias;
  const name = alias?.split('@')[0]?.toLowerCase();
  const found = Object.entries(AMI_FAMILY_TRAITS).find(
    ([, traits]) => 'alias' in traits && traits.alias === name,
  );
  return (found?.[0] as AmiFamily | undefined) ?? 'Custom';
}

// ---------------------------------------------------------------------------------------------------------------

function diskOf({ deviceName, rootVolume, ebs }: BlockDeviceMapping): Disk {
  return {
    ...(deviceName === undefined ? {} : { device: deviceName }),
    rootVolume: rootVolume === true,
    ...(ebs?.volumeSize === undefined ? {} : { volumeSize: ebs.volumeSize }),
  };
}

type Subnets = NonNullable<NonNullable<EC2NodeClass['status']>['subnets']>;

function zonesOf(subnets: Subnets): readonly ZoneInfo[] {
  const zones = new Map<string, { zone: string; zoneId?: string; subnetIds: string[] }>();
  for (const { id, zone, zoneID } of subnets) {
    const known = zones.get(zone) ?? { zone, subnetIds: [] };
    known.subnetIds.push(id);
    if (zoneID !== undefined && zoneID !== '') known.zoneId ??= zoneID;
    zones.set(zone, known);
  }
  for (const { subnetIds } of zones.values()) subnetIds.sort();
  return [...zones.values()].sort((first, second) => (first.zone < second.zone ? -1 : 1));
}
