/**
 * The labels of a node of some size, as requirements: one for every label that scheduling knows, so that a pod that
 * asks for a label the size does not have is refused and not sent there by leniency. What only one way of buying has
 * (zone, capacity type) is on the offerings; here is the union of what they allow.
 */
import { AksLabel, AzureLabel, CapacityType, KarpenterLabel, KubernetesLabel } from '../../../api/index.ts';
import type { LabelRequirement } from '../../../scheduling/index.ts';

import { gpuOf, normalLocation, type SkuFacts, seriesOf, versionOf } from '../sizes/index.ts';
import { ephemeralMaxSizeGB } from './ephemeral-disk.ts';
import type { AzureOffering } from './offerings.ts';
import type { Parameters } from './parameters.ts';

/** Labels that depend on the size and the region only. */
export function sizeRequirements(sku: SkuFacts, region: string): readonly LabelRequirement[] {
  const memoryMiB = String(Math.trunc(sku.memoryGiB * 1024));
  const gpu = gpuOf(sku.name);
  const ephemeralGB = ephemeralMaxSizeGB(sku.disks);
  return [
    oneOf(KubernetesLabel.instanceType, sku.name),
    oneOf(KubernetesLabel.arch, sku.architecture),
    oneOf(KubernetesLabel.os, 'linux'),
    absent(KubernetesLabel.windowsBuild),
    oneOf(KubernetesLabel.region, normalLocation(region)),
    oneOf(AzureLabel.skuName, sku.name),
    oneOf(AzureLabel.skuFamily, sku.size.family),
    oneOf(AzureLabel.skuSeries, seriesOf(sku.size)),
    oneOf(AzureLabel.skuVersion, versionOf(sku.size)),
    oneOf(AzureLabel.skuCpu, String(sku.vcpus)),
    oneOf(AzureLabel.skuMemory, memoryMiB),
    oneOf(AksLabel.skuCpu, String(sku.vcpus)),
    oneOf(AksLabel.skuMemory, memoryMiB),
    oneOf(AzureLabel.skuGpuCount, String(gpu === undefined ? 0 : sku.gpus)),
    oneOf(AzureLabel.skuGpuManufacturer, gpu?.manufacturer),
    oneOf(AzureLabel.skuGpuName, gpu === undefined ? undefined : sku.size.accelerator),
    oneOf(AzureLabel.skuNetworkingAccelerated, String(sku.acceleratedNetworking)),
    oneOf(AzureLabel.skuStoragePremiumCapable, String(sku.premiumIO)),
    oneOf(AzureLabel.skuStorageEphemeralOsMaxSize, ephemeralGB > 0 ? String(ephemeralGB) : undefined),
    anyOf(AzureLabel.skuHyperVGeneration, sku.hyperVGenerations),
    anyOf(AksLabel.mode, ['system', 'user']),
    anyOf(AksLabel.scaleSetPriority, ['regular', 'spot']),
    anyOf(AksLabel.priority, ['regular', 'spot']),
  ];
}

/** Labels that depend on what is available now. */
export function offeredRequirements(offerings: readonly AzureOffering[]): readonly LabelRequirement[] {
  const zones = new Set<string>();
  const scopes = new Set<string>();
  const capacityTypes = new Set<string>();
  let ultraSsd = false;
  for (const offering of offerings) {
    if (offering.available === false) continue;
    zones.add(offering.zone);
    scopes.add(offering.placementScope);
    capacityTypes.add(offering.capacityType);
    ultraSsd ||= offering.ultraSsd;
  }
  return [
    anyOf(KubernetesLabel.zone, [...zones].sort()),
    anyOf(
      KarpenterLabel.capacityType,
      [CapacityType.onDemand, CapacityType.spot].filter((type) => capacityTypes.has(type)),
    ),
    anyOf(AzureLabel.placementScope, [...scopes].sort()),
    anyOf(AzureLabel.skuStorageUltraSsd, zones.size === 0 ? [] : ultraSsd ? ['true', 'false'] : ['false']),
  ];
}

/** Labels that the node class and the cluster decide. */
export function nodeClassRequirements(parameters: Parameters): readonly LabelRequirement[] {
  return [
    oneOf(AksLabel.cluster, clusterLabel(parameters.nodeResourceGroup)),
    oneOf(AksLabel.osSku, parameters.imageFamily === 'AzureLinux' ? 'AzureLinux' : 'Ubuntu'),
    oneOf(AksLabel.fipsEnabled, parameters.fips ? 'true' : undefined),
  ];
}

/** A resource group's name as a label value: no parentheses, 63 characters, a letter or digit at the end. */
export function clusterLabel(nodeResourceGroup: string): string {
  const value = nodeResourceGroup.replace(/[()]/g, '-').slice(0, MAX_LABEL);
  if (!/[-_.]$/.test(value)) return value;
  return `${value.length < MAX_LABEL ? value : value.slice(0, -1)}z`;
}

// ---------------------------------------------------------------------------------------------------------------

const MAX_LABEL = 63;

function absent(key: string): LabelRequirement {
  return { key, operator: 'DoesNotExist' };
}

function oneOf(key: string, value: string | undefined): LabelRequirement {
  return value === undefined || value === '' ? absent(key) : { key, operator: 'In', values: [value] };
}

function anyOf(key: string, values: readonly string[]): LabelRequirement {
  return values.length === 0 ? absent(key) : { key, operator: 'In', values };
}
