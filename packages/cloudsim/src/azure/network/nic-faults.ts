/**
 * What the faults of a NIC's PUT answer.
 */
import type { Fault } from '../faults/fault.ts';
import { valueText } from '../faults/parse-fault.ts';
import { parseResourceId } from '../store/resource-id.ts';
import type { ResourceStore } from '../store/resource-store.ts';
import {
  type ArmError,
  type ArmErrorBody,
  anotherOperationInProgress,
  disallowedByPolicy,
} from '../wire/errors.ts';
import {
  insufficientSubnetSize,
  invalidResourceReference,
  networkBusy,
  subnetIsFull,
} from './network-errors.ts';
import type { DesiredNic } from './nic-request.ts';

/** The error of the operation, where the fault lets the PUT itself be accepted. */
export function failureOfOperation(fault: Fault): ArmErrorBody | undefined {
  return fault.name === 'nic-fails'
    ? { code: valueText(fault), message: 'An error occurred.', details: [] }
    : undefined;
}

export function nicFault(fault: Fault, desired: DesiredNic, nicId: string, store: ResourceStore): ArmError {
  const { subnetId } = desired.configurations[0]!;
  const subnet = parseResourceId(subnetId)?.name ?? subnetId;
  const prefix = String(store.get(subnetId)?.properties['addressPrefix'] ?? '');
  const { name, subscriptionId } = parseResourceId(nicId)!;
  switch (fault.name) {
    case 'subnet-full':
      return subnetIsFull(subnet, prefix, desired.configurations.length);
    case 'subnet-too-small':
      return insufficientSubnetSize(subnet, prefix);
    case 'pool-missing':
      return invalidResourceReference(
        desired.configurations.flatMap((one) => one.poolIds)[0] ?? `${nicId}/missingPool`,
        nicId,
      );
    case 'policy': {
      const policy = valueText(fault);
      return disallowedByPolicy(
        name,
        policy,
        `/subscriptions/${subscriptionId}/providers/Microsoft.Authorization/policyAssignments/${policy}`,
      );
    }
    default:
      return valueText(fault) !== 'AnotherOperationInProgress'
        ? networkBusy(valueText(fault), nicId)
        : anotherOperationInProgress(
            `Another operation on this or dependent resource is in progress. To retrieve status of the operation use uri: ${nicId}.`,
          );
  }
}
