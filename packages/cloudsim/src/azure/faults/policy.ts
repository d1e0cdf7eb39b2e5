/** The fault `strip-des`: an Azure Policy with the effect modify, which changes the body of a VM before it is processed. */
import type { Json } from '../store/body.ts';
import type { FaultRegister } from './fault.ts';

const VM_TYPE = 'Microsoft.Compute/virtualMachines';

export function modifiedByPolicy(faults: Pick<FaultRegister, 'trigger'>, body: Json, name: string): Json {
  const fault = faults.trigger('modify', { method: 'PUT', type: VM_TYPE, name });
  return fault === undefined ? body : without(body, SET_PATH);
}

// ---------------------------------------------------------------------------------------------------

const SET_PATH = ['properties', 'storageProfile', 'osDisk', 'managedDisk', 'diskEncryptionSet'];

/** Copies along the path; an absent value stays absent. */
function without(object: Json, [first, ...rest]: readonly string[]): Json {
  const { [first!]: inner, ...others } = object;
  if (rest.length === 0 || typeof inner !== 'object' || inner === null)
    return rest.length === 0 ? others : object;
  return { ...others, [first!]: without(inner as Json, rest) };
}
