/**
 * The faults `strip-des` and `retag`: an Azure Policy with the effect modify, which changes the body of a request before it
 * is processed.
 */
import { isObject, type Json } from '../store/body.ts';
import type { FaultRegister, FaultSubject } from './fault.ts';
import { valueText } from './parse-fault.ts';

const VM_TYPE = 'Microsoft.Compute/virtualMachines';

/** A body without a disk encryption set is not touched, and the fault is not counted. */
export function modifiedByPolicy(faults: Pick<FaultRegister, 'trigger'>, body: Json, name: string): Json {
  if (valueAt(body, SET_PATH) === undefined) return body;
  const fault = faults.trigger('modify', subjectOf(body, name));
  return fault === undefined ? body : without(body, SET_PATH);
}

/** Every write with tags gets the tag `name:value` of the fault, as `addOrReplace` of a policy does. */
export function retaggedByPolicy(
  faults: Pick<FaultRegister, 'trigger'>,
  body: unknown,
  subject: FaultSubject,
): unknown {
  if (!isObject(body) || !isObject(body['tags'])) return body;
  const nodepool = valueAt(body, ['tags', 'karpenter.sh_nodepool']);
  const fault = faults.trigger('tags', typeof nodepool === 'string' ? { ...subject, nodepool } : subject);
  if (fault === undefined) return body;
  const [name = '', ...value] = valueText(fault).split(':');
  const others = Object.entries(body['tags']).filter(([key]) => key.toLowerCase() !== name.toLowerCase());
  return { ...body, tags: { ...Object.fromEntries(others), [name]: value.join(':') } };
}

// ---------------------------------------------------------------------------------------------------

const SET_PATH = ['properties', 'storageProfile', 'osDisk', 'managedDisk', 'diskEncryptionSet'];

function subjectOf(body: Json, name: string): FaultSubject {
  const nodepool = valueAt(body, ['tags', 'karpenter.sh_nodepool']);
  const size = valueAt(body, ['properties', 'hardwareProfile', 'vmSize']);
  const zone = valueAt(body, ['zones', '0']);
  return {
    method: 'PUT',
    type: VM_TYPE,
    name,
    capacity: valueAt(body, ['properties', 'priority']) === 'Spot' ? 'spot' : 'on-demand',
    ...(typeof nodepool === 'string' ? { nodepool } : {}),
    ...(typeof size === 'string' ? { size } : {}),
    ...(typeof zone === 'string' ? { zone } : {}),
  };
}

function valueAt(value: unknown, [first, ...rest]: readonly string[]): unknown {
  if (first === undefined) return value;
  if (typeof value !== 'object' || value === null) return undefined;
  return valueAt((value as Json)[first], rest);
}

/** Copies along the path; an absent value stays absent. */
function without(object: Json, [first, ...rest]: readonly string[]): Json {
  const { [first!]: inner, ...others } = object;
  if (rest.length === 0 || typeof inner !== 'object' || inner === null)
    return rest.length === 0 ? others : object;
  return { ...others, [first!]: without(inner as Json, rest) };
}
