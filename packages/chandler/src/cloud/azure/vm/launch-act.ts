/** Does what was decided: one function for each action. Every refusal of Azure is classified and reported here. */
import type { VirtualMachine } from '@azure/arm-compute';
import {
  type ArmError,
  ArmError as ArmErrorClass,
  HELD_BACK,
  type Operation,
  toArmError,
} from '../../../arm/index.ts';
import type { StageFact } from '../../../journey/index.ts';
import { CloudError } from '../../index.ts';

import { unlessAborted } from '../abort.ts';
import { classify } from '../errors/index.ts';
import { diskEncryptionFact } from '../stages.ts';
import { BILLING_EXTENSION, extensionName, extensionObject } from './extension-object.ts';
import {
  bestEffort,
  encryptionOf,
  type FixedOffering,
  type LaunchContext,
  launched,
  type Next,
  StepFailure,
  waiting,
} from './launch-context.ts';
import type { LaunchAction, LaunchObserved, LaunchPart } from './launch-decision.ts';
import { observe, observeParts, wanted, withNewNic } from './launch-observe.ts';
import type { PlannedVm } from './launch-records.ts';
import { namesLostPool } from './load-balancers.ts';
import { nicObject } from './nic-object.ts';
import type { SentVm } from './vm-api.ts';
import { plannedFacts, shownFacts, type VmFacts } from './vm-facts.ts';
import type { ExtensionPlan, VmPlan } from './vm-plan.ts';

export async function act(
  context: LaunchContext,
  action: LaunchAction,
  observed: LaunchObserved,
): Promise<Next> {
  switch (action.do) {
    case 'putNic':
      return putNic(context, observed);
    case 'putVm':
      return putVm(context, observed, action.nicId);
    case 'putExtension':
      return putExtension(context, observed, action.name);
    case 'wait':
      return wait(context, action.for, action.why, observed);
    case 'fail':
      return fail(context, action.part, action.error, observed);
    case 'refuse':
      throw nameTaken(context, action.part, action.owner);
    case 'vanished':
      throw new CloudError('NotFound', `VM ${action.vmId} of the NodeClaim no longer exists`);
    case 'settled':
      return settle(context, observed);
  }
}

// ---------------------------------------------------------------------------------------------------

async function planned(context: LaunchContext, fixed?: FixedOffering): Promise<PlannedVm> {
  const { record, options, request, trace } = context;
  if (record.planned === undefined) {
    record.planned = await options.plan(request, context.signal, trace, fixed);
    // A NIC that was made for another plan is read, and put again if it does not fit.
    delete record.nicMade;
  }
  return record.planned;
}

/** The class was edited while the plan waited: nothing is requested any more by the old one. */
export function discardStalePlan({ record, request }: LaunchContext): void {
  const { uid, generation } = request.nodeClass.metadata;
  const made = record.planned?.nodeClass;
  if (made !== undefined && (made.uid !== uid || made.generation !== generation)) delete record.planned;
}

/** The node class becomes not ready with its next reconcile; until then nothing else is launched with the set either. */
function checkLastRefusal({ options, record, request, trace }: LaunchContext, { plan }: PlannedVm): void {
  const why = options.lastRefusal(plan.osDisk.diskEncryptionSet?.value);
  if (why === undefined) return;
  delete record.planned;
  const { name } = request.nodeClass.metadata;
  const message = `AKSNodeClass ${name}: ${why}`;
  trace.add('nodeClass', 'failed', { name, reason: 'NodeClassNotReady' }, message);
  throw new CloudError('NodeClassNotReady', message);
}

