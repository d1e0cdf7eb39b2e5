/** A VM as the rest of the product sees it: labels, capacity, and for which claim it was made. */
import {
  AksLabel,
  AzureLabel,
  CapacityType,
  KarpenterLabel,
  KubernetesLabel,
  type NodeClaim,
} from '../../../api/index.ts';
import { nodeMode } from '../../../bootstrap/index.ts';
import type { Instance } from '../../index.ts';

import { type AzureInstanceType, wantsUltraSsd, withoutZeros } from '../instance-types/index.ts';
import { placementScope } from '../sizes/index.ts';
import { providerIdOf } from './names.ts';
import { readTag, Tag } from './tags.ts';
import type { VmFacts } from './vm-facts.ts';

export interface InstanceExtras {
  /** Of the size; without it nothing is said about capacity. */
  readonly type?: AzureInstanceType;
  readonly claim?: NodeClaim;
  readonly annotations?: Readonly<Record<string, string>>;
}

export function toInstance(machine: VmFacts, extras: InstanceExtras = {}): Instance {
  const { type, claim } = extras;
  const nodePool = readTag(machine.tags, Tag.nodePool);
  return {
    providerID: providerIdOf(machine.id),
    name: machine.name,
    claimUid: readTag(machine.tags, Tag.claimUid),
    claimName: readTag(machine.tags, Tag.claimName) ?? machine.name.replace(/^aks-/, ''),
    nodePool,
    nodeClass: readTag(machine.tags, Tag.nodeClass),
    instanceType: machine.size,
    zone: machine.zone,
    capacityType: machine.capacityType,
    imageID: machine.imageId,
    createdAtMs: machine.createdAtMs,
    deleting: machine.deleting,
    labels: labelsOf(machine, type, claim, nodePool),
    annotations: extras.annotations ?? {},
    capacity: type === undefined ? {} : withoutZeros(type.capacity),
    allocatable: type === undefined ? {} : withoutZeros(type.allocatable),
  };
}

// ---------------------------------------------------------------------------------------------------

/** Single values of the type, then what the offering decided. */
function labelsOf(
  machine: VmFacts,
  type: AzureInstanceType | undefined,
  claim: NodeClaim | undefined,
  nodePool: string | undefined,
): Readonly<Record<string, string>> {
  const labels: Record<string, string> = {};
  for (const { key, operator, values } of type?.requirements ?? []) {
    if (operator === 'In' && values?.length === 1) labels[key] = values[0]!;
  }
  const spot = machine.capacityType === CapacityType.spot;
  labels[KubernetesLabel.instanceType] = machine.size;
  labels[KubernetesLabel.zone] = machine.zone;
  labels[KarpenterLabel.capacityType] = machine.capacityType;
  labels[AzureLabel.placementScope] = placementScope(machine.zone);
  labels[AksLabel.scaleSetPriority] = spot ? 'spot' : 'regular';
  labels[AksLabel.priority] = spot ? 'spot' : 'regular';
  if (nodePool !== undefined) labels[KarpenterLabel.nodePool] = nodePool;
  if (claim !== undefined) {
    const { metadata, spec } = claim;
    labels[AzureLabel.skuStorageUltraSsd] = String(wantsUltraSsd(spec.requirements));
    // Karpenter does not set it; without it a required mode would count as drift.
    if (spec.requirements.some(({ key }) => key === AksLabel.mode))
      labels[AksLabel.mode] = nodeMode({ labels: metadata.labels ?? {}, requirements: spec.requirements });
  }
  delete labels[AzureLabel.skuHyperVGeneration];
  return labels;
}
