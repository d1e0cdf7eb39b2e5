/**
 * The labels of a node of some type, as requirements: one for every label that scheduling knows, so that a pod that asks
 * for a label the type does not have is refused. What only one way of buying has (zone, capacity type, reservation) is on
 * the offerings; here is the union of what they allow.
 */
import { AwsLabel, CapacityType, KarpenterLabel, KubernetesLabel } from '../../../api/index.ts';
import type { LabelRequirement } from '../../../scheduling/index.ts';

import { AMI_FAMILY_TRAITS, type AmiFamilyTraits } from './ami-families.table.ts';
import { architectureOf, type InstanceTypeInfo, type UsableInstanceType } from './instance-type-info.ts';
import { networkLimits } from './network-limits.ts';
import type { CapacityReservation, Parameters } from './parameters.ts';

/** Labels that depend on the type alone. */
export function typeRequirements(info: UsableInstanceType, region: string): readonly LabelRequirement[] {
  const name = info.InstanceType;
  const [, category, , generation] = NAME.exec(name) ?? [];
  const [family = '', size, ...rest] = name.split('.');
  const { ProcessorInfo: processor, InstanceStorageInfo: storage, EbsInfo: ebs } = info;
  const hasSize = rest.length === 0 && size !== undefined;
  return [
    oneOf(KubernetesLabel.instanceType, name),
    oneOf(KubernetesLabel.arch, architectureOf(info)),
    oneOf(KubernetesLabel.region, region),
    oneOf(AwsLabel.category, category),
    oneOf(AwsLabel.generation, generation),
    oneOf(AwsLabel.family, hasSize ? family : undefined),
    oneOf(AwsLabel.size, hasSize ? size : undefined),
    oneOf(AwsLabel.capabilityFlex, String(family.includes('-flex'))),
    oneOf(AwsLabel.cpu, String(info.VCpuInfo.DefaultVCpus)),
    oneOf(AwsLabel.cpuManufacturer, kebab(processor?.Manufacturer)),
    oneOf(
      AwsLabel.cpuSustainedClockSpeedMhz,
      String(Math.round((processor?.SustainedClockSpeedInGhz ?? 0) * 1000)),
    ),
    oneOf(AwsLabel.memory, String(info.MemoryInfo.SizeInMiB)),
    oneOf(
      AwsLabel.ebsBandwidth,
      ebs?.EbsOptimizedSupport === 'default'
        ? numberText(ebs.EbsOptimizedInfo?.MaximumBandwidthInMbps)
        : undefined,
    ),
    oneOf(AwsLabel.networkBandwidth, numberText(networkLimits(name)?.bandwidthMbps)),
    oneOf(
      AwsLabel.localNvme,
      storage?.NvmeSupport === 'unsupported' ? undefined : numberText(storage?.TotalSizeInGB),
    ),
    // Bare metal has the empty value, as upstream writes it.
    { key: AwsLabel.hypervisor, operator: 'In', values: [info.Hypervisor ?? ''] },
    oneOf(AwsLabel.encryptionInTransit, String(info.NetworkInfo.EncryptionInTransitSupported === true)),
    oneOf(AwsLabel.nitroSandbox, String(info.NitroEnclavesSupport === 'supported')),
    anyOf(AwsLabel.tenancy, ['default', 'dedicated']),
    ...gpuRequirements(info),
    ...acceleratorRequirements(info),
  ];
}

/** Labels that the node class decides. `zones` are those that sell the type. */
export function nodeClassRequirements(
  info: UsableInstanceType,
  zones: ReadonlySet<string>,
  reservations: readonly CapacityReservation[],
  parameters: Parameters,
): readonly LabelRequirement[] {
  const traits: AmiFamilyTraits = AMI_FAMILY_TRAITS[parameters.amiFamily];
  const offered = parameters.zones.filter(({ zone }) => zones.has(zone));
  const zoneIds = offered.flatMap(({ zoneId }) => zoneId ?? []);
  const { placementGroup: group } = parameters;
  return [
    anyOf(KubernetesLabel.os, operatingSystems(info, traits)),
    oneOf(KubernetesLabel.windowsBuild, traits.windowsBuild),
    anyOf(
      KubernetesLabel.zone,
      offered.map(({ zone }) => zone),
    ),
    // A class whose subnets were read by an older version has no zone ids yet: then it says nothing about them.
    ...(offered.length > 0 && zoneIds.length === 0 ? [] : [anyOf(AwsLabel.zoneId, zoneIds)]),
    anyOf(KarpenterLabel.capacityType, [
      ...capacityTypesOf(info),
      ...(reservations.length > 0 ? [CapacityType.reserved] : []),
    ]),
    anyOf(
      AwsLabel.capacityReservationId,
      reservations.map(({ id }) => id),
    ),
    anyOf(
      AwsLabel.capacityReservationType,
      reservations.map(({ type }) => type),
    ),
    anyOf(
      AwsLabel.capacityReservationInterruptible,
      reservations.map(({ interruptible }) => String(interruptible)),
    ),
    oneOf(AwsLabel.placementGroupId, group?.id),
    anyOf(AwsLabel.placementGroupPartition, group?.strategy === 'partition' ? partitions(group) : []),
  ];
}