async function putNic(context: LaunchContext, observed: LaunchObserved): Promise<Next> {
  const machine = await planned(context);
  checkLastRefusal(context, machine);
  const { plan } = machine;
  const facts = { name: plan.name, subnet: plan.network.subnetId };
  const failure = nicFailure(context, observed);
  if (failure !== undefined && context.record.nicRepaired === true) {
    delete context.record.failure;
    delete context.record.nicRepaired;
    throw refused(context, 'networkInterface', failure, machine, facts, 'async');
  }
  try {
    const sent = await sendNic(context, plan);
    context.record.nicPut = { tags: plan.tags, securityGroupId: plan.network.securityGroupId };
    if (failure !== undefined) context.record.nicRepaired = true;
    context.trace.add('networkInterface', sent.state === 'done' ? 'ok' : 'waiting', facts);
    if (sent.state === 'accepted') {
      context.record.pending = { part: 'networkInterface', operation: sent.operation };
      return { outcome: waiting(context, 'networkInterface') };
    }
  } catch (error) {
    throw refused(context, 'networkInterface', error, machine, facts);
  }
  return { observed: withNewNic(context) };
}

/** Why the operation on the NIC failed; where it was not seen, that the NIC is in a failed state. */
function nicFailure({ record }: LaunchContext, { nic }: LaunchObserved): ArmError | undefined {
  if (record.failure?.part === 'networkInterface') return record.failure.error;
  return nic?.progress === 'failed'
    ? new ArmErrorClass({
        code: 'NetworkInterfaceFailed',
        message: 'the network interface has a failed provisioning state, and Azure reports no reason',
      })
    : undefined;
}

async function sendNic(context: LaunchContext, plan: VmPlan) {
  const { api, pools } = context.options;
  delete context.record.failure;
  const known = await unlessAborted(context.signal, pools.get());
  try {
    return await api.putNic(plan.name, nicObject(plan, known.ids));
  } catch (error) {
    if (!namesLostPool(toArmError(error), known)) throw error;
    const fresh = await unlessAborted(context.signal, pools.refresh(known));
    return api.putNic(plan.name, nicObject(plan, fresh.ids));
  }
}

async function putVm(context: LaunchContext, observed: LaunchObserved, nicId: string): Promise<Next> {
  const { record, options, trace } = context;
  // After a restart the NIC is there and the plan is not: it is made again, and may ask for another NIC.
  if (record.planned === undefined) {
    await planned(context);
    return { observed: { ...observed, ...wanted(context) } };
  }
  const machine = record.planned;
  checkLastRefusal(context, machine);
  const { plan } = machine;
  const body = options.vmObject(plan, nicId);
  const encryption = { diskEncryptionSet: encryptionFact(setOf(body), plan) };
  trace.add('vmObject', 'ok', {
    planned: diskEncryptionFact(plan.osDisk.diskEncryptionSet),
    ...encryption,
    size: plan.size,
    zone: plan.zone,
    image: plan.image.id,
  });
  let sent: SentVm;
  delete record.failure;
  try {
    sent = await options.api.putNewVm(plan.name, body);
    delete record.nicMade;
  } catch (error) {
    if (toArmError(error).code !== HELD_BACK) delete record.nicMade;
    // Somebody was faster: a process that was thought dead, or an answer that got lost. Look again.
    if (toArmError(error).status === 412) return { observed: await observe(context) };
    throw refused(context, 'vm', error, machine, { ...encryption, size: plan.size, zone: plan.zone });
  }
  trace.add('vmRequest', 'ok', {
    diskEncryptionSet: encryptionFact(sent.diskEncryptionSetId, plan),
    vm: plan.name,
    capacityType: plan.capacityType,
  });
  const { submitted } = sent;
  return {
    outcome: accept(context, machine, submitted.state === 'accepted' ? submitted.operation : undefined),
  };
}

function setOf({ storageProfile }: VirtualMachine): string | undefined {
  return storageProfile?.osDisk?.managedDisk?.diskEncryptionSet?.id;
}

/** What object and request really carry, not what was meant to be in them: this is what `why` compares. */
function encryptionFact(id: string | undefined, { osDisk }: VmPlan): StageFact {
  return id === osDisk.diskEncryptionSet?.value
    ? diskEncryptionFact(osDisk.diskEncryptionSet)
    : (id ?? 'none');
}

