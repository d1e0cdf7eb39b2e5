/**
 * The available faults, by name. Codes and texts of ARM's errors as seen in public issues and documentation up to
 * 2026-11; where a name has a value, `value` says what it means.
 */

/**
 * Where a fault is triggered: the token endpoint, the gateway before and after a request is handled, Resource Graph, the compute provider
 * at the PUT of a VM, while it is created and when it is deleted, a policy that modifies a PUT or the tags of
 * a write, the network provider at the PUT of a NIC, the run of an extension, and the VM itself. `controller` is not part of Azure: only the code that
 * runs a controller inside the playground queries it.
 */
export type FaultPoint =
  | 'sign-in'
  | 'request'
  | 'answer'
  | 'graph'
  | 'vm'
  | 'vm-delete'
  | 'modify'
  | 'tags'
  | 'nic'
  | 'extension'
  | 'machine'
  | 'controller';

export interface FaultRow {
  readonly name: string;
  readonly points: readonly FaultPoint[];
  readonly help: string;
  /** What the value means; absent: the fault takes no value. */
  readonly value?: string;
  readonly defaultValue?: string;
  /** The form of a value. */
  readonly form?: 'number' | 'text';
  /** The allowed values. */
  readonly choices?: readonly string[];
  /** For `vm`: the default phase. */
  readonly phase?: 'sync' | 'async';
}

