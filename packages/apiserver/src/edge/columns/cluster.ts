/**
 * The columns of nodes, namespaces, events, configuration, quotas, leases, bindings and certificate requests.
 */
import type { KubeObject } from '@chandler/kube';
import type { PrinterColumn } from '../../resource.ts';
import { ageOf, humanDuration, NONE, UNKNOWN } from '../age.ts';
import {
  AGE,
  at,
  conditionOf,
  flag,
  integer,
  listAt,
  mapAt,
  NAME,
  numberAt,
  stringAt,
  text,
  WIDE,
} from './column.ts';

export const NODE_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  text('Status', nodeStatus, { description: 'Whether the node is ready and takes pods.' }),
  text('Roles', nodeRoles, { description: 'The roles that its labels give it.' }),
  AGE,
  text('Version', (node) => stringAt(node, 'status', 'nodeInfo', 'kubeletVersion'), {
    description: 'The version of its kubelet.',
  }),
  text('Internal-IP', (node) => nodeAddress(node, 'InternalIP'), {
    ...WIDE,
    description: 'Its inner address.',
  }),
  text('External-IP', (node) => nodeAddress(node, 'ExternalIP'), {
    ...WIDE,
    description: 'Its outer address.',
  }),
  text('OS-Image', (node) => nodeInfo(node, 'osImage'), { ...WIDE, description: 'Its operating system.' }),
  text('Kernel-Version', kernelVersion, { ...WIDE, description: 'Its kernel, and the architecture.' }),
  text('Container-Runtime', (node) => nodeInfo(node, 'containerRuntimeVersion'), {
    ...WIDE,
    description: 'Its container runtime.',
  }),
];

export const NAMESPACE_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  text('Status', (object) => stringAt(object, 'status', 'phase'), { description: 'The phase it is in.' }),
  AGE,
];

export const CONFIG_MAP_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  text('Data', (object) => sizeAt(object, 'data') + sizeAt(object, 'binaryData'), {
    description: 'How many entries.',
  }),
  AGE,
];

export const SECRET_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  text('Type', (object) => stringAt(object, 'type'), { description: 'What the secret is for.' }),
  text('Data', (object) => sizeAt(object, 'data'), { description: 'How many entries.' }),
  AGE,
];

export const NAME_AND_AGE: readonly PrinterColumn[] = [NAME, AGE];

export const EVENT_COLUMNS: readonly PrinterColumn[] = [
  text('Last Seen', lastSeen, { description: 'How long ago it last happened.' }),
  text('Type', (event) => stringAt(event, 'type'), { description: 'Normal or Warning.' }),
  text('Reason', (event) => stringAt(event, 'reason'), { description: 'Why, in one word.' }),
  text('Object', eventTarget, { description: 'What it is about.' }),
  text('Subobject', (event) => stringAt(involved(event), 'fieldPath'), {
    ...WIDE,
    description: 'Which part of it.',
  }),
  text('Source', eventSource, { ...WIDE, description: 'Who says so.' }),
  text('Message', (event) => (stringAt(event, 'message') || stringAt(event, 'note')).trim(), {
    description: 'What happened, in words.',
  }),
  text('First Seen', firstSeen, { ...WIDE, description: 'How long ago it first happened.' }),
  text('Count', eventCount, { ...WIDE, description: 'How often it happened.' }),
  { ...NAME, priority: 1 },
];

export const RESOURCE_QUOTA_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  text('Request', (quota) => quotaText(quota, false), {
    description: 'Used and allowed, apart from limits.',
  }),
  text('Limit', (quota) => quotaText(quota, true), { description: 'Used and allowed limits.' }),
  AGE,
];

export const LEASE_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  text('Holder', (lease) => stringAt(lease, 'spec', 'holderIdentity'), { description: 'Who holds it.' }),
  AGE,
];

export const PRIORITY_CLASS_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  integer('Value', (object) => numberAt(object, 'value'), { description: 'The priority that pods get.' }),
  flag('Global-Default', (object) => at(object, 'globalDefault') === true, {
    description: 'Whether pods that name no class get this one.',
  }),
  AGE,
  text('PreemptionPolicy', (object) => stringAt(object, 'preemptionPolicy'), {
    description: 'Whether its pods may push others out.',
  }),
];

export const RUNTIME_CLASS_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  text('Handler', (object) => stringAt(object, 'handler'), { description: 'What the runtime calls it.' }),
  AGE,
];

export const ROLE_BINDING_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  text('Role', (object) => `${stringAt(object, 'roleRef', 'kind')}/${stringAt(object, 'roleRef', 'name')}`, {
    description: 'What is granted.',
  }),
  AGE,
  text('Users', (object) => subjects(object, 'User'), { ...WIDE, description: 'To which users.' }),
  text('Groups', (object) => subjects(object, 'Group'), { ...WIDE, description: 'To which groups.' }),
  text('ServiceAccounts', (object) => subjects(object, 'ServiceAccount'), {
    ...WIDE,
    description: 'To which service accounts.',
  }),
];

