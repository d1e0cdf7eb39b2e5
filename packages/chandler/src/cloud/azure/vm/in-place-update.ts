/** Patches what differs on a running VM: interface and extensions first, so that the VM shows it last. */
import type { Log, Stored } from '@chandler/kube';
import type { NodeClaim } from '../../../api/index.ts';
import { isNotFound, toArmError } from '../../../arm/index.ts';
import { CloudError } from '../../index.ts';

import { asCloudError } from '../errors/index.ts';
import { type InPlaceGoal, inPlaceAnnotations, inPlacePatch, isInPlace, readMark } from './in-place.ts';
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
    const patch = inPlacePatch(goal, vm.vm, readMark(claim));
    if (patch === undefined) return { state: 'checked', annotations };
    if (patch.tags !== undefined) await patchParts(api, named.name, patch.tags, extensionNames);
    await api.patchVm(named.name, patch.update);
    log.info('updated a VM in place', {
      vm: named.name,
      tags: patch.tags !== undefined,
      identities: patch.update.identity !== undefined,
    });
    return { state: 'patched', retryAfterMs: POLL_INTERVAL_MS };
  } catch (error) {
    throw asCloudError(error);
  }
}

// ---------------------------------------------------------------------------------------------------

async function patchParts(
  api: VmApi,
  name: string,
  tags: Tags,
  extensionNames: readonly string[],
): Promise<void> {
  await api.setNicTags(name, tags);
  for (const extension of extensionNames) {
    try {
      await api.patchExtension(name, extension, { tags: { ...tags } });
    } catch (error) {
      // A VM of upstream may lack one: it is not added here.
      if (!isNotFound(error)) throw toArmError(error);
    }
  }
}