function accept(context: LaunchContext, machine: PlannedVm, operation: Operation | undefined) {
  const { record, options } = context;
  const { plan } = machine;
  const facts = plannedFacts(plan, options.api.vmId(plan.name), options.clock.now());
  record.accepted = facts;
  record.putHere = true;
  // Of a VM that was there before, and that somebody deleted.
  delete record.made;
  for (const known of [record.sent, record.ready, record.puts]) known.clear();
  record.acceptedOffering = machine.offering;
  record.acceptedValues = machine.values;
  record.acceptedExtensions = plan.extensions;
  record.acceptedEncryption = plan.osDisk.diskEncryptionSet;
  if (operation !== undefined) record.pending = { part: 'vm', operation };
  // The custom data is large and has served.
  delete record.planned;
  options.accepted(machine, facts);
  return launched(context, facts, context.pollIntervalMs('vm'));
}

async function putExtension(context: LaunchContext, observed: LaunchObserved, name: string): Promise<Next> {
  const { record, options, trace } = context;
  const { vm } = observed.vm!;
  const machine = shownFacts(vm, options.region);
  // Of an earlier process: its interface is in use, whatever becomes of the extension.
  record.accepted ??= machine;
  const plan = await extensionPlan(context, name, machine);
  if (plan !== undefined) {
    record.sent.add(name);
    // That it was replaced counts until Azure accepts the PUT: a refused one leaves the extension as it is.
    if (record.failure?.replaced !== true) delete record.failure;
    try {
      const body = extensionObject(plan, { location: vm.location, tags: machine.tags });
      const sent = await options.api.putExtension(context.name, name, body);
      delete record.failure;
      trace.add('extension', sent.state === 'done' ? 'ok' : 'waiting', { name });
      record.puts.set(name, (record.puts.get(name) ?? 0) + 1);
      if (sent.state === 'accepted') {
        record.pending = { part: 'extension', operation: sent.operation, extension: name };
        return { outcome: launched(context, machine, context.pollIntervalMs('extension')) };
      }
    } catch (error) {
      context.signal.throwIfAborted();
      const failure = classify(error);
      const { kind, message } = failure.error;
      trace.add('extension', kind === 'Throttled' ? 'waiting' : 'failed', { name }, message);
      throw new StepFailure(failure);
    }
  }
  record.ready.add(name);
  return { observed: await observeParts(context, observed.vm!) };
}

/** Undefined where the plan of today has no such extension any more. */
async function extensionPlan(
  context: LaunchContext,
  name: string,
  machine: VmFacts,
): Promise<ExtensionPlan | undefined> {
  const { record } = context;
  if (name === BILLING_EXTENSION) return { kind: 'billing' };
  record.acceptedExtensions ??= (await planned(context, machine)).plan.extensions;
  delete record.planned;
  return record.acceptedExtensions.find((plan) => extensionName(plan) === name);
}

function wait(context: LaunchContext, part: LaunchPart, why: string, observed: LaunchObserved): Next {
  const { vm } = observed;
  if (vm === undefined || vm.progress === 'deleting')
    return { outcome: waiting(context, part, undefined, why) };
  const machine = shownFacts(vm.vm, context.options.region);
  context.record.accepted ??= machine;
  return { outcome: launched(context, machine, context.pollIntervalMs(part)) };
}

/**
 * A VM that its claim names may be a node by now, with pods on it: the caller deletes the claim, which drains it
 * before the VM is deleted. Any other has no node that we know of, and is deleted before the failure is reported.
 */