export const CERTIFICATE_REQUEST_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  AGE,
  text('SignerName', (object) => stringAt(object, 'spec', 'signerName') || NONE, {
    description: 'Who is to sign.',
  }),
  text('Requestor', (object) => stringAt(object, 'spec', 'username'), { description: 'Who asked.' }),
  text('RequestedDuration', requestedDuration, { description: 'For how long the certificate should hold.' }),
  text('Condition', certificateCondition, { description: 'How far the request has come.' }),
];

// ---------------------------------------------------------------------------------------------------

const ROLE_PREFIX = 'node-role.kubernetes.io/';
const ROLE_LABEL = 'kubernetes.io/role';

function nodeStatus(node: KubeObject): string {
  const ready = conditionOf(node, 'Ready');
  const status = ready === undefined ? 'Unknown' : ready === 'True' ? 'Ready' : 'NotReady';
  return at(node, 'spec', 'unschedulable') === true ? `${status},SchedulingDisabled` : status;
}

function nodeRoles(node: KubeObject): string {
  const roles = new Set<string>();
  for (const [key, value] of Object.entries(node.metadata.labels ?? {})) {
    const role = key.startsWith(ROLE_PREFIX)
      ? key.slice(ROLE_PREFIX.length)
      : key === ROLE_LABEL
        ? value
        : '';
    if (role !== '') roles.add(role);
  }
  return [...roles].sort().join(',') || NONE;
}

function nodeAddress(node: KubeObject, type: string): string {
  const found = listAt(node, 'status', 'addresses').find((address) => address['type'] === type);
  return found === undefined ? NONE : stringAt(found, 'address');
}

function nodeInfo(node: KubeObject, field: string): string {
  return stringAt(node, 'status', 'nodeInfo', field) || UNKNOWN;
}

function kernelVersion(node: KubeObject): string {
  const architecture = stringAt(node, 'status', 'nodeInfo', 'architecture');
  const kernel = nodeInfo(node, 'kernelVersion');
  return architecture === '' ? kernel : `${kernel} (${architecture})`;
}

function sizeAt(object: KubeObject, field: string): number {
  return Object.keys(mapAt(object, field)).length;
}

/** Events come in two dialects, core/v1 and events.k8s.io/v1, with other names for the same fields. */
function involved(event: KubeObject): unknown {
  return event['involvedObject'] ?? event['regarding'];
}

function firstSeen(event: KubeObject, nowMs: number): string {
  const first = stringAt(event, 'firstTimestamp') || stringAt(event, 'deprecatedFirstTimestamp');
  return ageOf(first || stringAt(event, 'eventTime'), nowMs);
}

function lastSeen(event: KubeObject, nowMs: number): string {
  if (at(event, 'series') != null) return ageOf(stringAt(event, 'series', 'lastObservedTime'), nowMs);
  const last = stringAt(event, 'lastTimestamp') || stringAt(event, 'deprecatedLastTimestamp');
  return last === '' ? firstSeen(event, nowMs) : ageOf(last, nowMs);
}

function eventCount(event: KubeObject): number {
  if (at(event, 'series') != null) return numberAt(event, 'series', 'count');
  return numberAt(event, 'count') || numberAt(event, 'deprecatedCount') || 1;
}

function eventTarget(event: KubeObject): string {
  const kind = stringAt(involved(event), 'kind').toLowerCase();
  const name = stringAt(involved(event), 'name');
  return name === '' ? kind : `${kind}/${name}`;
}

function eventSource(event: KubeObject): string {
  const source = event['source'] ?? event['deprecatedSource'];
  const component =
    stringAt(source, 'component') ||
    stringAt(event, 'reportingComponent') ||
    stringAt(event, 'reportingController');
  const instance = stringAt(source, 'host') || stringAt(event, 'reportingInstance');
  return instance === '' ? component : `${component}, ${instance}`;
}

function quotaText(quota: KubeObject, limits: boolean): string {
  const hard = mapAt(quota, 'status', 'hard');
  return Object.keys(hard)
    .filter((name) => name.startsWith('limits.') === limits)
    .sort()
    .map((name) => `${name}: ${stringAt(quota, 'status', 'used', name) || '0'}/${stringAt(hard, name)}`)
    .join(', ');
}

function subjects(binding: KubeObject, kind: string): string {
  return listAt(binding, 'subjects')
    .filter((subject) => subject['kind'] === kind)
    .map(
      (subject) =>
        (kind === 'ServiceAccount' ? `${stringAt(subject, 'namespace')}/` : '') + stringAt(subject, 'name'),
    )
    .join(', ');
}

function requestedDuration(request: KubeObject): string {
  const seconds = at(request, 'spec', 'expirationSeconds');
  return typeof seconds === 'number' ? humanDuration(seconds * 1000) : NONE;
}

function certificateCondition(request: KubeObject): string {
  const has = (type: string) => conditionOf(request, type) !== undefined;
  const decision = has('Denied') ? 'Denied' : has('Approved') ? 'Approved' : 'Pending';
  const failed = has('Failed') ? ',Failed' : '';
  return `${decision}${failed}${stringAt(request, 'status', 'certificate') === '' ? '' : ',Issued'}`;
}
