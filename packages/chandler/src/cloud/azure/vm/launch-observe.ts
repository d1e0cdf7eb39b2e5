/** Looks at what there is of a VM, in as few calls as will do. Decides nothing. */
import type { ArmError, Operation, OperationState } from '../../../arm/index.ts';
import { classify } from '../errors/index.ts';
import {
  encryptionOf,
  isRegistered,
  type LaunchContext,
  type LaunchOutcome,
  launched,
  waiting,
} from './launch-context.ts';
import type { LaunchObserved, ObservedExtension } from './launch-decision.ts';
import { isReplaced } from './replaced-operation.ts';
import { isCanceled, type VmView } from './view.ts';

/** Asks once about what was sent; an outcome only while it is still running. */
export async function pollPending(context: LaunchContext): Promise<LaunchOutcome | undefined> {
  const { record, trace } = context;
  const { pending } = record;
  if (pending === undefined) return undefined;
  const state = await ask(context, pending.operation);
  if (state.state === 'running') return stillRunning(context, pending.part, state.retryAfterMs);
  delete record.pending;
  if (state.state === 'failed') {
    const replaced = isReplaced(state.error);
    record.failure = { part: pending.part, extension: pending.extension, error: state.error, replaced };
    if (pending.part === 'vm' && replaced)
      trace.add('vmOperation', 'ok', { ...encryptionOf(record, record.accepted), state: 'replaced' });
  }
  if (state.state === 'succeeded' && pending.part === 'networkInterface') {
    record.nicMade = true;
    delete record.nicRepaired;
  }
  if (state.state === 'succeeded' && pending.extension !== undefined) record.ready.add(pending.extension);
  if (pending.part === 'vm' && state.state !== 'failed') {
    trace.add('vmOperation', 'ok', { ...encryptionOf(record, record.accepted), state: state.state });
  }
  return undefined;
}

export async function observe(context: LaunchContext): Promise<LaunchObserved> {
  const { api } = context.options;
  if (context.record.nicMade === true && context.record.planned !== undefined) return withNewNic(context);
  const vm = await api.getVm(context.name);
  if (vm !== undefined) return observeParts(context, vm);
  const { failure } = context.record;
  if (failure?.part === 'vm')
    return { ...wanted(context), vm: undefined, nic: undefined, vmFailure: failure.error };
  return { ...wanted(context), vm: undefined, nic: await api.getNic(context.name) };
}

/** A NIC that we have put just now is as we asked for it. */
export function withNewNic(context: LaunchContext): LaunchObserved {
  const target = wanted(context);
  const nic = {
    id: context.options.api.nicId(context.name),
    claimUid: context.uid,
    progress: 'ready' as const,
    ...target.wantedNic!,
    attachedTo: undefined,
  };
  return { ...target, vm: undefined, nic };
}

/** The extensions of a VM that is known already. */
export async function observeParts(context: LaunchContext, vm: VmView): Promise<LaunchObserved> {
  const view = observedVm(context, vm);
  if (view.progress === 'ready') context.record.made = true;
  const extensions = view.progress === 'ready' ? await observeExtensions(context) : [];
  return { ...wanted(context), nic: undefined, vm: view, extensions };
}

/** What the claim and its plan ask for. */
export function wanted(context: LaunchContext): Omit<LaunchObserved, 'vm' | 'nic'> {
  const { network, tags = {} } = context.record.planned?.plan ?? {};
  return {
    claimUid: context.uid,
    ownVmId: context.ownVmId,
    extensions: [],
    ...(network === undefined
      ? {}
      : {
          putNic: context.record.nicPut,
          wantedNic: {
            acceleratedNetworking: network.acceleratedNetworking,
            subnetId: network.subnetId,
            addresses: 1 + network.secondaryAddresses,
            securityGroupId: network.securityGroupId,
            tags,
          },
        }),
  };
}

// ---------------------------------------------------------------------------------------------------

/** After so many polls without an answer the resource itself is read, which shows less than the operation. */
const MAX_UNANSWERED = 3;

async function ask({ options, record }: LaunchContext, operation: Operation): Promise<OperationState> {
  try {
    const state = await options.api.poll(operation);
    delete record.unanswered;
    return state;
  } catch (error) {
    const isThrottled = classify(error).error.kind === 'Throttled';
    record.unanswered = (record.unanswered ?? 0) + (isThrottled ? 0 : 1);
    if (record.unanswered < MAX_UNANSWERED) throw error;
    delete record.unanswered;
    return { state: 'unknown' };
  }
}

function stillRunning(
  context: LaunchContext,
  part: 'networkInterface' | 'vm' | 'extension',
  retryAfterMs: number | undefined,
): LaunchOutcome {
  const { accepted, reported } = context.record;
  if (accepted === undefined) return waiting(context, part, retryAfterMs);
  if (part === 'vm' && !reported.has(part)) {
    reported.add(part);
    context.trace.add('vmOperation', 'waiting', encryptionOf(context.record, accepted));
  }
  return launched(context, accepted, Math.max(retryAfterMs ?? 0, context.pollIntervalMs(part)));
}

/** How far the creation of the VM is, whatever is written to it afterwards. */
function observedVm({ record, request }: LaunchContext, vm: VmView): VmView {
  const failure = record.failure?.part === 'vm' ? record.failure : undefined;
  if (failure?.replaced === false) return { ...vm, progress: 'failed', failure: failure.error };
  if (vm.progress !== 'failed') return vm;
  // A failed extension, also of another client, and a disk that cannot be attached show the VM as failed.
  const isMade = record.made === true || isRegistered(request.claim) || isOfExtension(vm.failure);
  if (isMade) return { ...vm, progress: 'ready', failure: undefined };
  return failure !== undefined && isCanceled(vm.vm.provisioningState)
    ? { ...vm, failure: failure.error }
    : vm;
}

function isOfExtension(failure: ArmError | undefined): boolean {
  return failure !== undefined && classify(failure).error.reason === 'ExtensionFailed';
}

/** In their order, up to the first that is not ready: those behind it are not put on before. */
async function observeExtensions(context: LaunchContext): Promise<readonly ObservedExtension[]> {
  const { record, options, name: vmName } = context;
  const seen: ObservedExtension[] = [];
  for (const name of options.extensionNames()) {
    if (record.ready.has(name)) continue;
    const cannotBeThere = record.putHere === true && !record.sent.has(name);
    const shown = cannotBeThere ? undefined : await options.api.getExtension(vmName, name);
    const known = {
      failure: record.failure?.extension === name ? record.failure : undefined,
      puts: record.puts.get(name) ?? 0,
    };
    if (shown === undefined) return [...seen, { name, state: 'absent', ...known }];
    seen.push({ name, state: 'present', view: shown, ...known });
    if (shown.progress !== 'ready' || known.failure?.replaced === false) return seen;
    record.ready.add(name);
  }
  return seen;
}