/** Without reservations, which the node class decides. */
export function capacityTypesOf({ SupportedUsageClasses }: InstanceTypeInfo): readonly BuyableCapacityType[] {
  return BUYABLE.filter((type) => SupportedUsageClasses?.includes(type) === true);
}

export type BuyableCapacityType = 'on-demand' | 'spot';

/** The numbers of a group's partitions, as labels. */
export function partitions({ partitionCount = 0 }: { readonly partitionCount?: number }): readonly string[] {
  return Array.from({ length: partitionCount }, (_, index) => String(index + 1));
}

// ---------------------------------------------------------------------------------------------------------------

const BUYABLE: readonly BuyableCapacityType[] = [CapacityType.onDemand, CapacityType.spot];

/** Category and generation: of `u-6tb1.metal` u and 1, of `u7i-12tb.224xlarge` u and 7, of `m7i-flex.large` m and 7. */
const NAME = /(^[a-z]+)(-[0-9]+tb)?([0-9]+).*\./;

function operatingSystems(info: UsableInstanceType, traits: AmiFamilyTraits): readonly string[] {
  if (traits.windowsBuild === undefined) return ['linux'];
  return architectureOf(info) === 'amd64' ? ['windows'] : [];
}

/** Only where all GPUs are of one kind. */
function gpuRequirements({ GpuInfo }: UsableInstanceType): readonly LabelRequirement[] {
  const gpus = GpuInfo?.Gpus ?? [];
  const gpu = gpus.length === 1 ? gpus[0] : undefined;
  return [
    oneOf(AwsLabel.gpuName, kebab(gpu?.Name)),
    oneOf(AwsLabel.gpuManufacturer, kebab(gpu?.Manufacturer)),
    oneOf(AwsLabel.gpuCount, numberText(gpu?.Count)),
    oneOf(AwsLabel.gpuMemory, numberText(gpu?.MemoryInfo?.SizeInMiB)),
  ];
}

function acceleratorRequirements(info: UsableInstanceType): readonly LabelRequirement[] {
  const { NeuronInfo, InferenceAcceleratorInfo } = info;
  const devices =
    NeuronInfo === undefined ? InferenceAcceleratorInfo?.Accelerators : NeuronInfo.NeuronDevices;
  const device: { Name?: string | undefined; Manufacturer?: string | undefined; Count?: number | undefined } =
    devices?.length === 1 ? devices[0]! : {};
  const manufacturer =
    NeuronInfo !== undefined && device.Name !== undefined ? 'aws' : kebab(device.Manufacturer);
  return [
    oneOf(AwsLabel.acceleratorName, kebab(device.Name)),
    oneOf(AwsLabel.acceleratorManufacturer, manufacturer),
    oneOf(AwsLabel.acceleratorCount, numberText(device.Count)),
  ];
}

function kebab(text: string | undefined): string | undefined {
  return text?.replaceAll(' ', '-').toLowerCase();
}

function numberText(value: number | undefined): string | undefined {
  return value === undefined ? undefined : String(value);
}

function oneOf(key: string, value: string | undefined): LabelRequirement {
  return value === undefined || value === ''
    ? { key, operator: 'DoesNotExist' }
    : { key, operator: 'In', values: [value] };
}

function anyOf(key: string, values: readonly string[]): LabelRequirement {
  if (values.length === 0) return { key, operator: 'DoesNotExist' };
  return { key, operator: 'In', values: values.length === 1 ? values : [...new Set(values)].sort() };
}
