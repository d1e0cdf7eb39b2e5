/**
 * The available faults, by name. Codes and texts of EC2's errors as its documentation and public issues show them up to
 * 2026-11; where a name has a value, `value` says what it means.
 */

/**
 * Where a fault is triggered: the gateway before and after a request is handled, lists of an answer, the launch of one
 * instance, an event on its way to the queue, the deletion of a message, and the machine itself.
 */
export type FaultPoint = 'request' | 'answer' | 'list' | 'launch' | 'event' | 'message' | 'machine';

export interface FaultRow {
  readonly name: string;
  readonly points: readonly FaultPoint[];
  readonly help: string;
  /** What the value means; absent: the fault takes no value. */
  readonly value?: string;
  readonly defaultValue?: string;
  readonly form?: 'number' | 'text';
}

const MS = { value: 'milliseconds', form: 'number' } as const;

export const FAULTS: readonly FaultRow[] = [
  { name: '500', points: ['request'], help: 'InternalError; the request is not executed' },
  { name: '503', points: ['request'], help: 'Unavailable; the request is not executed' },
  {
    name: 'throttle',
    points: ['request'],
    help: 'RequestLimitExceeded of EC2, ThrottlingException or Throttling of other services',
  },
  {
    name: 'slow',
    points: ['request'],
    help: 'the request is handled with a delay',
    defaultValue: '3000',
    ...MS,
  },
  {
    name: 'timeout',
    points: ['request'],
    help: 'no answer, then the connection is reset; the request is not executed',
    defaultValue: '60000',
    ...MS,
  },
  { name: 'lost-request', points: ['request'], help: 'the connection is reset; the request is not executed' },
  { name: 'expired-token', points: ['request'], help: 'the credentials of the caller have expired' },
  {
    name: 'forbidden',
    points: ['request'],
    help: 'UnauthorizedOperation or AccessDenied, which names the action',
  },
  {
    name: 'lost-response',
    points: ['answer'],
    help: 'the request is executed, and the connection is reset before the answer',
  },
  { name: 'late-500', points: ['answer'], help: 'the request is executed, and the answer is InternalError' },
  { name: 'truncated', points: ['answer'], help: 'the request is executed; half of the answer is sent' },
  { name: 'wrong-content', points: ['answer'], help: 'the request is executed; the answer is an HTML page' },
  {
    name: 'partial',
    points: ['list'],
    help: 'a Describe call leaves out some of its resources, as before they are consistent',
    value: 'share that is left out, in percent',
    defaultValue: '50',
    form: 'number',
  },
  {
    name: 'short-pages',
    points: ['list'],
    help: 'a page has fewer results than asked for, or none, and a NextToken',
  },
  { name: 'capacity', points: ['launch'], help: 'InsufficientInstanceCapacity for this type and zone' },
  {
    name: 'launch-error',
    points: ['launch'],
    help: 'the launch of an instance fails with this code',
    value: 'code of EC2',
    defaultValue: 'UnfulfillableCapacity',
    form: 'text',
  },
  {
    name: 'message-late',
    points: ['event'],
    help: 'an event reaches the queue up to this much later, and so after later ones',
    defaultValue: '30000',
    ...MS,
  },
  { name: 'message-doubled', points: ['event'], help: 'an event reaches the queue twice' },
  { name: 'message-twice', points: ['message'], help: 'a message is received again although it was deleted' },
  {
    name: 'slow-boot',
    points: ['machine'],
    help: 'the instance boots with a delay',
    defaultValue: '60000',
    ...MS,
  },
  { name: 'boot-failure', points: ['machine'], help: 'the instance finds no system; its status check fails' },
  { name: 'boot-hang', points: ['machine'], help: 'the system starts and never runs its user data' },
  { name: 'no-network', points: ['machine'], help: 'no route to the API server' },
  { name: 'no-dns', points: ['machine'], help: 'names are not resolved' },
  { name: 'never-register', points: ['machine'], help: 'the kubelet runs and never registers its node' },
  {
    name: 'register-late',
    points: ['machine'],
    help: 'the kubelet registers with a delay',
    defaultValue: '120000',
    ...MS,
  },
  { name: 'wrong-labels', points: ['machine'], help: 'the node registers without its labels' },
  { name: 'never-ready', points: ['machine'], help: 'the node registers and never becomes Ready' },
  {
    name: 'kernel-panic',
    points: ['machine'],
    help: 'the kernel stops this long after the node is Ready; the instance status check fails',
    defaultValue: '60000',
    ...MS,
  },
  {
    name: 'system-impaired',
    points: ['machine'],
    help: 'the system status check fails this long after the node is Ready',
    defaultValue: '60000',
    ...MS,
  },
  {
    name: 'spot-interrupt',
    points: ['machine'],
    help: 'a spot instance is interrupted this long after its node is Ready, with two minutes of warning',
    defaultValue: '60000',
    ...MS,
  },
  {
    name: 'rebalance',
    points: ['machine'],
    help: 'a rebalance recommendation this long after the node is Ready',
    defaultValue: '60000',
    ...MS,
  },
  {
    name: 'scheduled-change',
    points: ['machine'],
    help: 'a scheduled retirement is announced this long after the node is Ready',
    defaultValue: '60000',
    ...MS,
  },
];
