/**
 * Virtual VMs over ARM: the PUT, PATCH and DELETE calls. What happens to a VM afterwards, step by step, is in
 * vm-lifecycle.ts.
 */
import { modifiedByPolicy } from '../faults/policy.ts';
import type { Nics } from '../network/nics.ts';
import { requireBody, tagsAt } from '../store/body.ts';
import { checkPreconditions, idOf, requireResource } from '../store/read-routes.ts';
import type { ArmResource } from '../store/resource.ts';
import { idKey, parseResourceId, sameId } from '../store/resource-id.ts';
import type { ArmAnswer, ArmRequest } from '../wire/arm-request.ts';
import type { ArmContext } from '../wire/context.ts';
import { ArmError, invalidParameter, propertyChangeNotAllowed } from '../wire/errors.ts';
import { started } from '../wire/operations.ts';
import { concurrentRequest } from './compute-errors.ts';
import { EXTENSION_TYPE, isWriting } from './extensions.ts';
import { type CheckedVm, checkDisk, checkVm, VM_TYPE } from './vm-checks.ts';
import { reservesNic, vmFault, vmSubject } from './vm-faults.ts';
import type { VmLifecycle } from './vm-lifecycle.ts';
import { checkIdentity, type DesiredVm, readVm } from './vm-request.ts';
import { changedProperty, mergedIdentity, resourceOf, shownIdentity } from './vm-resource.ts';
import type { VmState, VmStates } from './vm-states.ts';

export class Vms {
  readonly #context: ArmContext;
  readonly #states: VmStates;
  readonly #nics: Nics;
  readonly #lifecycle: VmLifecycle;

  constructor(context: ArmContext, states: VmStates, nics: Nics, lifecycle: VmLifecycle) {
    this.#context = context;
    this.#states = states;
    this.#nics = nics;
    this.#lifecycle = lifecycle;
  }

