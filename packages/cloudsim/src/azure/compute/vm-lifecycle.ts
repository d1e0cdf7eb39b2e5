/**
 * The lifecycle of a VM: it is allocated or not, a disk is created, the VM starts, runs, is updated, is deleted. Each step
 * is a task on the schedule; a newer operation cancels the steps of the older one.
 */
import { numberOf } from '../faults/parse-fault.ts';
import type { Nics } from '../network/nics.ts';
import { parseResourceId } from '../store/resource-id.ts';
import type { ArmContext } from '../wire/context.ts';
import type { ArmError, ArmErrorBody } from '../wire/errors.ts';
import type { Operation } from '../wire/operations.ts';
import { internalExecutionError, preempted } from './compute-errors.ts';
import { createOsDisk, detachDisk, osDiskId } from './disks.ts';
import type { CheckedVm } from './vm-checks.ts';
import { vmFault, vmSubject } from './vm-faults.ts';
import type { DesiredVm } from './vm-request.ts';
import type { VmPhase, VmState, VmStates } from './vm-states.ts';

export class VmLifecycle {
  readonly #context: ArmContext;
  readonly #states: VmStates;
  readonly #nics: Nics;
  /** Deletes what belongs to a VM. */
  onGone: (vmId: string) => void = () => undefined;
  /** Ends the operations of what belongs to a VM. */
  onUpdate: (vmId: string) => void = () => undefined;
  /** Why one of its extensions failed. */
  extensionFailure: (vmId: string) => ArmErrorBody | undefined = () => undefined;

  constructor(context: ArmContext, states: VmStates, nics: Nics) {
    this.#context = context;
    this.#states = states;
    this.#nics = nics;
    states.onEvict = (id) => {
      const state = states.state(id);
      if (state === undefined || state.phase === 'deleting') return;
      if (state.desired.properties['evictionPolicy'] !== 'Deallocate') this.delete(state, true);
      else {
        state.power = 'deallocated';
        states.notify('vmGone', state.id);
      }
    };
  }

  add(id: string, desired: DesiredVm, checked: CheckedVm, diskName: string): VmState {
    const { clock, random } = this.#context.world;
    const state: VmState = {
      id,
      createdMs: clock.now(),
      vmId: random.uuid(),
      desired,
      size: checked.size,
      image: checked.image,
      diskName,
      diskSizeGB: desired.osDisk.sizeGB ?? checked.image?.osDiskSizeGB ?? DEFAULT_DISK_GB,
      phase: 'creating',
      phaseSinceMs: clock.now(),
      power: 'starting',
      error: undefined,
      allocated: false,
      operations: [],
      attempt: 0,
      timer: undefined,
      view: {},
      serial: '',
    };
    this.#states.add(state);
    return state;
  }

  /** An operation that ends when the current attempt does; those before it have been replaced by it. */
  join(state: VmState): Operation {
    this.#cancelOperations(state);
    const operation = this.#operation(this.#context.latencies.vmCreateMs);
    state.operations.push(operation.id);
    return operation;
  }

