/**
 * What Azure shows of a VM, cut down to what decisions are made by. Whose it is comes from the tags; how far it
 * is from the provisioning state; why it failed, after a restart, from the statuses of the instance view.
 */
import type { InstanceViewStatus, VirtualMachine, VirtualMachineExtension } from '@azure/arm-compute';
import type { NetworkInterface } from '@azure/arm-network';
import { ArmError, BAD_ANSWER, fromErrorObject } from '../../../arm/index.ts';
import { readTag, Tag, type Tags } from './tags.ts';

export type Progress = 'working' | 'ready' | 'failed' | 'deleting';

export interface PartView {
  readonly id: string;
  readonly claimUid: string | undefined;
  readonly progress: Progress;
  /** AKS made it, and only AKS changes it. */
  readonly ofAks?: boolean;
}

export interface NicView extends PartView {
  readonly acceleratedNetworking: boolean;
  readonly subnetId: string;
  readonly addresses: number;
  readonly securityGroupId: string | undefined;
  readonly attachedTo: string | undefined;
  readonly tags: Tags;
}

export interface VmView extends PartView {
  readonly vm: VirtualMachine;
  /** Only when it failed: what the instance view says. */
  readonly failure: ArmError | undefined;
}

export interface ExtensionView {
  readonly name: string;
  readonly progress: Progress;
  readonly failure: ArmError | undefined;
  /** Whether it ran to its end, for a failed one: what was canceled reports nothing. */
  readonly ending?: 'reported' | 'canceled' | 'silent' | undefined;
  readonly tags: Tags;
}

export function nicView(nic: NetworkInterface): NicView {
  checkShape('network interface', nic.id);
  return {
    id: nic.id ?? '',
    claimUid: readTag(nic.tags, Tag.claimUid),
    progress: progressOf(nic.provisioningState),
    acceleratedNetworking: nic.enableAcceleratedNetworking ?? false,
    subnetId: nic.ipConfigurations?.[0]?.subnet?.id ?? '',
    addresses: nic.ipConfigurations?.length ?? 0,
    securityGroupId: nic.networkSecurityGroup?.id,
    attachedTo: nic.virtualMachine?.id,
    tags: nic.tags ?? {},
  };
}

export function vmView(vm: VirtualMachine): VmView {
  checkShape('virtual machine', vm.id);
  const progress = progressOf(vm.provisioningState);
  return {
    id: vm.id ?? '',
    claimUid: readTag(vm.tags, Tag.claimUid),
    progress,
    ofAks: readTag(vm.tags, Tag.aksMachine) !== undefined,
    vm,
    failure: progress === 'failed' ? failureOf(vm.instanceView?.statuses, 'VMProvisioningFailed') : undefined,
  };
}

export function extensionView(name: string, extension: VirtualMachineExtension): ExtensionView {
  const progress = progressOf(extension.provisioningState);
  const statuses = extension.instanceView?.statuses;
  return {
    name,
    progress,
    failure: progress === 'failed' ? failureOf(statuses, 'VMExtensionProvisioningError') : undefined,
    ending: progress === 'failed' ? endingOf(extension) : undefined,
    tags: extension.tags ?? {},
  };
}

/** From the first status of level Error: `ProvisioningState/failed/AllocationFailed` holds the code. */
export function failureOf(statuses: readonly InstanceViewStatus[] | undefined, fallback: string): ArmError {
  const failed = statuses?.find(isFailure);
  const named = failed?.code?.split('/')[2];
  // Extensions put the exit code of their script there; that is no code of ARM.
  const code = named === undefined || /^\d*$/.test(named) ? fallback : named;
  return fromErrorObject({ code, message: failed?.message ?? failed?.displayStatus ?? '' }, fallback);
}

/** Of a status of the instance view. */
export function isFailure({ code = '' }: InstanceViewStatus): boolean {
  return /^ProvisioningState\/failed/i.test(code);
}

/** A newer operation has ended the one that would have made it. */
export function isCanceled(provisioningState: string | undefined): boolean {
  return provisioningState?.toLowerCase() === 'canceled';
}

export function progressOf(provisioningState: string | undefined): Progress {
  return PROGRESS[provisioningState?.toLowerCase() ?? ''] ?? 'working';
}

// ---------------------------------------------------------------------------------------------------

function endingOf({ provisioningState, instanceView }: VirtualMachineExtension): ExtensionView['ending'] {
  if (instanceView?.statuses?.some(isFailure) === true) return 'reported';
  return isCanceled(provisioningState) ? 'canceled' : 'silent';
}

/** JSON of another shape must not be taken for a VM without an owner. */
function checkShape(what: string, id: string | undefined): void {
  if (id !== undefined && id !== '') return;
  throw new ArmError({ code: BAD_ANSWER, message: `the response is not a ${what}: it has no ID` });
}

const PROGRESS: Readonly<Record<string, Progress>> = {
  succeeded: 'ready',
  failed: 'failed',
  canceled: 'failed',
  deleting: 'deleting',
};
