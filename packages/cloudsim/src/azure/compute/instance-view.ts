/**
 * The instance view of a VM and of its extensions: the observed state, as opposed to the requested one.
 */
import type { ArmContext } from '../wire/context.ts';
import type { ExtensionState } from './extension-state.ts';
import type { InstanceStatus } from './vm-hooks.ts';
import { isOfExtension } from './vm-lifecycle.ts';
import type { VmState } from './vm-states.ts';

export function instanceViewOf(
  state: VmState,
  extensions: readonly ExtensionState[],
  context: ArmContext,
): Readonly<Record<string, unknown>> {
  const { view, desired } = state;
  const time = new Date(state.phaseSinceMs).toISOString();
  return {
    ...(state.allocated
      ? {
          computerName: view.computerName ?? desired.osProfile.computerName,
          ...(view.osName === undefined ? {} : { osName: view.osName }),
          ...(view.osVersion === undefined ? {} : { osVersion: view.osVersion }),
          vmAgent: agentOf(state, context),
          disks: [
            {
              name: state.diskName,
              statuses: [{ ...SUCCEEDED, time: new Date(state.createdMs).toISOString() }],
            },
          ],
        }
      : {}),
    hyperVGeneration: state.image?.generation ?? 'V2',
    ...(desired.bootDiagnostics ? { bootDiagnostics: {} } : {}),
    ...(extensions.length === 0 ? {} : { extensions: extensions.map(extensionView) }),
    statuses: [...provisioningStatuses(state, time), ...powerStatus(state)],
  };
}

export function extensionView(extension: ExtensionState): Readonly<Record<string, unknown>> {
  return {
    name: extension.name,
    type: `${extension.publisher}.${extension.type}`,
    typeHandlerVersion: extension.typeHandlerVersion,
    statuses: [extension.status],
  };
}

// ---------------------------------------------------------------------------------------------------

const SUCCEEDED: InstanceStatus = {
  code: 'ProvisioningState/succeeded',
  level: 'Info',
  displayStatus: 'Provisioning succeeded',
};

function provisioningStatuses(state: VmState, time: string): readonly InstanceStatus[] {
  switch (state.phase) {
    case 'succeeded':
      return [{ ...SUCCEEDED, time }];
    case 'failed':
      return [
        {
          code: `ProvisioningState/failed/${state.error?.code ?? 'InternalExecutionError'}`,
          level: 'Error',
          displayStatus: 'Provisioning failed',
          message: state.error?.message ?? '',
          time,
        },
      ];
    case 'creating':
      return state.allocated
        ? [
            { code: 'ProvisioningState/creating', level: 'Info', displayStatus: 'Creating', time },
            {
              code: 'ProvisioningState/creating/OSProvisioningInProgress',
              level: 'Info',
              displayStatus: 'OS Provisioning In progress',
              time,
            },
          ]
        : [{ code: 'ProvisioningState/creating', level: 'Info', displayStatus: 'Creating', time }];
    case 'updating':
      return [{ code: 'ProvisioningState/updating', level: 'Info', displayStatus: 'Updating', time }];
    case 'deleting':
      return [{ code: 'ProvisioningState/deleting', level: 'Info', displayStatus: 'Deleting', time }];
  }
}

function powerStatus({ power, allocated }: VmState): readonly InstanceStatus[] {
  if (!allocated || power === 'unknown') return [];
  return [{ code: `PowerState/${power}`, level: 'Info', displayStatus: `VM ${power}` }];
}

function agentOf({ view, phase, error }: VmState, { world }: ArmContext): Readonly<Record<string, unknown>> {
  const ready: InstanceStatus = {
    code: 'ProvisioningState/succeeded',
    level: 'Info',
    displayStatus: 'Ready',
    message: 'Guest Agent is running',
    time: new Date(world.clock.now()).toISOString(),
  };
  const silent: InstanceStatus = {
    code: 'ProvisioningState/Unavailable',
    level: 'Warning',
    displayStatus: 'Not Ready',
    message: 'VM status blob is found but not yet populated.',
  };
  const runs = phase === 'succeeded' || isOfExtension(error);
  const status = view.agent?.status ?? (runs ? ready : silent);
  return {
    vmAgentVersion: view.agent?.version ?? (runs ? '2.11.1.12' : 'Unknown'),
    statuses: [status],
  };
}
