/**
 * The next step towards no VM: the VM first, then what it may have left behind. Azure deletes NIC and OS disk
 * with the VM, unless something went wrong on the way; so both are looked for. Only what is ours is touched.
 */
import { sameResource } from '../../../arm/index.ts';
import type { PartView } from './view.ts';

export interface DiskView extends PartView {
  /** The VM that has it. */
  readonly attachedTo: string | undefined;
}

export interface DeleteObserved {
  readonly claimUid: string;
  /** The VM that the claim's status names. */
  readonly ownVmId: string | undefined;
  /** Each undefined when there is none; only looked for once those before it are gone. */
  readonly vm?: PartView | undefined;
  readonly nic?: (PartView & { readonly attachedTo: string | undefined }) | undefined;
  readonly disk?: DiskView | undefined;
}

export type DeletePart = 'vm' | 'nic' | 'disk';

export type DeleteAction =
  | { readonly do: 'delete'; readonly part: DeletePart }
  | { readonly do: 'wait'; readonly part: DeletePart }
  /** `kept`: parts of this name that are not ours. */
  | { readonly do: 'done'; readonly kept: readonly DeletePart[] };

export function nextDeleteStep(observed: DeleteObserved): DeleteAction {
  const kept: DeletePart[] = [];
  for (const part of ['vm', 'nic', 'disk'] as const) {
    const view = observed[part];
    if (view === undefined) continue;
    const held = 'attachedTo' in view && view.attachedTo !== undefined && view.attachedTo !== '';
    // What a VM of another owner holds stays with it; waiting for it would never end.
    if (!isOurs(part, view, observed) || (held && kept.includes('vm'))) {
      kept.push(part);
      continue;
    }
    if (view.progress === 'deleting' || held) return { do: 'wait', part };
    return { do: 'delete', part };
  }
  return { do: 'done', kept };
}

/** Whether this VM is the claim's. */
export function isOurVm(vm: PartView, owner: Pick<DeleteObserved, 'claimUid' | 'ownVmId'>): boolean {
  return isOurs('vm', vm, owner);
}

// ---------------------------------------------------------------------------------------------------

/** VMs of upstream carry no UID: they are ours when the claim names them, and their parts with them. */
function isOurs(part: DeletePart, view: PartView, observed: DeleteObserved): boolean {
  if (view.ofAks === true) return false;
  if (view.claimUid !== undefined) return view.claimUid === observed.claimUid;
  if (observed.ownVmId === undefined) return false;
  if (part === 'vm') return sameResource(view.id, observed.ownVmId);
  return observed.vm === undefined;
}