  /** The attempt itself. */
  begin(state: VmState): void {
    const { latencies, faults } = this.#context;
    const attempt = ++state.attempt;
    this.#phase(state, 'creating');
    for (const nic of state.desired.nics) this.#nics.attach(nic.id, state.id);
    const fault = faults.trigger('vm', vmSubject(state.desired, parseResourceId(state.id)!.name, 'async'));
    const error =
      (fault &&
        vmFault(fault, { id: state.id, desired: state.desired, size: state.size, principal: undefined })) ??
      this.#keyRefused(state);
    if (fault?.name === 'preempted')
      this.#context.schedule.after(latencies.vmCreateMs / 2, () => {
        if (state.attempt === attempt) this.#cancelOperations(state);
      });
    const late = error !== undefined && DELAYED.has(error.error.code);
    const extraMs = fault?.name === 'vm-slow' ? numberOf(fault) : 0;
    const allocateMs = latencies.vmCreateMs * ALLOCATION_SHARE + extraMs;
    this.#after(state, attempt, allocateMs, () => {
      if (error !== undefined && !late) return this.#fail(state, error.error);
      this.#allocated(state, attempt, late ? error : undefined);
    });
  }

  retry(state: VmState): void {
    state.error = undefined;
    state.phase = 'creating';
  }

  update(state: VmState): Operation {
    if (state.phase === 'creating') return this.join(state);
    const operation = this.#operation(this.#context.latencies.vmUpdateMs);
    this.onUpdate(state.id);
    const attempt = ++state.attempt;
    this.#preempt(state);
    state.operations.push(operation.id);
    const wasFailed = state.phase === 'failed';
    state.phase = 'updating';
    this.#after(state, attempt, this.#context.latencies.vmUpdateMs, () => {
      if (wasFailed && state.error !== undefined && !isOfExtension(state.error))
        return this.#fail(state, state.error);
      this.#asExtensions(state);
    });
    return operation;
  }

  /** An extension has a result, or is gone: a VM that was made shows the failure as its own, and runs. */
  extensionEnded(state: VmState): void {
    if (state.phase === 'succeeded' || (state.phase === 'failed' && isOfExtension(state.error)))
      this.#asExtensions(state);
  }

  delete(state: VmState, force: boolean): Operation {
    const { latencies, faults } = this.#context;
    const operation = this.#operation(latencies.vmDeleteMs);
    if (state.phase === 'deleting') {
      state.operations.push(operation.id);
      return operation;
    }
    const attempt = ++state.attempt;
    this.#preempt(state);
    state.operations.push(operation.id);
    this.#states.notify('vmGone', state.id);
    state.power = 'stopped';
    this.#phase(state, 'deleting');
    const subject = { ...vmSubject(state.desired, parseResourceId(state.id)!.name), method: 'DELETE' };
    const fault = faults.trigger('vm-delete', subject);
    const extraMs = fault?.name === 'stuck-delete' ? numberOf(fault) : 0;
    const delayMs = latencies.vmDeleteMs * (force ? FORCED_SHARE : 1) + extraMs;
    this.#after(state, attempt, delayMs, () => {
      if (fault?.name === 'delete-fails') return this.#fail(state, internalExecutionError().error);
      this.#gone(state);
    });
    return operation;
  }

  #keyRefused(state: VmState): ArmError | undefined {
    const { diskEncryptionSetId } = state.desired.osDisk;
    if (diskEncryptionSetId === undefined) return undefined;
    return this.#context.services.encryption?.checkKey({
      diskEncryptionSetId,
      region: state.desired.location,
      principal: undefined,
    });
  }

  #allocated(state: VmState, attempt: number, error: ArmError | undefined): void {
    const vm = this.#context.store.get(state.id);
    if (vm === undefined) return;
    createOsDisk(this.#context, vm, state.desired, state.diskName, state.diskSizeGB);
    state.allocated = true;
    state.power = 'running';
    const rest = this.#context.latencies.vmCreateMs * (1 - ALLOCATION_SHARE);
    const ended = (failure?: ArmErrorBody) => {
      if (state.attempt !== attempt) return;
      if (failure === undefined) this.#succeed(state);
      else this.#fail(state, failure);
    };
    if (error !== undefined) this.#after(state, attempt, rest, () => ended(error.error));
    else this.#states.provision(state.id, ended, () => this.#after(state, attempt, rest, () => ended()));
  }

  #succeed(state: VmState): void {
    const first = state.phase === 'creating';
    this.#phase(state, 'succeeded');
    const operations = this.#takeOperations(state);
    for (const id of operations) this.#context.operations.succeed(id);
    if (first) this.#states.notify('vmRunning', state.id);
  }

  #asExtensions(state: VmState): void {
    const error = this.extensionFailure(state.id);
    state.error = error;
    if (error === undefined) this.#succeed(state);
    else {
      this.#phase(state, 'failed');
      for (const id of this.#takeOperations(state)) this.#context.operations.fail(id, error);
    }
  }

  #fail(state: VmState, error: ArmErrorBody): void {
    state.error = error;
    if (!state.allocated) {
      state.power = 'unknown';
      this.#context.services.quota?.release(state.id);
      for (const nic of state.desired.nics) this.#nics.reserve(nic.id, state.id);
    }
    this.#phase(state, 'failed');
    for (const id of this.#takeOperations(state)) this.#context.operations.fail(id, error);
    this.#states.notifyFailed(state.id, error);
  }

  #gone(state: VmState): void {
    const { store, operations, services } = this.#context;
    this.onGone(state.id);
    const diskId = osDiskId(state.id, state.diskName);
    if (state.desired.osDisk.deleteWithVm) store.delete(diskId);
    else detachDisk(this.#context, diskId);
    for (const nic of state.desired.nics) {
      if (nic.deleteWithVm) this.#nics.remove(nic.id);
      else this.#nics.detach(nic.id);
    }
    services.quota?.release(state.id);
    store.delete(state.id);
    this.#states.remove(state.id);
    for (const id of this.#takeOperations(state)) operations.succeed(id);
  }

  #phase(state: VmState, phase: VmPhase): void {
    const { store, world } = this.#context;
    state.phase = phase;
    state.phaseSinceMs = world.clock.now();
    const vm = store.get(state.id);
    if (vm === undefined || vm.properties.provisioningState === STATES[phase]) return;
    store.put({ ...vm, properties: { ...vm.properties, provisioningState: STATES[phase] } });
  }

  #preempt(state: VmState): void {
    state.timer?.cancel();
    this.#cancelOperations(state);
  }

  #cancelOperations(state: VmState): void {
    for (const id of this.#takeOperations(state)) this.#context.operations.cancel(id, preempted().error);
  }

  #takeOperations(state: VmState): readonly string[] {
    const { operations } = state;
    state.operations = [];
    return operations;
  }

  #after(state: VmState, attempt: number, delayMs: number, task: () => void): void {
    state.timer = this.#context.schedule.after(delayMs, () => {
      if (state.attempt === attempt) task();
    });
  }

  #operation(expectedMs: number): Operation {
    const { region: location, subscriptionId } = this.#context.settings;
    return this.#context.operations.start({
      provider: 'Microsoft.Compute',
      location,
      subscriptionId,
      expectedMs,
    });
  }
}

/** A VM that only has a failed extension runs. */
export function isOfExtension(error: ArmErrorBody | undefined): boolean {
  return error?.code.startsWith('VMExtension') ?? false;
}

// ---------------------------------------------------------------------------------------------------

const DEFAULT_DISK_GB = 128;
/** Allocation takes this share of a creation; the rest is the start of the VM. */
const ALLOCATION_SHARE = 0.25;
const FORCED_SHARE = 0.5;
/** Reported only after the time that the VM needs to start. */
const DELAYED: ReadonlySet<string> = new Set([
  'OSProvisioningTimedOut',
  'VMStartTimedOut',
  'InternalExecutionError',
]);

const STATES: Readonly<Record<VmPhase, string>> = {
  creating: 'Creating',
  updating: 'Updating',
  succeeded: 'Succeeded',
  failed: 'Failed',
  deleting: 'Deleting',
};
