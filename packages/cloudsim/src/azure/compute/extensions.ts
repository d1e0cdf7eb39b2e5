/**
 * VM extensions: created, updated, run on the VM, shown with their result, deleted with their VM.
 */

import { valueText } from '../faults/parse-fault.ts';
import {
  booleanAt,
  isObject,
  type Json,
  objectAt,
  requireBody,
  requireText,
  tagsAt,
  textAt,
} from '../store/body.ts';
import { idOf, requireParent, requireResource } from '../store/read-routes.ts';
import type { ArmResource } from '../store/resource.ts';
import { formatResourceId, idKey, parseResourceId } from '../store/resource-id.ts';
import { type ArmAnswer, type ArmRequest, ok } from '../wire/arm-request.ts';
import type { ArmContext } from '../wire/context.ts';
import { type ArmErrorBody, badRequest, invalidParameter, propertyChangeNotAllowed } from '../wire/errors.ts';
import { type Operation, started } from '../wire/operations.ts';
import { concurrentRequest, notRunning, preempted } from './compute-errors.ts';
import { type ExtensionState, errorOf, faultOutcome, statusOf } from './extension-state.ts';
import { extensionView } from './instance-view.ts';
import { VM_TYPE } from './vm-checks.ts';
import { vmSubject } from './vm-faults.ts';
import type { ExtensionOutcome } from './vm-hooks.ts';
import type { VmState, VmStates } from './vm-states.ts';

export const EXTENSION_TYPE = `${VM_TYPE}/extensions`;

/** While it is, Compute refuses other writes of its VM. */
export function isWriting({ properties }: ArmResource): boolean {
  return properties['provisioningState'] === 'Creating' || properties['provisioningState'] === 'Updating';
}

export class Extensions {
  readonly #context: ArmContext;
  readonly #states: VmStates;
  /** By VM, then by name, both lower-case. */
  readonly #byVm = new Map<string, Map<string, ExtensionState>>();
  /** Called with every result: Compute shows the VM of a failed extension as failed. */
  onEnded: (vm: VmState) => void = () => undefined;

  constructor(context: ArmContext, states: VmStates) {
    this.#context = context;
    this.#states = states;
  }

