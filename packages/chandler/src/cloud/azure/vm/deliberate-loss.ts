/**
 * Deliberate defects: the places inside the controller where a disk encryption set can be made to go missing, so that
 * suites and the playground can show that `why` finds each of them. Whoever builds a controller for production hands
 * none, and no option reaches here.
 */
import type { VirtualMachine } from '@azure/arm-compute';

/** In the order in which the set passes them. */
export const LOSS_PLACES = ['options', 'provider', 'launch', 'plan', 'vm-object', 'request'] as const;

export type LossPlace = (typeof LOSS_PLACES)[number];

/** Whether the set goes missing there just now. */
export type Losing = (place: LossPlace) => boolean;

export const LOSING_NOTHING: Losing = () => false;

/** Undefined for a text that names no place. */
export function lossPlace(text: string): LossPlace | undefined {
  return LOSS_PLACES.find((place) => place === text);
}

/** The same machine on a disk with the platform's key. */
export function withoutDiskEncryptionSet(vm: VirtualMachine): VirtualMachine {
  const osDisk = vm.storageProfile?.osDisk;
  if (osDisk?.managedDisk === undefined) return vm;
  const { managedDisk: _, ...rest } = osDisk;
  return { ...vm, storageProfile: { ...vm.storageProfile, osDisk: rest } };
}