async function fail(
  context: LaunchContext,
  part: LaunchPart,
  error: ArmError | undefined,
  observed: LaunchObserved,
): Promise<Next> {
  const { options, record, trace } = context;
  const machine = failedMachine(context, observed);
  record.accepted ??= machine;
  if (observed.vm === undefined) delete record.failure;
  const said =
    error ?? new ArmErrorClass({ code: 'VMProvisioningFailed', message: 'Azure reports no reason' });
  const about = { diskEncryptionSet: machine.diskEncryptionSetId !== undefined, accepted: true };
  const unread = classify(said, about);
  const evidence = await options.evidenceOf(context.request.claim, unread.error, context.signal);
  const failure = classify(said, { ...about, bootLine: evidence.bootLine });
  const facts = { ...encryptionOf(record, machine), size: machine.size, zone: machine.zone };
  const { message, reason } = failure.error;
  if (part === 'vm') trace.add('vmOperation', 'failed', facts, message);
  trace.add(part === 'vm' ? 'vmResult' : 'extension', 'failed', { ...facts, reason }, message);
  options.refused(failure, 'async', {
    claim: context.request.claim,
    part,
    offering: record.acceptedOffering ?? (await options.offeringOf(machine, context.signal)),
    imageId: machine.imageId,
    diskEncryptionSetId: machine.diskEncryptionSetId,
    createdAtMs: machine.createdAtMs,
  });
  const isKept = evidence.failure !== undefined;
  if (!isKept && observed.vm !== undefined && observed.ownVmId === undefined)
    await bestEffort(options.log, 'a failed VM', context.name, () => options.api.deleteVm(context.name));
  throw new StepFailure(failure);
}

/** As Azure shows it; as it was accepted where Azure shows nothing any more: only then is its operation known. */
function failedMachine({ options, record }: LaunchContext, { vm }: LaunchObserved): VmFacts {
  return vm === undefined ? record.accepted! : shownFacts(vm.vm, options.region);
}

function refused(
  context: LaunchContext,
  part: LaunchPart,
  error: unknown,
  machine: PlannedVm,
  facts: Readonly<Record<string, StageFact>>,
  phase: 'sync' | 'async' = 'sync',
): StepFailure {
  context.signal.throwIfAborted();
  const { plan } = machine;
  const set = plan.osDisk.diskEncryptionSet;
  const failure = classify(error, { diskEncryptionSet: part === 'vm' && set !== undefined });
  const throttled = failure.error.kind === 'Throttled';
  const stage = part === 'vm' ? 'vmRequest' : 'networkInterface';
  const { message, reason } = failure.error;
  context.trace.add(stage, throttled ? 'waiting' : 'failed', { ...facts, reason }, message);
  if (!throttled) {
    context.options.refused(failure, phase, {
      claim: context.request.claim,
      part,
      offering: machine.offering,
      imageId: plan.image.id,
      diskEncryptionSetId: set?.value,
      osDisk: plan.osDisk,
    });
    // The next attempt plans again: what was refused is blocked, or the cause may be gone.
    delete context.record.planned;
  }
  return new StepFailure(failure);
}

function nameTaken(context: LaunchContext, part: LaunchPart, owner: string | undefined): CloudError {
  const what = part === 'vm' ? 'a virtual machine' : 'a network interface';
  const owned = owner === undefined ? 'without a NodeClaim' : `of the NodeClaim with UID ${owner}`;
  const message = `${what} ${owned} already has the name ${context.name}`;
  const stage = part === 'vm' ? 'vmResult' : 'networkInterface';
  context.trace.add(stage, 'failed', { name: context.name }, message);
  return new CloudError('NameTaken', message);
}

function settle(context: LaunchContext, observed: LaunchObserved): Next {
  const { options, record, trace } = context;
  const machine = shownFacts(observed.vm!.vm, options.region);
  trace.add('vmResult', 'ok', { ...encryptionOf(record, machine), vm: machine.name, id: machine.id });
  const names = options.extensionNames().join(',');
  trace.add('extension', 'ok', { names: names === '' ? 'none' : names });
  options.onProvisioned(machine);
  return { outcome: launched(context, machine) };
}
