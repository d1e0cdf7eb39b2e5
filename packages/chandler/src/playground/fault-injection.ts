/**
 * Faults inside the controller: at each step of a launch the disk encryption set can be dropped, so that tests and the
 * playground can show that `why` finds the step. They are decorators around the steps; a controller in production has
 * none, and no option enables them.
 */
import type { VirtualMachine } from '@azure/arm-compute';
import type { NodeClaim } from '../api/index.ts';
import type { DecorateLaunch } from '../cloud/azure/index.ts';

/** In the order in which the set passes them. */
export const DROP_PLACES = ['options', 'provider', 'launch', 'plan', 'vm-object', 'request'] as const;

export type DropPlace = (typeof DROP_PLACES)[number];

/** Of which launch. */
export interface DropSubject {
  readonly nodepool?: string;
}

/** @param isDropped whether the set is dropped at this step now; only called where there is one. */
export function injectFaults(isDropped: (place: DropPlace, subject: DropSubject) => boolean): DecorateLaunch {
  return (steps) => ({
    options(claim) {
      const options = steps.options(claim);
      const { nodeOsdiskDiskencryptionsetId: set } = options;
      if (!set.value || !isDropped('options', ofClaim(claim))) return options;
      return { ...options, nodeOsdiskDiskencryptionsetId: { ...set, value: '' } };
    },
    resolveDiskEncryptionSet(sources, claim) {
      const choice = steps.resolveDiskEncryptionSet(sources, claim);
      return choice.chosen !== undefined && isDropped('provider', ofClaim(claim)) ? { others: [] } : choice;
    },
    buildLaunchTemplate: (request) =>
      steps.buildLaunchTemplate(
        request.diskEncryptionSet !== undefined && isDropped('launch', ofClaim(request.claim))
          ? { ...request, diskEncryptionSet: undefined }
          : request,
      ),
    vmPlan(request) {
      const plan = steps.vmPlan(request);
      const { diskEncryptionSet: set, ...osDisk } = plan.osDisk;
      return set !== undefined && isDropped('plan', ofClaim(request.claim)) ? { ...plan, osDisk } : plan;
    },
    vmObject: (plan, nicId) => withoutSet(steps.vmObject(plan, nicId), 'vm-object'),
    putNewVm: (api, name, vm) => steps.putNewVm(api, name, withoutSet(vm, 'request')),
  });

  /** The same VM on a disk with the platform's key. */
  function withoutSet(vm: VirtualMachine, place: DropPlace): VirtualMachine {
    const osDisk = vm.storageProfile?.osDisk;
    if (osDisk?.managedDisk?.diskEncryptionSet === undefined || !isDropped(place, ofTags(vm.tags))) return vm;
    const { managedDisk: _, ...rest } = osDisk;
    return { ...vm, storageProfile: { ...vm.storageProfile, osDisk: rest } };
  }
}

// ---------------------------------------------------------------------------------------------------

function ofClaim({ metadata }: Pick<NodeClaim, 'metadata'>): DropSubject {
  return subject(metadata.labels?.['karpenter.sh/nodepool']);
}

function ofTags(tags: VirtualMachine['tags']): DropSubject {
  return subject(tags?.['karpenter.sh_nodepool']);
}

function subject(nodepool: string | undefined): DropSubject {
  return nodepool === undefined ? {} : { nodepool };
}
