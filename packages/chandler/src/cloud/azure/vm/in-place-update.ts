/**
 * Patches what differs on a running VM: interface and extensions first, so that the VM shows it last. Azure refuses a
 * write of a VM while another one, of the VM or of an extension, is in progress; so every write is a step of its own.
 */
import type { Log, Stored } from '@chandler/kube';
import type { NodeClaim } from '../../../api/index.ts';
import type { Operation, OperationState } from '../../../arm/index.ts';
import { CloudError } from '../../index.ts';

import { asCloudError, classify } from '../errors/index.ts';
import {
  differingTags,
  type InPlaceGoal,
  type InPlacePatch,
  inPlaceAnnotations,
  inPlaceHash,
  inPlacePatch,
  isInPlace,
  readMark,
  tagsAfter,
} from './in-place.ts';
import type { InPlaceMemory, InPlacePart, InPlaceProgress } from './in-place-memory.ts';
import { namedVm } from './own-vm.ts';
import { isReplaced } from './replaced-operation.ts';
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

export interface InPlaceUpdate {
  readonly api: VmApi;
  readonly log: Log;
  readonly memory: InPlaceMemory;
  readonly claim: Stored<NodeClaim>;
  readonly goal: InPlaceGoal;
  readonly extensionNames: readonly string[];
}

