/**
 * Faults inside the controller: at each step of a launch the disk encryption set can be dropped, so that tests and the
 * playground can show that `why` finds the step. They are decorators around the steps; a controller in production has
 * none, and no option enables them.
 */
import type { VirtualMachine } from '@azure/arm-compute';
import type { DecorateLaunch } from '../cloud/azure/index.ts';

/** In the order in which the set passes them. */
export const DROP_PLACES = ['options', 'provider', 'launch', 'plan', 'vm-object', 'request'] as const;

export type DropPlace = (typeof DROP_PLACES)[number];

/** @param isDropped whether the set is dropped at this step now. */
export function injectFaults(isDropped: (place: DropPlace) => boolean): DecorateLaunch {
  return (steps) => ({
    options() {
      const options = steps.options();
      if (!isDropped('options')) return options;
      const { nodeOsdiskDiskencryptionsetId: set } = options;
      return { ...options, nodeOsdiskDiskencryptionsetId: { ...set, value: '' } };
    },
    resolveDiskEncryptionSet: (sources) =>
      isDropped('provider') ? { others: [] } : steps.resolveDiskEncryptionSet(sources),
    buildLaunchTemplate: (request) =>
      steps.buildLaunchTemplate(isDropped('launch') ? { ...request, diskEncryptionSet: undefined } : request),
    vmPlan(request) {
      const plan = steps.vmPlan(request);
      if (!isDropped('plan')) return plan;
      const { diskEncryptionSet: _, ...osDisk } = plan.osDisk;
      return { ...plan, osDisk };
    },
    vmObject(plan, nicId) {
      const vm = steps.vmObject(plan, nicId);
      return isDropped('vm-object') ? withoutDiskEncryptionSet(vm) : vm;
    },
    putNewVm: (api, name, vm) =>
      steps.putNewVm(api, name, isDropped('request') ? withoutDiskEncryptionSet(vm) : vm),
  });
}

// ---------------------------------------------------------------------------------------------------

/** The same VM on a disk with the platform's key. */
function withoutDiskEncryptionSet(vm: VirtualMachine): VirtualMachine {
  const osDisk = vm.storageProfile?.osDisk;
  if (osDisk?.managedDisk === undefined) return vm;
  const { managedDisk: _, ...rest } = osDisk;
  return { ...vm, storageProfile: { ...vm.storageProfile, osDisk: rest } };
}
