/**
 * Patches what differs on a running VM: interface and extensions first, so that the VM shows it last. Azure refuses a
 * write of a VM while another one, of the VM or of an extension, is in progress; so every write is a step of its own.
 */
import type { Log, Stored } from '@chandler/kube';
import type { NodeClaim } from '../../../api/index.ts';
import { CloudError } from '../../index.ts';

import { asCloudError } from '../errors/index.ts';
import {
  type InPlaceGoal,
  inPlaceAnnotations,
  inPlacePatch,
  isInPlace,
  readMark,
  tagsAfter,
} from './in-place.ts';
import { vmOfProviderId } from './names.ts';
import type { Tags } from './tags.ts';
import type { VmApi } from './vm-api.ts';

export type InPlaceResult =
  /** `same`: the claim's own record says so. `checked`: the VM was read and is right. */
  | {
      readonly state: 'same' | 'checked';
      /** For the claim's metadata. */
      readonly annotations: Readonly<Record<string, string>>;
    }
  /** Sent; whether it holds is seen the next time. */
  | { readonly state: 'patched'; readonly retryAfterMs: number };

const POLL_INTERVAL_MS = 5_000;
const IN_PROGRESS = { state: 'patched', retryAfterMs: POLL_INTERVAL_MS } as const;

/** @throws {CloudError} Throttled included: the caller requeues. */
export async function updateVm(
  api: VmApi,
  log: Log,
  claim: Stored<NodeClaim>,
  goal: InPlaceGoal,
  extensionNames: readonly string[],
): Promise<InPlaceResult> {
  const annotations = inPlaceAnnotations(goal);
  if (isInPlace(claim, goal)) return { state: 'same', annotations };
  const named = vmOfProviderId(claim.status?.providerID ?? '');
  if (named === undefined) throw new CloudError('NotFound', `NodeClaim ${claim.metadata.name} has no VM`);
  try {
    const vm = await api.getVm(named.name);
    if (vm === undefined) throw new CloudError('NotFound', `virtual machine ${named.name} does not exist`);
    const mark = readMark(claim);
    const patch = inPlacePatch(goal, vm.vm, mark);
    if (patch === undefined) return { state: 'checked', annotations };
    if (vm.progress === 'working') return IN_PROGRESS;
    if (patch.tags !== undefined) {
      const ours = mark?.tags ?? [];
      const next = (actual: Tags) => tagsAfter(goal.tags, actual, ours);
      if (await isExtensionWritten(api, named.name, next, extensionNames)) return IN_PROGRESS;
      await api.setNicTags(named.name, patch.tags);
    }
    await api.patchVm(named.name, patch.update);
    log.info('updated a VM in place', {
      vm: named.name,
      tags: patch.tags !== undefined,
      identities: patch.update.identity !== undefined,
    });
    return IN_PROGRESS;
  } catch (error) {
    throw asCloudError(error);
  }
}

// ---------------------------------------------------------------------------------------------------

/** Whether an extension is being written, by this call or already: then the VM has to wait. */
async function isExtensionWritten(
  api: VmApi,
  name: string,
  next: (actual: Tags) => Tags | undefined,
  extensionNames: readonly string[],
): Promise<boolean> {
  for (const extension of extensionNames) {
    const view = await api.getExtension(name, extension);
    // A VM of upstream may lack one: it is not added here.
    if (view === undefined) continue;
    if (view.progress === 'working') return true;
    // A policy may add tags of its own to an extension with every write.
    const tags = next(view.tags);
    if (tags === undefined) continue;
    const { state } = await api.patchExtension(name, extension, { tags: { ...tags } });
    if (state === 'accepted') return true;
  }
  return false;
}