  put(request: ArmRequest): ArmAnswer {
    const id = idOf(this.#context, VM_TYPE, request);
    checkName(request.params['name']!);
    const body = modifiedByPolicy(this.#context.faults, requireBody(request.body), request.params['name']!);
    const desired = readVm(body, request.params['name']!);
    const existing = this.#context.store.get(id);
    checkPreconditions(request, existing);
    if (existing !== undefined) return this.#update(request, existing, desired);
    const checked = checkVm(this.#context, this.#nics, request, id, desired);
    const diskName =
      desired.osDisk.name ??
      `${parseResourceId(id)!.name}_OsDisk_1_${this.#context.world.random.uuid().replaceAll('-', '')}`;
    if (desired.osDisk.ephemeral === undefined) checkDisk(this.#context, request, id, diskName);
    this.#admit(request, id, desired, checked);
    const state = this.#lifecycle.add(id, desired, checked, diskName);
    const resource = this.#context.store.put(resourceOf(state, this.#context));
    return this.#started(request, state, resource, 201);
  }

  patch(request: ArmRequest): ArmAnswer {
    const vm = requireResource(this.#context, idOf(this.#context, VM_TYPE, request));
    const state = this.#states.state(vm.id)!;
    if (state.phase === 'deleting' || this.#isBusy(state)) throw concurrentRequest();
    const body = requireBody(request.body);
    const changed = changedProperty(state.desired, body['properties']);
    if (changed !== undefined) throw propertyChangeNotAllowed(changed);
    const tags = tagsAt(body);
    const given = body['identity'];
    const identity =
      given === undefined ? state.desired.identity : mergedIdentity(state.desired.identity, given);
    checkIdentity(identity);
    state.desired = { ...state.desired, identity, ...(tags === undefined ? {} : { tags }) };
    return this.#changed(request, vm, state);
  }

  delete(request: ArmRequest): ArmAnswer {
    const id = idOf(this.#context, VM_TYPE, request);
    const state = this.#states.state(id);
    if (state === undefined) return { status: 204 };
    const force = request.query.get('forcedeletion')?.toLowerCase() === 'true';
    const operation = this.#lifecycle.delete(state, force);
    return started(request, operation, 202);
  }

  /** Faults and quota: errors that depend on the current state. Such an error leaves the NIC reserved, as Azure does. */
  #admit(request: ArmRequest, id: string, desired: DesiredVm, checked: CheckedVm): void {
    const fault = this.#context.faults.trigger('vm', vmSubject(desired, parseResourceId(id)!.name, 'sync'));
    const refusal =
      (fault && vmFault(fault, { id, desired, size: checked.size, principal: request.principal })) ??
      (checked.size &&
        this.#context.services.quota?.take({
          vmId: id,
          region: desired.location,
          size: checked.size,
          spot: desired.spot,
        }));
    if (!(refusal instanceof ArmError)) return;
    if (reservesNic(refusal)) for (const nic of desired.nics) this.#nics.reserve(nic.id, id);
    throw refusal;
  }

  /** A PUT on an existing VM: the same body is accepted, a failed VM is retried, most changes are rejected. */
  #update(request: ArmRequest, existing: ArmResource, desired: DesiredVm): ArmAnswer {
    const state = this.#states.state(existing.id)!;
    if (state.phase === 'deleting') throw concurrentRequest();
    const changed =
      changedProperty(state.desired, desired.properties) ?? changedPlace(state.desired, desired);
    if (changed !== undefined) throw propertyChangeNotAllowed(changed);
    const osProfile = { ...desired.osProfile, customData: state.desired.osProfile.customData };
    if (state.phase === 'creating') {
      const operation = this.#lifecycle.join(state);
      return started(request, operation, 200, existing);
    }
    if (state.phase === 'failed' && !state.allocated) {
      const checked = checkVm(this.#context, this.#nics, request, existing.id, desired);
      this.#admit(request, existing.id, desired, checked);
      state.desired = { ...desired, osProfile };
      this.#lifecycle.retry(state);
      return this.#started(request, state, this.#context.store.put(resourceOf(state, this.#context)), 200);
    }
    state.desired = { ...state.desired, tags: desired.tags, identity: desired.identity, osProfile };
    return this.#changed(request, existing, state);
  }

  /** Another write of the VM, or of one of its extensions, is in progress. */
  #isBusy(state: VmState): boolean {
    if (state.phase === 'updating') return true;
    const prefix = `${idKey(state.id)}/extensions/`;
    const { subscriptionId, resourceGroup } = parseResourceId(state.id)!;
    return this.#context.store
      .list(EXTENSION_TYPE, { subscriptionId, resourceGroup })
      .some((extension) => idKey(extension.id).startsWith(prefix) && isWriting(extension));
  }

  #changed(request: ArmRequest, before: ArmResource, state: VmState): ArmAnswer {
    const { tags: _tags, identity: _identity, ...rest } = before;
    const { tags, identity } = state.desired;
    const operation = this.#lifecycle.update(state);
    const resource = this.#context.store.put({
      ...rest,
      etag: `"${this.#context.world.random.uuid()}"`,
      ...(tags === undefined ? {} : { tags }),
      ...(identity === undefined ? {} : { identity: shownIdentity(identity, this.#context) }),
      properties: {
        ...before.properties,
        provisioningState: state.phase === 'creating' ? 'Creating' : 'Updating',
      },
    });
    return started(request, operation, 200, resource);
  }

  #started(request: ArmRequest, state: VmState, resource: ArmResource, status: 200 | 201): ArmAnswer {
    const operation = this.#lifecycle.join(state);
    this.#lifecycle.begin(state);
    return started(request, operation, status, this.#context.store.get(state.id) ?? resource);
  }
}

// ---------------------------------------------------------------------------------------------------

function checkName(name: string): void {
  if (name.length > 64 || !/^[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9_])?$/.test(name))
    throw invalidParameter(
      'vmName',
      `The entity name 'vmName' is invalid according to its validation rule: '${name}' must have 1 to 64 letters, digits, '.', '-' or '_'.`,
    );
}

function changedPlace(before: DesiredVm, after: DesiredVm): string | undefined {
  if ((before.zone ?? '') !== (after.zone ?? '')) return 'zones';
  if (before.location !== after.location) return 'location';
  const sameNics =
    before.nics.length === after.nics.length &&
    before.nics.every((nic, at) => sameId(nic.id, after.nics[at]!.id));
  return sameNics ? undefined : 'networkProfile';
}
