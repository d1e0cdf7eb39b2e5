/**
 * The next step towards a VM, decided from what Azure shows and nothing else: so a process that was started a
 * moment ago goes on where another one died. Whose a part is, the claim's UID on it decides; what belongs to another
 * claim, or to nobody we know, is never taken over.
 */
import { type ArmError, sameResource } from '../../../arm/index.ts';
import { readTag, type Tags } from './tags.ts';
import type { ExtensionView, NicView, VmView } from './view.ts';

export interface LaunchObserved {
  readonly claimUid: string;
  /** The VM that the claim's status already names: it is the claim's, whatever its tags say. */
  readonly ownVmId: string | undefined;
  readonly nic: NicView | undefined;
  readonly vm: VmView | undefined;
  /** Why the creation of the VM failed, which Azure has removed since. */
  readonly vmFailure?: ArmError;
  /** What is wanted of the NIC; absent once there is a VM. */
  readonly wantedNic?: WantedNic;
  /** As this process has put the NIC; absent if it has not. */
  readonly putNic?: PutNic | undefined;
  /** In the order in which they are put on; each as far as it is known. */
  readonly extensions: readonly ObservedExtension[];
}

export interface WantedNic {
  readonly acceleratedNetworking: boolean;
  readonly subnetId: string;
  readonly addresses: number;
  readonly securityGroupId: string | undefined;
  readonly tags: Tags;
}

/** What others may change on a NIC afterwards, for example a policy. */
export type PutNic = Pick<WantedNic, 'securityGroupId' | 'tags'>;

export type ObservedExtension = (
  | { readonly name: string; readonly state: 'absent' }
  | { readonly name: string; readonly state: 'present'; readonly view: ExtensionView }
) & {
  /** Of the last operation on it. */
  readonly failure?: OperationFailure | undefined;
  /** How often this process has put it. */
  readonly puts?: number;
};

export interface OperationFailure {
  readonly error: ArmError;
  /** By a newer operation of any client: what became of the resource, only the resource shows. */
  readonly replaced: boolean;
}

export type LaunchAction =
  | { readonly do: 'putNic' }
  | { readonly do: 'putVm'; readonly nicId: string }
  | { readonly do: 'putExtension'; readonly name: string }
  | { readonly do: 'wait'; readonly for: LaunchPart; readonly why: string }
  /** The VM or a part of it failed: delete it, then report the failure. */
  | { readonly do: 'fail'; readonly part: LaunchPart; readonly error: ArmError | undefined }
  | { readonly do: 'refuse'; readonly part: LaunchPart; readonly owner: string | undefined }
  /** The claim names a VM, and there is none: it was here and went. A second one would not be the same. */
  | { readonly do: 'vanished'; readonly vmId: string }
  | { readonly do: 'settled' };

export type LaunchPart = 'networkInterface' | 'vm' | 'extension';

export function nextLaunchStep(observed: LaunchObserved): LaunchAction {
  return observed.vm === undefined ? towardsVm(observed) : withVm(observed, observed.vm);
}

// ---------------------------------------------------------------------------------------------------

function towardsVm(observed: LaunchObserved): LaunchAction {
  const { nic, claimUid, ownVmId, vmFailure } = observed;
  if (vmFailure !== undefined) return { do: 'fail', part: 'vm', error: vmFailure };
  if (ownVmId !== undefined) return { do: 'vanished', vmId: ownVmId };
  if (nic === undefined) return { do: 'putNic' };
  if (nic.progress === 'deleting') {
    return {
      do: 'wait',
      for: 'networkInterface',
      why: 'a previous network interface of this name is being deleted',
    };
  }
  if (nic.claimUid !== claimUid) return { do: 'refuse', part: 'networkInterface', owner: nic.claimUid };
  if (nic.attachedTo !== undefined) {
    return {
      do: 'wait',
      for: 'networkInterface',
      why: 'the network interface is still attached to a VM that is being deleted',
    };
  }
  // A NIC of ours that failed, or was made for another plan, is put once more: PUT repairs it.
  if (nic.progress === 'failed' || !fits(nic, observed)) return { do: 'putNic' };
  if (nic.progress === 'working')
    return { do: 'wait', for: 'networkInterface', why: 'the network interface is being created' };
  return { do: 'putVm', nicId: nic.id };
}

