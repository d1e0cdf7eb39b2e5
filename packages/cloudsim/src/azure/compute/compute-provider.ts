/**
 * Microsoft.Compute: virtual VMs, their extensions, disks and boot diagnostics. Sizes, quota, images and disk
 * encryption sets belong to other providers, which are reached through `context.services`.
 */
import type { Nics } from '../network/nics.ts';
import { idOf, readRoutes, requireResource } from '../store/read-routes.ts';
import type { ArmResource } from '../store/resource.ts';
import { type ArmAnswer, type ArmRequest, type ArmRoute, type Method, ok } from '../wire/arm-request.ts';
import type { ArmContext, Provider } from '../wire/context.ts';
import { started } from '../wire/operations.ts';
import { bootDiagnosticsRoutes } from './boot-diagnostics.ts';
import { diskRoutes } from './disks.ts';
import { Extensions, expandsView } from './extensions.ts';
import { instanceViewOf } from './instance-view.ts';
import { VM_TYPE } from './vm-checks.ts';
import type { PowerState } from './vm-hooks.ts';
import { VmLifecycle } from './vm-lifecycle.ts';
import type { VmStates } from './vm-states.ts';
import { Vms } from './vms.ts';

export const VM_API_VERSIONS = [
  '2023-09-01',
  '2024-03-01',
  '2024-07-01',
  '2024-11-01',
  '2025-04-01',
  '2026-04-01',
];

export function computeProvider(states: VmStates, nics: Nics): Provider {
  return (context) => {
    const lifecycle = new VmLifecycle(context, states, nics);
    const vms = new Vms(context, states, nics, lifecycle);
    const extensions = new Extensions(context, states);
    lifecycle.onGone = (vmId) => extensions.forget(vmId);
    lifecycle.onUpdate = (vmId) => extensions.preempt(vmId);
    lifecycle.extensionFailure = (vmId) => extensions.failureOf(vmId);
    extensions.onEnded = (vm) => lifecycle.extensionEnded(vm);
    const view = (vm: ArmResource, request: ArmRequest) =>
      shown(context, states, extensions, vm, wantsView(request));
    return [
      ...readRoutes(context, { type: VM_TYPE, apiVersions: VM_API_VERSIONS, view }),
      vmRoute('PUT', '', (request) => vms.put(request)),
      vmRoute('PATCH', '', (request) => vms.patch(request)),
      vmRoute('DELETE', '', (request) => vms.delete(request)),
      vmRoute('GET', '/instanceView', (request) => {
        const vm = requireResource(context, idOf(context, VM_TYPE, request));
        return ok(instanceViewOf(states.state(vm.id)!, extensions.of(vm.id), context));
      }),
      ...powerRoutes(context, states),
      extensionRoute('GET', '', (request) => extensions.list(request)),
      extensionRoute('GET', '/{name}', (request) => extensions.get(request)),
      extensionRoute('PUT', '/{name}', (request) => extensions.put(request)),
      extensionRoute('PATCH', '/{name}', (request) => extensions.patch(request)),
      extensionRoute('DELETE', '/{name}', (request) => extensions.delete(request)),
      ...diskRoutes(context),
      ...bootDiagnosticsRoutes(context, states, VM_API_VERSIONS),
    ];
  };
}

// ---------------------------------------------------------------------------------------------------

const GROUP = '/subscriptions/{sub}/resourceGroups/{rg}/providers';

/** The effect of POST calls on the power state. */
const POWER: readonly { readonly verb: string; readonly to: PowerState }[] = [
  { verb: 'start', to: 'running' },
  { verb: 'restart', to: 'running' },
  { verb: 'powerOff', to: 'stopped' },
  { verb: 'deallocate', to: 'deallocated' },
];

function vmRoute(method: Method, tail: string, handle: (request: ArmRequest) => ArmAnswer): ArmRoute {
  return { method, pattern: `${GROUP}/${VM_TYPE}/{name}${tail}`, apiVersions: VM_API_VERSIONS, handle };
}

function extensionRoute(method: Method, tail: string, handle: (request: ArmRequest) => ArmAnswer): ArmRoute {
  return {
    method,
    pattern: `${GROUP}/${VM_TYPE}/{parent}/extensions${tail}`,
    apiVersions: VM_API_VERSIONS,
    handle,
  };
}

function powerRoutes(context: ArmContext, states: VmStates): readonly ArmRoute[] {
  const { operations, schedule, latencies, settings } = context;
  const change = (request: ArmRequest, to: PowerState, restarts: boolean) => {
    const vm = requireResource(context, idOf(context, VM_TYPE, request));
    const operation = operations.start({
      provider: 'Microsoft.Compute',
      location: settings.region,
      subscriptionId: settings.subscriptionId,
      expectedMs: latencies.otherMs,
    });
    if (restarts) states.notify('vmRestarted', vm.id);
    schedule.after(latencies.otherMs, () => {
      states.setInstanceView(vm.id, { power: to });
      operations.succeed(operation.id);
    });
    return started(request, operation, 202);
  };
  return [
    ...POWER.map(({ verb, to }) =>
      vmRoute('POST', `/${verb}`, (request) => change(request, to, verb === 'restart')),
    ),
    vmRoute('POST', '/simulateEviction', (request) => {
      const vm = requireResource(context, idOf(context, VM_TYPE, request));
      states.evict(vm.id);
      return { status: 204 };
    }),
  ];
}

function wantsView(request: ArmRequest): boolean {
  return expandsView(request) || request.query.get('statusonly')?.toLowerCase() === 'true';
}

function shown(
  context: ArmContext,
  states: VmStates,
  extensions: Extensions,
  vm: ArmResource,
  expand: boolean,
): ArmResource & { readonly resources?: readonly ArmResource[] } {
  const resources = extensions.resourcesOf(vm.id);
  const state = states.state(vm.id);
  return {
    ...vm,
    ...(resources.length === 0 ? {} : { resources }),
    properties:
      expand && state !== undefined
        ? { ...vm.properties, instanceView: instanceViewOf(state, extensions.of(vm.id), context) }
        : vm.properties,
  };
}
