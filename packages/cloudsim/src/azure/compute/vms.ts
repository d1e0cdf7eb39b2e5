/**
 * Virtual machines over the wire: the PUT, PATCH and DELETE calls. What then happens to a VM, step by step, is in
 * vm-life.ts.
 */
import { modifiedByPolicy } from '../faults/policy.ts';
import type { Nics } from '../network/nics.ts';
import { requireBody, tagsAt } from '../store/body.ts';
import { checkPreconditions, idOf, requireResource } from '../store/read-routes.ts';
import type { ArmResource } from '../store/resource.ts';
import { parseResourceId, sameId } from '../store/resource-id.ts';
import type { ArmAnswer, ArmRequest } from '../wire/arm-request.ts';
import type { ArmContext } from '../wire/context.ts';
import { ArmError, invalidParameter, propertyChangeNotAllowed } from '../wire/errors.ts';
import { started } from '../wire/operations.ts';
import { concurrentRequest } from './compute-errors.ts';
import type { MachineRoom, VmState } from './machine-room.ts';
import { type CheckedVm, checkDiskName, checkVm, VM_TYPE } from './vm-checks.ts';
import { reservesNic, vmFault, vmSubject } from './vm-faults.ts';
import type { VmLife } from './vm-life.ts';
import { checkIdentity, readVm, type VmWish } from './vm-request.ts';
import { changedProperty, mergedIdentity, resourceOf, shownIdentity } from './vm-resource.ts';

export class Vms {
  readonly #context: ArmContext;
  readonly #room: MachineRoom;
  readonly #nics: Nics;
  readonly #life: VmLife;

  constructor(context: ArmContext, room: MachineRoom, nics: Nics, life: VmLife) {
    this.#context = context;
    this.#room = room;
    this.#nics = nics;
    this.#life = life;
  }

  put(request: ArmRequest): ArmAnswer {
    const id = idOf(this.#context, VM_TYPE, request);
    checkName(request.params['name']!);
    const body = modifiedByPolicy(this.#context.faults, requireBody(request.body), request.params['name']!);
    const wish = readVm(body, request.params['name']!);
    const existing = this.#context.store.get(id);
    checkPreconditions(request, existing);
    if (existing !== undefined) return this.#update(request, existing, wish);
    const checked = checkVm(this.#context, this.#nics, request, id, wish);
    const diskName =
      wish.osDisk.name ??
      `${parseResourceId(id)!.name}_OsDisk_1_${this.#context.world.random.uuid().replaceAll('-', '')}`;
    if (wish.osDisk.ephemeral === undefined) checkDiskName(this.#context, id, diskName);
    this.#admit(request, id, wish, checked);
    const state = this.#life.add(id, wish, checked, diskName);
    const resource = this.#context.store.put(resourceOf(state, this.#context));
    return this.#started(request, state, resource, 201);
  }

  patch(request: ArmRequest): ArmAnswer {
    const vm = requireResource(this.#context, idOf(this.#context, VM_TYPE, request));
    const state = this.#room.state(vm.id)!;
    if (state.phase === 'deleting') throw concurrentRequest();
    const body = requireBody(request.body);
    const changed = changedProperty(state.wish, body['properties']);
    if (changed !== undefined) throw propertyChangeNotAllowed(changed);
    const tags = tagsAt(body);
    const given = body['identity'];
    const identity = given === undefined ? state.wish.identity : mergedIdentity(state.wish.identity, given);
    checkIdentity(identity);
    state.wish = { ...state.wish, identity, ...(tags === undefined ? {} : { tags }) };
    return this.#changed(request, vm, state);
  }

  delete(request: ArmRequest): ArmAnswer {
    const id = idOf(this.#context, VM_TYPE, request);
    const state = this.#room.state(id);
    if (state === undefined) return { status: 204 };
    const force = request.query.get('forcedeletion')?.toLowerCase() === 'true';
    const operation = this.#life.delete(state, force);
    return started(request, operation, 202);
  }

  /** Faults and quota: what depends on the day. A refusal here leaves the NIC reserved, as Azure does. */
  #admit(request: ArmRequest, id: string, wish: VmWish, checked: CheckedVm): void {
    const fault = this.#context.faults.strike('vm', vmSubject(wish, parseResourceId(id)!.name, 'sync'));
    const refusal =
      (fault && vmFault(fault, { id, wish, size: checked.size, principal: request.principal })) ??
      (checked.size &&
        this.#context.services.quota?.take({
          vmId: id,
          region: wish.location,
          size: checked.size,
          spot: wish.spot,
        }));
    if (!(refusal instanceof ArmError)) return;
    if (reservesNic(refusal)) for (const nic of wish.nics) this.#nics.reserve(nic.id, id);
    throw refusal;
  }

  /** A PUT on what is there: the same again is fine, a failed VM is tried anew, most changes are refused. */
  #update(request: ArmRequest, existing: ArmResource, wish: VmWish): ArmAnswer {
    const state = this.#room.state(existing.id)!;
    if (state.phase === 'deleting') throw concurrentRequest();
    const changed = changedProperty(state.wish, wish.properties) ?? changedPlace(state.wish, wish);
    if (changed !== undefined) throw propertyChangeNotAllowed(changed);
    const osProfile = { ...wish.osProfile, customData: state.wish.osProfile.customData };
    if (state.phase === 'creating') {
      const operation = this.#life.join(state);
      return started(request, operation, 200, existing);
    }
    if (state.phase === 'failed' && !state.allocated) {
      const checked = checkVm(this.#context, this.#nics, request, existing.id, wish);
      this.#admit(request, existing.id, wish, checked);
      state.wish = { ...wish, osProfile };
      this.#life.retry(state);
      return this.#started(request, state, this.#context.store.put(resourceOf(state, this.#context)), 200);
    }
    state.wish = { ...state.wish, tags: wish.tags, identity: wish.identity, osProfile };
    return this.#changed(request, existing, state);
  }

  #changed(request: ArmRequest, before: ArmResource, state: VmState): ArmAnswer {
    const { tags: _tags, identity: _identity, ...rest } = before;
    const { tags, identity } = state.wish;
    const operation = this.#life.update(state);
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
    const operation = this.#life.join(state);
    this.#life.begin(state);
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

function changedPlace(before: VmWish, after: VmWish): string | undefined {
  if ((before.zone ?? '') !== (after.zone ?? '')) return 'zones';
  if (before.location !== after.location) return 'location';
  const sameNics =
    before.nics.length === after.nics.length &&
    before.nics.every((nic, at) => sameId(nic.id, after.nics[at]!.id));
  return sameNics ? undefined : 'networkProfile';
}
