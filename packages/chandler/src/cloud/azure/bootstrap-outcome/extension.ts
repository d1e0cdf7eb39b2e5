/**
 * The custom script extension as Azure shows it: how far it is, and everything it said. The instance view is read, not
 * the operation: it holds the whole of what the script printed, and is there after a restart.
 */
import type { InstanceViewStatus, VirtualMachineExtension } from '@azure/arm-compute';
import { type ArmClients, isNotFound, toArmError } from '../../../arm/index.ts';
import { CUSTOM_SCRIPT_EXTENSION } from '../vm/extension-object.ts';
import { isCanceled, isFailure, progressOf } from '../vm/view.ts';

export type ExtensionState =
  | { readonly state: 'missing' | 'running' | 'succeeded' }
  | {
      readonly state: 'failed';
      readonly text: string;
      /** Without a status: a newer operation may have ended it, which only the launch knows. */
      readonly isSilent: boolean;
    };

/** One GET. @throws {ArmError} */
export async function readExtension(
  clients: Pick<ArmClients, 'compute'>,
  resourceGroup: string,
  vmName: string,
  signal: AbortSignal,
): Promise<ExtensionState> {
  try {
    const { virtualMachineExtensions } = await clients.compute();
    const expand = { expand: 'instanceView', abortSignal: signal };
    return extensionStateOf(
      await virtualMachineExtensions.get(resourceGroup, vmName, CUSTOM_SCRIPT_EXTENSION, expand),
    );
  } catch (error) {
    if (isNotFound(error)) return { state: 'missing' };
    throw toArmError(error);
  }
}

/** The agent may have reported a failure before Azure has taken note of it. */
export function extensionStateOf({
  provisioningState,
  instanceView,
}: VirtualMachineExtension): ExtensionState {
  const statuses = [...(instanceView?.statuses ?? []), ...(instanceView?.substatuses ?? [])];
  const progress = progressOf(provisioningState);
  const failed = (instanceView?.statuses ?? []).some(isFailure);
  // Replaced by a write of another client: it reports nothing, and the launch puts it again.
  if (isCanceled(provisioningState) && !failed) return { state: 'running' };
  if (progress === 'failed' || failed) return { state: 'failed', text: textOf(statuses), isSilent: !failed };
  return { state: progress === 'ready' ? 'succeeded' : 'running' };
}

// ---------------------------------------------------------------------------------------------------

/** With the code that an operation would have: whatever the statuses say, it is a failure. */
function textOf(statuses: readonly InstanceViewStatus[]): string {
  const said = statuses.map(({ code = '', message = '' }) => `${code}\n${message}`);
  return ['VMExtensionProvisioningError', ...said].join('\n');
}
