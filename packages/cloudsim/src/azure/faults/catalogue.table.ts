/**
 * The faults there are, by name. Codes and texts of ARM's errors as seen in public issues and documentation up to
 * 2026-11; where a name has a value, `value` says what it means.
 */

/**
 * Who asks whether a fault strikes: the token endpoint, the gateway before a request is handled and after it was, the compute provider at a
 * VM's PUT and while it is made, at its deletion, a policy that changes what a PUT asks for, the network provider at a
 * NIC's PUT, whoever runs an extension, and the machine itself. `controller` is not of Azure: whoever runs a controller
 * in the playground asks for it, and nobody else.
 */
export type FaultPoint =
  | 'sign-in'
  | 'request'
  | 'answer'
  | 'vm'
  | 'vm-delete'
  | 'modify'
  | 'nic'
  | 'extension'
  | 'machine'
  | 'controller';

export interface FaultRow {
  readonly name: string;
  readonly points: readonly FaultPoint[];
  readonly help: string;
  /** What the value means; absent: it takes none. */
  readonly value?: string;
  readonly defaultValue?: string;
  /** The form of a value. */
  readonly form?: 'number' | 'text';
  /** The only values there are. */
  readonly choices?: readonly string[];
  /** For `vm`: when it shows if the fault does not say. */
  readonly phase?: 'sync' | 'async';
}

export const FAULTS: readonly FaultRow[] = [
  { name: '500', points: ['request'], help: 'InternalServerError; nothing was done' },
  { name: '502', points: ['request'], help: 'BadGateway, as HTML; nothing was done' },
  {
    name: '503',
    points: ['request'],
    help: 'ServiceUnavailable; nothing was done',
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
    help: 'the request is handled late',
    value: 'milliseconds',
    defaultValue: '3000',
    form: 'number',
  },
  {
    name: 'timeout',
    points: ['request'],
    help: 'no answer, then 504 GatewayTimeout; nothing was done',
    value: 'milliseconds',
    defaultValue: '240000',
    form: 'number',
  },
  { name: 'lost-request', points: ['request'], help: 'the connection breaks; nothing was done' },
  { name: 'expired-token', points: ['request'], help: '401 ExpiredAuthenticationToken' },
  { name: 'forbidden', points: ['request'], help: '403 AuthorizationFailed with action and scope' },
  {
    name: 'lost-response',
    points: ['answer'],
    help: 'it was done, and the connection breaks before the answer',
  },
  { name: 'late-500', points: ['answer'], help: 'it was done, and the answer is InternalServerError' },
  { name: 'truncated', points: ['answer'], help: 'it was done; half of the answer arrives' },
  { name: 'non-json', points: ['answer'], help: 'it was done; the answer is a page of HTML' },
  { name: 'empty', points: ['answer'], help: 'it was done; the answer has no body' },
  { name: 'wrong-content', points: ['answer'], help: 'it was done; the answer is JSON of another shape' },

  { name: 'sign-in-fails', points: ['sign-in'], help: 'no token: the client secret has expired' },
  { name: 'sign-in-500', points: ['sign-in'], help: 'no token: the directory answers 500' },

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
    help: 'a policy takes the disk encryption set out of what a VM asks for',
  },
  {
    name: 'drop-des',
    points: ['controller'],
    help: 'the controller loses the disk encryption set on its way to the VM; only one inside the playground can',
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
    help: 'the machine takes longer',
    value: 'milliseconds more',
    defaultValue: '60000',
    form: 'number',
  },
  {
    name: 'stuck-delete',
    points: ['vm-delete'],
    help: 'the VM stays Deleting',
    value: 'milliseconds more',
    defaultValue: '600000',
    form: 'number',
  },
  { name: 'delete-fails', points: ['vm-delete'], help: 'the deletion fails: InternalExecutionError' },

  { name: 'subnet-full', points: ['nic'], help: 'SubnetIsFull' },
  { name: 'subnet-too-small', points: ['nic'], help: 'InsufficientSubnetSize' },
  { name: 'pool-missing', points: ['nic'], help: 'InvalidResourceReference naming the first backend pool' },
  { name: 'network-busy', points: ['nic'], help: 'AnotherOperationInProgress' },

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
    help: 'as cse, because the image has no oras: the code misleads, and only the log says so',
    value: 'exit code',
    defaultValue: '211',
    form: 'number',
  },
  {
    name: 'cse-truncated',
    points: ['extension'],
    help: 'as cse, and the head of the JSON is cut off',
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
    help: 'VMExtensionProvisioningError of an agent that is not ready',
  },

  { name: 'never-register', points: ['machine'], help: 'the machine boots and no Node ever appears' },
  { name: 'never-ready', points: ['machine'], help: 'a Node appears and stays NotReady' },
  {
    name: 'slow-boot',
    points: ['machine'],
    help: 'the machine boots later',
    value: 'milliseconds more',
    defaultValue: '60000',
    form: 'number',
  },
  {
    name: 'register-late',
    points: ['machine'],
    help: 'the Node appears later',
    value: 'milliseconds more',
    defaultValue: '60000',
    form: 'number',
  },
  { name: 'register-twice', points: ['machine'], help: 'two Nodes appear that name the same machine' },
  { name: 'wrong-labels', points: ['machine'], help: 'the Node appears with other labels than it was told' },
  { name: 'boot-hang', points: ['machine'], help: 'the machine starts and never finishes booting' },
  {
    name: 'spot-evict',
    points: ['machine'],
    help: 'Azure takes the machine back',
    value: 'milliseconds after the Node appeared',
    defaultValue: '10000',
    form: 'number',
  },
  { name: 'boot-failure', points: ['machine'], help: 'the operating system does not come up' },
  {
    name: 'kernel-panic',
    points: ['machine'],
    help: 'the machine dies after it was Ready',
    value: 'milliseconds after',
    defaultValue: '10000',
    form: 'number',
  },
  { name: 'no-network', points: ['machine'], help: 'the machine cannot reach the API server' },
  { name: 'no-dns', points: ['machine'], help: 'the machine cannot resolve the API server' },
  { name: 'disk-error', points: ['machine'], help: 'the OS disk cannot be read' },
  {
    name: 'node-unhealthy',
    points: ['machine'],
    help: 'the Node goes NotReady after it was Ready',
    value: 'milliseconds after',
    defaultValue: '10000',
    form: 'number',
  },
];