function withVm(observed: LaunchObserved, vm: VmView): LaunchAction {
  const named = observed.ownVmId !== undefined && sameResource(vm.id, observed.ownVmId);
  const own =
    vm.ofAks !== true && (vm.claimUid === observed.claimUid || (named && vm.claimUid === undefined));
  if (vm.progress === 'deleting') {
    return { do: 'wait', for: 'vm', why: 'a previous VM of this name is being deleted' };
  }
  if (!own) return { do: 'refuse', part: 'vm', owner: vm.claimUid };
  if (vm.progress === 'failed') return { do: 'fail', part: 'vm', error: vm.failure };
  if (vm.progress === 'working') return { do: 'wait', for: 'vm', why: 'the VM is being created' };
  return withExtensions(observed.extensions);
}

/** Writes of other clients may cancel an extension again and again: so often it is put. */
const MAX_EXTENSION_PUTS = 4;

function withExtensions(extensions: readonly ObservedExtension[]): LaunchAction {
  for (const extension of extensions) {
    const action = towardsExtension(extension);
    if (action !== undefined) return action;
  }
  return { do: 'settled' };
}

/** Undefined once it is ready. */
function towardsExtension(extension: ObservedExtension): LaunchAction | undefined {
  const { name, failure, puts = 0 } = extension;
  const put = (error: ArmError | undefined): LaunchAction =>
    puts < MAX_EXTENSION_PUTS ? { do: 'putExtension', name } : { do: 'fail', part: 'extension', error };
  if (extension.state === 'absent')
    return failure === undefined ? { do: 'putExtension', name } : put(failure.error);
  const { view } = extension;
  if (failure !== undefined && !failure.replaced)
    return { do: 'fail', part: 'extension', error: failure.error };
  if (view.progress === 'failed')
    return isUnfinished(view, failure)
      ? put(failure?.error ?? view.failure)
      : { do: 'fail', part: 'extension', error: view.failure };
  if (view.progress !== 'ready')
    return { do: 'wait', for: 'extension', why: `extension ${name} is being installed` };
  return undefined;
}

/** Whether a newer operation kept it from running to its end. */
function isUnfinished({ ending }: ExtensionView, failure: OperationFailure | undefined): boolean {
  return ending === 'canceled' || (ending === 'silent' && failure?.replaced === true);
}

function fits(nic: NicView, { wantedNic: wanted, putNic }: LaunchObserved): boolean {
  if (wanted === undefined) return true;
  return (
    nic.acceleratedNetworking === wanted.acceleratedNetworking &&
    nic.addresses === wanted.addresses &&
    sameResource(nic.subnetId, wanted.subnetId) &&
    // A second PUT would not change what others have set since, or would remove it.
    (putNic === undefined ? showsWanted(nic, wanted) : isPutAsWanted(putNic, wanted))
  );
}

/** Others, such as a policy, may add tags and a security group. */
function showsWanted(nic: NicView, { securityGroupId, tags }: WantedNic): boolean {
  const hasGroup = securityGroupId === undefined || sameResource(nic.securityGroupId ?? '', securityGroupId);
  return hasGroup && hasTags(nic.tags, tags);
}

function isPutAsWanted(put: PutNic, { securityGroupId, tags }: WantedNic): boolean {
  return (
    sameResource(put.securityGroupId ?? '', securityGroupId ?? '') &&
    hasTags(put.tags, tags) &&
    hasTags(tags, put.tags)
  );
}

function hasTags(tags: Tags, wanted: Tags): boolean {
  return Object.entries(wanted).every(([name, value]) => readTag(tags, name) === value);
}
