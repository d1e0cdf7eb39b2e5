/** The properties of a VM that other modules need: from a plan that was just sent, or as Azure returns them. */
import type { VirtualMachine } from '@azure/arm-compute';
import { imageIdOf } from '../images/index.ts';
import { zoneLabelOf } from '../sizes/index.ts';
import type { Tags } from './tags.ts';
import type { VmPlan } from './vm-plan.ts';

export interface VmFacts {
  /** ARM's id of the VM. */
  readonly id: string;
  readonly name: string;
  readonly size: string;
  readonly zone: string;
  readonly capacityType: 'on-demand' | 'spot';
  readonly imageId: string | undefined;
  readonly tags: Tags;
  readonly createdAtMs: number | undefined;
  readonly deleting: boolean;
  /** What the OS disk is encrypted with. */
  readonly diskEncryptionSetId: string | undefined;
}

export function plannedFacts(plan: VmPlan, id: string, nowMs: number): VmFacts {
  return {
    id,
    name: plan.name,
    size: plan.size,
    zone: plan.zone,
    capacityType: plan.capacityType,
    imageId: plan.image.id,
    tags: plan.tags,
    createdAtMs: nowMs,
    deleting: false,
    diskEncryptionSetId: plan.osDisk.diskEncryptionSet?.value,
  };
}

export function shownFacts(vm: VirtualMachine, region: string): VmFacts {
  return {
    id: vm.id ?? '',
    name: vm.name ?? '',
    size: vm.hardwareProfile?.vmSize ?? '',
    zone: zoneLabelOf(region, vm.zones),
    capacityType: vm.priority === 'Spot' ? 'spot' : 'on-demand',
    imageId: imageIdOf(vm.storageProfile?.imageReference),
    tags: vm.tags ?? {},
    createdAtMs: vm.timeCreated?.getTime(),
    deleting: vm.provisioningState === 'Deleting',
    diskEncryptionSetId: vm.storageProfile?.osDisk?.managedDisk?.diskEncryptionSet?.id,
  };
}