  put(request: ArmRequest): ArmAnswer {
    const { store } = this.#context;
    const id = idOf(this.#context, EXTENSION_TYPE, request);
    const vm = this.#runningVm(request);
    const body = requireBody(request.body);
    const properties = objectAt(body, 'properties') ?? {};
    const existing = store.get(id);
    const desired = this.#read(id, properties, existing);
    this.#checkAlone(vm.id, desired);
    const tags = tagsAt(body);
    const known = this.#byVm.get(idKey(vm.id))?.get(desired.name.toLowerCase());
    const state = continued(desired, known);
    this.#remember(vm.id, state);
    const resource = store.put({
      id,
      name: state.name,
      type: EXTENSION_TYPE,
      location: textAt(body, 'location') ?? this.#context.settings.region,
      ...(tags === undefined ? {} : { tags }),
      properties: shownProperties(properties, existing === undefined ? 'Creating' : 'Updating'),
    });
    const operation = this.#run(vm, state);
    return started(request, operation, existing === undefined ? 201 : 200, resource);
  }

  patch(request: ArmRequest): ArmAnswer {
    const { store } = this.#context;
    const extension = requireResource(this.#context, idOf(this.#context, EXTENSION_TYPE, request));
    if (isWriting(extension) || this.#states.state(vmIdOf(extension.id))?.phase === 'updating')
      throw concurrentRequest();
    const body = requireBody(request.body);
    const tags = tagsAt(body);
    const properties = objectAt(body, 'properties');
    const next = { ...extension, ...(tags === undefined ? {} : { tags }) };
    if (properties === undefined || Object.keys(properties).length === 0) {
      const { operations, schedule, latencies } = this.#context;
      const before = extension.properties['provisioningState'] ?? 'Succeeded';
      const operation = this.#operation(latencies.otherMs);
      schedule.after(latencies.otherMs, () => {
        const now = store.get(extension.id);
        if (now?.properties['provisioningState'] === 'Updating')
          store.put({ ...now, properties: { ...now.properties, provisioningState: before } });
        operations.succeed(operation.id);
      });
      const updating = store.put({
        ...next,
        properties: { ...next.properties, provisioningState: 'Updating' },
      });
      return started(request, operation, 200, updating);
    }
    const vm = this.#runningVm(request);
    const merged = { ...extension.properties, ...properties };
    const desired = this.#read(extension.id, merged, extension);
    const known = this.#byVm.get(idKey(vm.id))?.get(desired.name.toLowerCase());
    const state = continued(desired, known);
    this.#remember(vm.id, state);
    const resource = store.put({ ...next, properties: shownProperties(merged, 'Updating') });
    return started(request, this.#run(vm, state), 200, resource);
  }

  get(request: ArmRequest): ArmAnswer {
    const extension = requireResource(this.#context, idOf(this.#context, EXTENSION_TYPE, request));
    return ok(this.#shown(extension, expandsView(request)));
  }

  list(request: ArmRequest): ArmAnswer {
    const { sub, rg, parent } = request.params;
    const vmId = formatResourceId({
      subscriptionId: sub!,
      resourceGroup: rg!,
      type: VM_TYPE,
      names: [parent!],
    });
    this.#context.store.requireResourceGroup(sub!, rg!);
    requireResource(this.#context, vmId);
    const expand = expandsView(request);
    return ok({ value: this.resourcesOf(vmId).map((extension) => this.#shown(extension, expand)) });
  }

  delete(request: ArmRequest): ArmAnswer {
    const { store, operations, schedule, latencies } = this.#context;
    const extension = store.get(idOf(this.#context, EXTENSION_TYPE, request));
    if (extension === undefined) return { status: 204 };
    const operation = this.#operation(latencies.otherMs);
    schedule.after(latencies.otherMs, () => {
      const vmId = vmIdOf(extension.id);
      this.#byVm.get(idKey(vmId))?.delete(extension.name.toLowerCase());
      store.delete(extension.id);
      operations.succeed(operation.id);
      const vm = this.#states.state(vmId);
      if (vm !== undefined) this.onEnded(vm);
    });
    return started(request, operation, 202);
  }

  of(vmId: string): readonly ExtensionState[] {
    return [...(this.#byVm.get(idKey(vmId))?.values() ?? [])];
  }

  resourcesOf(vmId: string): readonly ArmResource[] {
    return this.of(vmId).flatMap((one) => this.#context.store.get(one.id) ?? []);
  }

  /** Deletes them with their VM. */
  forget(vmId: string): void {
    for (const extension of this.of(vmId)) {
      this.#context.store.delete(extension.id);
      for (const id of extension.operations) this.#context.operations.fail(id, preempted().error);
    }
    this.#byVm.delete(idKey(vmId));
  }

  /** Their VM is updated: the operations end. The agent goes on with the extensions, which the newer goal contains too. */
  preempt(vmId: string): void {
    for (const extension of this.of(vmId)) this.#cancel(extension);
  }

  /** The error of the first that failed. */
  failureOf(vmId: string): ArmErrorBody | undefined {
    return this.of(vmId).find(({ error }) => error !== undefined)?.error;
  }

  /** Running an extension requires an agent. */
  #runningVm(request: ArmRequest): VmState {
    const id = idOf(this.#context, EXTENSION_TYPE, request);
    requireParent(this.#context, id);
    const vm = requireResource(this.#context, vmIdOf(id));
    const state = this.#states.state(vm.id)!;
    if (state.phase === 'deleting') throw concurrentRequest();
    if (state.phase === 'creating' || !state.allocated || state.power !== 'running') throw notRunning();
    return state;
  }

  #read(
    id: string,
    properties: Json,
    existing: ArmResource | undefined,
  ): Omit<ExtensionState, 'run' | 'operations' | 'error'> {
    const publisher = requireText(properties, 'publisher', 'publisher');
    const type = requireText(properties, 'type', 'type');
    const typeHandlerVersion = requireText(properties, 'typeHandlerVersion', 'typeHandlerVersion');
    if (!/^\d+(?:\.\d+){1,3}$/.test(typeHandlerVersion))
      throw invalidParameter(
        'typeHandlerVersion',
        `The version '${typeHandlerVersion}' of the extension handler is not valid.`,
      );
    booleanAt(properties, 'autoUpgradeMinorVersion');
    for (const [key, value] of [
      ['publisher', publisher],
      ['type', type],
    ] as const)
      if (existing !== undefined && existing.properties[key] !== value) throw propertyChangeNotAllowed(key);
    return {
      id,
      name: parseResourceId(id)!.name,
      publisher,
      type,
      typeHandlerVersion,
      settings: objectAt(properties, 'settings') ?? {},
      protectedSettings: objectAt(properties, 'protectedSettings') ?? {},
      status: { code: 'ProvisioningState/transitioning', level: 'Info', displayStatus: 'Transitioning' },
    };
  }

  #checkAlone(vmId: string, desired: Pick<ExtensionState, 'name' | 'publisher' | 'type'>): void {
    const other = this.of(vmId).find(
      (one) =>
        one.name.toLowerCase() !== desired.name.toLowerCase() &&
        one.publisher === desired.publisher &&
        one.type === desired.type,
    );
    if (other !== undefined)
      throw badRequest(
        `Multiple VMExtensions per handler not supported for OS type 'Linux'. VMExtension '${desired.name}' with handler ` +
          `'${desired.publisher}.${desired.type}' already added or specified in input.`,
      );
  }

  #remember(vmId: string, state: ExtensionState): void {
    const key = idKey(vmId);
    let known = this.#byVm.get(key);
    if (known === undefined) {
      known = new Map();
      this.#byVm.set(key, known);
    }
    known.set(state.name.toLowerCase(), state);
  }

  #run(vm: VmState, extension: ExtensionState): Operation {
    const { latencies, schedule, world, faults } = this.#context;
    const operation = this.#operation(latencies.extensionMs);
    extension.operations = [...extension.operations, operation.id];
    const run = ++extension.run;
    const startedMs = world.clock.now();
    const end = (outcome: ExtensionOutcome) => {
      if (extension.run === run) this.#end(vm, extension, outcome);
    };
    const later = (outcome: ExtensionOutcome) =>
      void schedule.after(latencies.extensionMs, () => end(outcome));
    const subject = { ...vmSubject(vm.desired, extension.name), type: EXTENSION_TYPE };
    const fault = faults.trigger('extension', subject);
    const outcome = fault && faultOutcome(fault, extension, startedMs);
    if (fault?.name === 'preempted')
      schedule.after(latencies.extensionMs / 2, () => {
        if (extension.run === run) this.#preempted(extension, valueText(fault) === 'canceled');
      });
    if (outcome !== undefined) later(outcome);
    else
      this.#states.runExtension(vm.id, extension, end, () => later({ exitCode: 0, stdout: '', stderr: '' }));
    return operation;
  }

  #end(vm: VmState, extension: ExtensionState, outcome: ExtensionOutcome): void {
    const { store, operations, world } = this.#context;
    const resource = store.get(extension.id);
    if (resource === undefined || this.#states.state(vm.id) === undefined) return;
    extension.status = statusOf(outcome, new Date(world.clock.now()).toISOString());
    const error = errorOf(extension, outcome);
    extension.error = error;
    const provisioningState = error === undefined ? 'Succeeded' : 'Failed';
    store.put({ ...resource, properties: { ...resource.properties, provisioningState } });
    const ended = extension.operations;
    extension.operations = [];
    for (const id of ended) {
      if (error === undefined) operations.succeed(id);
      else operations.fail(id, error);
    }
    this.onEnded(vm);
  }

  /** Another client's write ended the operation. `isAbandoned`: the agent stops the extension, too. */
  #preempted(extension: ExtensionState, isAbandoned: boolean): void {
    const { store } = this.#context;
    const resource = store.get(extension.id);
    if (resource === undefined) return;
    this.#cancel(extension);
    if (!isAbandoned) return;
    extension.run++;
    store.put({ ...resource, properties: { ...resource.properties, provisioningState: 'Canceled' } });
  }

  #cancel(extension: ExtensionState): void {
    const { operations } = extension;
    extension.operations = [];
    for (const id of operations) this.#context.operations.cancel(id, preempted().error);
  }

  #shown(extension: ArmResource, expand: boolean): ArmResource {
    if (!expand) return extension;
    const state = this.#byVm.get(idKey(vmIdOf(extension.id)))?.get(extension.name.toLowerCase());
    if (state === undefined) return extension;
    return { ...extension, properties: { ...extension.properties, instanceView: extensionView(state) } };
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

/** `$expand=instanceView`; anything else is rejected. */
export function expandsView(request: ArmRequest): boolean {
  const expand = request.query.get('$expand');
  if (expand === undefined || expand === '') return false;
  const wanted = expand.toLowerCase();
  if (wanted === 'instanceview') return true;
  if (wanted === 'userdata') return false;
  throw invalidParameter('$expand', `The value '${expand}' of '$expand' is not instanceView or userData.`);
}

// ---------------------------------------------------------------------------------------------------

/** Another goal of the same extension; what is still in flight ends with it. */
function continued(
  desired: Omit<ExtensionState, 'run' | 'operations' | 'error'>,
  known: ExtensionState | undefined,
): ExtensionState {
  return {
    ...desired,
    run: known?.run ?? 0,
    operations: known?.operations ?? [],
    error: known?.error,
  };
}

function vmIdOf(extensionId: string): string {
  return extensionId.split('/').slice(0, -2).join('/');
}

function shownProperties(properties: Json, provisioningState: string): ArmResource['properties'] {
  const { protectedSettings: _secret, instanceView: _view, ...shown } = properties as Record<string, unknown>;
  return { ...shown, settings: isObject(shown['settings']) ? shown['settings'] : {}, provisioningState };
}
