/**
 * The errors that faults cause when a VM is created, at the PUT or later.
 */
import type { Fault, FaultSubject } from '../faults/fault.ts';
import { numberOf, valueText } from '../faults/parse-fault.ts';
import { parseResourceId } from '../store/resource-id.ts';
import type { Principal } from '../wire/arm-request.ts';
import { type ArmError, disallowedByPolicy, linkedAuthorizationFailed } from '../wire/errors.ts';
import * as refuse from './compute-errors.ts';
import type { SizeFacts } from './services.ts';
import { VM_TYPE } from './vm-checks.ts';
import type { DesiredVm } from './vm-request.ts';

export function vmSubject(desired: DesiredVm, name: string, phase?: 'sync' | 'async'): FaultSubject {
  const nodepool = desired.tags?.['karpenter.sh_nodepool'];
  return {
    method: 'PUT',
    type: VM_TYPE,
    name,
    zone: desired.zone ?? '0',
    size: desired.size,
    capacity: desired.spot ? 'spot' : 'on-demand',
    ...(nodepool === undefined ? {} : { nodepool }),
    ...(phase === undefined ? {} : { phase }),
  };
}

export interface VmFaultCase {
  readonly id: string;
  readonly desired: DesiredVm;
  readonly size: SizeFacts | undefined;
  readonly principal: Principal | undefined;
}

/** Undefined for `vm-slow` and `preempted`, which cause no error of the VM. */
export function vmFault(fault: Fault, it: VmFaultCase): ArmError | undefined {
  return ANSWERS[fault.name]?.(fault, it);
}

/** These errors leave the NIC reserved for the VM that was not created. */
export function reservesNic(error: ArmError): boolean {
  return RESERVING.has(error.error.code);
}

// ---------------------------------------------------------------------------------------------------

const RESERVING: ReadonlySet<string> = new Set([
  'AllocationFailed',
  'ZonalAllocationFailed',
  'OverconstrainedAllocationRequest',
  'OverconstrainedZonalAllocationRequest',
  'SkuNotAvailable',
  'OperationNotAllowed',
]);

type Answer = (fault: Fault, it: VmFaultCase) => ArmError;

const quota =
  (name: (it: VmFaultCase) => string): Answer =>
  (fault, it) => {
    const limit = numberOf(fault);
    const wanted = it.size?.vCpus ?? 4;
    const used = Math.max(0, limit - Math.min(limit, wanted - 1));
    return refuse.quotaExceeded(name(it), { location: it.desired.location, limit, used, wanted });
  };

const constraints = ({ desired }: VmFaultCase) => [
  ...(desired.spot ? ['Low Priority VMs'] : []),
  ...(desired.osDisk.ephemeral === undefined ? [] : ['Differencing (Ephemeral) Disks']),
  'Networking Constraints (such as Accelerated Networking or IPv6)',
  'Subscription Pinning',
];

const setName = ({ desired }: VmFaultCase) =>
  parseResourceId(desired.osDisk.diskEncryptionSetId)?.name ?? 'disk-encryption-set';

const ANSWERS: Readonly<Record<string, Answer>> = {
  allocation: refuse.allocationFailed,
  'zonal-allocation': refuse.zonalAllocationFailed,
  overconstrained: (_, it) => refuse.overconstrained(undefined, it.desired.size, constraints(it)),
  'overconstrained-zonal': (_, it) =>
    refuse.overconstrained(it.desired.zone ?? '1', it.desired.size, constraints(it)),
  'sku-not-available': (_, { desired }) => refuse.skuNotAvailable(desired.size, desired.location),
  'size-not-supported': (_, { desired }) => refuse.vmSizeNotSupported(desired.size, desired.location),
  'size-not-in-subscription': (_, { id, desired }) =>
    refuse.sizeNotInSubscription(desired.size, parseResourceId(id)!.subscriptionId, desired.location),
  quota: quota((it) => it.size?.family ?? 'standardDSv5Family'),
  'quota-spot': quota(() => 'LowPriorityCores'),
  'quota-regional': quota(() => 'Total Regional'),
  'image-not-found': (_, { desired }) =>
    refuse.galleryImageNotFound(
      desired.image.communityGalleryImageId ?? desired.image.id ?? 'image',
      desired.location,
    ),
  policy: (fault, { id }) => {
    const { name, subscriptionId } = parseResourceId(id)!;
    const policy = valueText(fault);
    return disallowedByPolicy(
      name,
      policy,
      `/subscriptions/${subscriptionId}/providers/Microsoft.Authorization/policyAssignments/${policy}`,
    );
  },
  'des-not-found': (_, it) =>
    refuse.diskEncryptionSetNotFound(
      setName(it),
      parseResourceId(it.desired.osDisk.diskEncryptionSetId)?.resourceGroup ??
        parseResourceId(it.id)!.resourceGroup,
    ),
  'des-forbidden': (_, it) =>
    linkedAuthorizationFailed(
      it.principal ?? { clientId: '', objectId: '' },
      `${VM_TYPE}/write`,
      it.id,
      'Microsoft.Compute/diskEncryptionSets/read',
      it.desired.osDisk.diskEncryptionSetId ?? setName(it),
    ),
  'key-vault-forbidden': (_, it) => refuse.keyVaultForbidden(setName(it)),
  'key-disabled': (_, it) => refuse.keyDisabled(setName(it)),
  'os-timeout': (_, { id }) => refuse.osProvisioningTimedOut(parseResourceId(id)!.name),
  'vm-start-timeout': (_, { id }) => refuse.vmStartTimedOut(parseResourceId(id)!.name),
  'vm-internal': refuse.internalExecutionError,
};