/** @throws {CloudError} Throttled included: the caller requeues. */
export async function updateVm(update: InPlaceUpdate): Promise<InPlaceResult> {
  const { api, log, memory, claim, goal } = update;
  const { uid } = claim.metadata;
  const annotations = inPlaceAnnotations(goal);
  if (isInPlace(claim, goal)) return { state: 'same', annotations };
  const named = namedVm(claim, api);
  if (named === undefined) throw new CloudError('NotFound', `NodeClaim ${claim.metadata.name} has no VM`);
  try {
    const progress = memory.of(uid, inPlaceHash(goal));
    const { sent } = progress;
    if (await isRunning(update, progress)) return IN_PROGRESS;
    const vm = await api.getVm(named.name);
    if (vm === undefined) throw new CloudError('NotFound', `virtual machine ${named.name} does not exist`);
    const mark = readMark(claim);
    const patch = inPlacePatch(goal, vm.vm, mark);
    const isOver = patch === undefined || (vm.progress !== 'working' && isOnlyReplaced(patch, sent));
    if (isOver) {
      memory.forget(uid);
      if (patch?.tags !== undefined) {
        const tags = differingTags(patch.tags, vm.vm.tags ?? {});
        log.warn('Azure replaces tags of a VM', { vm: named.name, tags });
      }
      return { state: 'checked', annotations };
    }
    if (vm.progress === 'working') return IN_PROGRESS;
    // Without an identity nothing is over, whatever the operation of a failed VM meant.
    if (sent.has('vm') && patch.update.identity !== undefined)
      throw failedWrite(update, progress, 'vm', progress.ofFailedVm ?? withoutIdentities(named.name));
    const ofFailedVm = vm.progress === 'failed';
    if (patch.tags !== undefined) {
      const ours = mark?.tags ?? [];
      const next = (actual: Tags) => tagsAfter(goal.tags, actual, ours);
      const written = await writeExtension(update, named.name, next, sent);
      if (written !== undefined) {
        if (written.operation !== undefined)
          progress.pending = { part: written.part, operation: written.operation, ofFailedVm };
        return IN_PROGRESS;
      }
      await writeNic(api, named.name, next, sent);
    }
    const submitted = await api.patchVm(named.name, patch.update);
    sent.add('vm');
    if (submitted.state === 'accepted')
      progress.pending = { part: 'vm', operation: submitted.operation, ofFailedVm };
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

/** Azure accepted these tags, and shows others: a policy sets them with every write. */
function isOnlyReplaced({ update }: InPlacePatch, sent: ReadonlySet<InPlacePart>): boolean {
  return sent.has('vm') && update.identity === undefined;
}

/** Polls the last write once. One that failed was not done: it is sent again after the error. */
async function isRunning(update: InPlaceUpdate, progress: InPlaceProgress): Promise<boolean> {
  const { pending } = progress;
  if (pending === undefined) return false;
  const state = await update.api.poll(pending.operation).catch((error: unknown): OperationState => {
    const isThrottled = classify(error).error.kind === 'Throttled';
    pending.unanswered = (pending.unanswered ?? 0) + (isThrottled ? 0 : 1);
    if (pending.unanswered < MAX_UNANSWERED) throw error;
    return { state: 'unknown' };
  });
  delete pending.unanswered;
  if (state.state === 'running') return true;
  delete progress.pending;
  if (state.state === 'unknown' && !progress.repeated.has(pending.part)) {
    // What Azure shows next cannot tell a failed write from a policy that replaces tags.
    progress.repeated.add(pending.part);
    progress.sent.delete(pending.part);
  }
  if (state.state !== 'failed') return false;
  if (pending.ofFailedVm && !isReplaced(state.error)) {
    if (pending.part === 'vm') progress.ofFailedVm = state.error;
    return false;
  }
  throw failedWrite(update, progress, pending.part, state.error);
}

const MAX_PAUSE_MS = 10 * 60_000;

/** A write that was accepted makes the caller forget its backoff, so the pause is in the error. */
function failedWrite(
  { log, claim }: InPlaceUpdate,
  progress: InPlaceProgress,
  part: InPlacePart,
  error: unknown,
): CloudError {
  progress.sent.delete(part);
  delete progress.ofFailedVm;
  progress.failures += 1;
  const ms = Math.min(POLL_INTERVAL_MS * 2 ** progress.failures, MAX_PAUSE_MS);
  const { kind, message, reason, code, cause } = asCloudError(error);
  log.warn('update of a VM in place failed', { NodeClaim: claim.metadata.name, part, error: message });
  return new CloudError(kind, message, { reason, code, cause, advice: { retry: 'after', ms } });
}

function withoutIdentities(name: string): CloudError {
  return new CloudError('Unreachable', `Azure accepted identities of VM ${name} and does not show them`);
}

/** After so many polls without an answer the write is sent once more. */
const MAX_UNANSWERED = 3;

interface ExtensionWrite {
  readonly part: InPlacePart;
  /** Absent for a write of somebody else. */
  readonly operation?: Operation;
}

/** The extension that is being written, by this call or already: the VM has to wait for it. */
async function writeExtension(
  { api, extensionNames }: InPlaceUpdate,
  name: string,
  next: (actual: Tags) => Tags | undefined,
  sent: Set<InPlacePart>,
): Promise<ExtensionWrite | undefined> {
  for (const extension of extensionNames) {
    const part: InPlacePart = `extension ${extension}`;
    const view = await api.getExtension(name, extension);
    // A VM of upstream may lack one: it is not added here.
    if (view === undefined) continue;
    if (view.progress === 'working') return { part };
    // A policy may add tags of its own to an extension with every write, or replace ours.
    const tags = sent.has(part) ? undefined : next(view.tags);
    if (tags === undefined) continue;
    const submitted = await api.patchExtension(name, extension, { tags: { ...tags } });
    sent.add(part);
    if (submitted.state === 'accepted') return { part, operation: submitted.operation };
  }
  return undefined;
}

/** Its own tags, which others may have set, stay. */
async function writeNic(
  api: VmApi,
  name: string,
  next: (actual: Tags) => Tags | undefined,
  sent: Set<InPlacePart>,
): Promise<void> {
  if (sent.has('networkInterface')) return;
  const nic = await api.getNic(name);
  const tags = nic === undefined ? undefined : next(nic.tags);
  if (tags === undefined) return;
  await api.setNicTags(name, tags);
  sent.add('networkInterface');
}