export const FAULTS: readonly FaultRow[] = [
  { name: '500', points: ['request'], help: 'InternalServerError; the request is not executed' },
  { name: '502', points: ['request'], help: 'BadGateway, as HTML; the request is not executed' },
  {
    name: '503',
    points: ['request'],
    help: 'ServiceUnavailable; the request is not executed',
    value: 'Retry-After in seconds',
    defaultValue: '5',
    form: 'number',
  },
  {
    name: 'throttle',
    points: ['request'],
    help: '429 with Retry-After',
    value: 'Retry-After in seconds',
    defaultValue: '5',
    form: 'number',
  },
  {
    name: 'slow',
    points: ['request'],
    help: 'the request is handled with a delay',
    value: 'milliseconds',
    defaultValue: '3000',
    form: 'number',
  },
  {
    name: 'timeout',
    points: ['request'],
    help: 'no answer, then 504 GatewayTimeout; the request is not executed',
    value: 'milliseconds',
    defaultValue: '240000',
    form: 'number',
  },
  { name: 'lost-request', points: ['request'], help: 'the connection is reset; the request is not executed' },
  { name: 'expired-token', points: ['request'], help: '401 ExpiredAuthenticationToken' },
  { name: 'forbidden', points: ['request'], help: '403 AuthorizationFailed with action and scope' },
  {
    name: 'proxy-403',
    points: ['request'],
    help: '403 as HTML, as a proxy answers; the request is not executed',
  },
  {
    name: 'proxy-404',
    points: ['request'],
    help: '404 as HTML, as a proxy answers; the request is not executed',
  },
  {
    name: 'locked',
    points: ['request'],
    help: '409 ScopeLocked, as for a resource with a lock; use it with operation=DELETE',
  },
  {
    name: 'graph-pages',
    points: ['graph'],
    help: 'Resource Graph returns short pages, in another order each time',
  },
  {
    name: 'lost-response',
    points: ['answer'],
    help: 'the request is executed, and the connection is reset before the answer',
  },
  {
    name: 'late-500',
    points: ['answer'],
    help: 'the request is executed, and the answer is InternalServerError',
  },
  { name: 'truncated', points: ['answer'], help: 'the request is executed; half of the answer is sent' },
  { name: 'non-json', points: ['answer'], help: 'the request is executed; the answer is an HTML page' },
  { name: 'empty', points: ['answer'], help: 'the request is executed; the answer has no body' },
  {
    name: 'wrong-content',
    points: ['answer'],
    help: 'the request is executed; the answer is JSON of another shape',
  },

  { name: 'sign-in-fails', points: ['sign-in'], help: 'no token: the client secret has expired' },
  { name: 'sign-in-500', points: ['sign-in'], help: 'no token: Entra ID answers 500' },

  { name: 'allocation', points: ['vm'], phase: 'async', help: 'AllocationFailed' },
  { name: 'zonal-allocation', points: ['vm'], phase: 'async', help: 'ZonalAllocationFailed' },
  { name: 'overconstrained', points: ['vm'], phase: 'async', help: 'OverconstrainedAllocationRequest' },
  {
    name: 'overconstrained-zonal',
    points: ['vm'],
    phase: 'async',
    help: 'OverconstrainedZonalAllocationRequest',
  },
  { name: 'sku-not-available', points: ['vm'], phase: 'sync', help: 'SkuNotAvailable' },
  { name: 'size-not-supported', points: ['vm'], phase: 'sync', help: 'VMSizeNotSupported' },
  {
    name: 'size-not-in-subscription',
    points: ['vm'],
    phase: 'sync',
    help: 'BadRequest: the size is not supported for subscription',
  },
  {
    name: 'quota',
    points: ['vm'],
    phase: 'sync',
    help: 'OperationNotAllowed: family cores quota',
    value: 'the current limit',
    defaultValue: '10',
    form: 'number',
  },
  {
    name: 'quota-spot',
    points: ['vm'],
    phase: 'sync',
    help: 'OperationNotAllowed: LowPriorityCores quota',
    value: 'the current limit',
    defaultValue: '3',
    form: 'number',
  },
  {
    name: 'quota-regional',
    points: ['vm'],
    phase: 'sync',
    help: 'OperationNotAllowed: Total Regional Cores quota',
    value: 'the current limit',
    defaultValue: '10',
    form: 'number',
  },
  { name: 'image-not-found', points: ['vm'], phase: 'sync', help: 'GalleryImageNotFound' },
  {
    name: 'policy',
    points: ['vm', 'nic'],
    phase: 'sync',
    help: 'RequestDisallowedByPolicy',
    value: 'name of the policy assignment',
    defaultValue: 'deny-nodes',
    form: 'text',
  },
  { name: 'des-not-found', points: ['vm'], phase: 'sync', help: 'the disk encryption set is not found' },
  {
    name: 'des-forbidden',
    points: ['vm'],
    phase: 'sync',
    help: 'LinkedAuthorizationFailed on the disk encryption set',
  },
  { name: 'key-vault-forbidden', points: ['vm'], phase: 'async', help: 'KeyVaultAccessForbidden' },
  {
    name: 'key-disabled',
    points: ['vm'],
    phase: 'async',
    help: 'the key of the disk encryption set is disabled',
  },
  {
    name: 'strip-des',
    points: ['modify'],
    help: 'an Azure Policy removes the disk encryption set from the request for a VM',
  },
  {
    name: 'retag',
    points: ['tags'],
    help: 'an Azure Policy sets a tag in every write that has tags',
    value: 'name:value of the tag',
    defaultValue: 'team:central',
    form: 'text',
  },
  {
    name: 'drop-des',
    points: ['controller'],
    help: 'the controller inside the playground drops the disk encryption set during a launch',
    value: 'where: options, provider, launch, plan, vm-object or request',
    defaultValue: 'provider',
    choices: ['options', 'provider', 'launch', 'plan', 'vm-object', 'request'],
  },
  { name: 'os-timeout', points: ['vm'], phase: 'async', help: 'OSProvisioningTimedOut' },
  { name: 'vm-start-timeout', points: ['vm'], phase: 'async', help: 'VMStartTimedOut' },
  { name: 'vm-internal', points: ['vm'], phase: 'async', help: 'InternalExecutionError' },
  {
    name: 'vm-slow',
    points: ['vm'],
    phase: 'async',
    help: 'the creation of the VM takes longer',
    value: 'additional milliseconds',
    defaultValue: '60000',
    form: 'number',
  },
  {
    name: 'stuck-delete',
    points: ['vm-delete'],
    help: 'the VM stays in the state Deleting',
    value: 'additional milliseconds',
    defaultValue: '600000',
    form: 'number',
  },
  { name: 'delete-fails', points: ['vm-delete'], help: 'the deletion fails: InternalExecutionError' },

  { name: 'subnet-full', points: ['nic'], help: 'SubnetIsFull' },
  { name: 'subnet-too-small', points: ['nic'], help: 'InsufficientSubnetSize' },
  { name: 'pool-missing', points: ['nic'], help: 'InvalidResourceReference naming the first backend pool' },
  {
    name: 'nic-fails',
    points: ['nic'],
    help: 'the PUT is accepted; its operation and the NIC end as Failed',
    value: 'the code of the error',
    defaultValue: 'InternalServerError',
    form: 'text',
  },
  {
    name: 'network-busy',
    points: ['nic'],
    help: 'another operation on the NIC is in progress: 409 AnotherOperationInProgress, or 429 with the other codes',
    value:
      'AnotherOperationInProgress, RetryableError, RetryableErrorDueToAnotherOperation or ReferencedResourceNotProvisioned',
    defaultValue: 'AnotherOperationInProgress',
    choices: [
      'AnotherOperationInProgress',
      'RetryableError',
      'RetryableErrorDueToAnotherOperation',
      'ReferencedResourceNotProvisioned',
    ],
  },

  {
    name: 'cse',
    points: ['extension', 'machine'],
    help: 'the node script fails with this exit code',
    value: 'exit code',
    defaultValue: '50',
    form: 'number',
  },
  {
    name: 'cse-oras',
    points: ['machine'],
    help: 'as cse, because the image has no oras: the exit code is misleading, only the log shows the cause',
    value: 'exit code',
    defaultValue: '211',
    form: 'number',
  },
  {
    name: 'cse-truncated',
    points: ['extension'],
    help: 'as cse, and the beginning of the JSON is missing',
    value: 'exit code',
    defaultValue: '50',
    form: 'number',
  },
  {
    name: 'cse-plain',
    points: ['extension'],
    help: 'as cse, without the JSON',
    value: 'exit code',
    defaultValue: '50',
    form: 'number',
  },
  { name: 'extension-timeout', points: ['extension'], help: 'VMExtensionProvisioningTimeout' },
  {
    name: 'extension-fails',
    points: ['extension'],
    help: 'VMExtensionProvisioningError: the VM agent is not ready',
  },
  {
    name: 'preempted',
    points: ['vm', 'extension'],
    phase: 'async',
    help: 'another client writes the VM: the operation in flight ends as OperationPreempted',
    value: 'what becomes of an extension: continued or canceled; the creation of a VM continues',
    defaultValue: 'continued',
    choices: ['continued', 'canceled'],
  },

  { name: 'never-register', points: ['machine'], help: 'the VM boots and never registers a Node' },
  { name: 'never-ready', points: ['machine'], help: 'the Node registers and stays NotReady' },
  {
    name: 'slow-boot',
    points: ['machine'],
    help: 'the VM boots late',
    value: 'additional milliseconds',
    defaultValue: '60000',
    form: 'number',
  },
  {
    name: 'register-late',
    points: ['machine'],
    help: 'the Node registers late',
    value: 'additional milliseconds',
    defaultValue: '60000',
    form: 'number',
  },
  { name: 'register-twice', points: ['machine'], help: 'two Nodes register with the same provider ID' },
  { name: 'wrong-labels', points: ['machine'], help: 'the Node registers with wrong labels' },
  { name: 'boot-hang', points: ['machine'], help: 'the VM starts and never finishes booting' },
  {
    name: 'spot-evict',
    points: ['machine'],
    help: 'Azure evicts the spot VM',
    value: 'milliseconds after the Node has registered',
    defaultValue: '10000',
    form: 'number',
  },
  { name: 'boot-failure', points: ['machine'], help: 'the operating system does not start' },
  {
    name: 'kernel-panic',
    points: ['machine'],
    help: 'the kernel stops after the Node was Ready',
    value: 'milliseconds after the Node is Ready',
    defaultValue: '10000',
    form: 'number',
  },
  { name: 'no-network', points: ['machine'], help: 'the VM cannot connect to the API server' },
  {
    name: 'no-dns',
    points: ['machine'],
    help: 'the VM resolves no name: neither the API server nor the registry',
  },
  { name: 'disk-error', points: ['machine'], help: 'the OS disk cannot be read' },
  {
    name: 'node-unhealthy',
    points: ['machine'],
    help: 'the Node becomes NotReady after it was Ready',
    value: 'milliseconds after the Node is Ready',
    defaultValue: '10000',
    form: 'number',
  },
];
