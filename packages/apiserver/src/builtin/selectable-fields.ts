/** Which fields, beyond name and namespace, a field selector may name, per resource. */
import type { KubeObject } from '@chandler/kube';
import type { SelectableField } from '../resource.ts';

/** `key` is the resource as messages name it: `pods`, `jobs.batch`. */
export function selectableFields(key: string): readonly SelectableField[] {
  return FIELDS[key] ?? NONE;
}

// ---------------------------------------------------------------------------------------------------

const NONE: readonly SelectableField[] = [];

/** A field that is read where its path says; `empty` is what a missing one counts as. */
function field(path: string, empty = '', at: string = path): SelectableField {
  const steps = at.split('.');
  return {
    path,
    read: (object) => {
      let value: unknown = object;
      for (const step of steps) value = (value as Record<string, unknown> | undefined | null)?.[step];
      return value === undefined || value === null ? empty : String(value);
    },
  };
}

const REFERENCE = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'];

function eventFields(reference: string, reporter: string, source: string): SelectableField[] {
  return [
    ...REFERENCE.map((name) => field(`${reference}.${name}`)),
    field('reason'),
    field(reporter, '', reporter),
    { path: 'source', read: (object: KubeObject) => componentOf(object, source) },
    field('type'),
  ];
}

function componentOf(object: KubeObject, source: string): string {
  const component = (object[source] as { component?: string } | undefined)?.component;
  return component || ((object['reportingComponent'] ?? object['reportingController'] ?? '') as string);
}

const FIELDS: Readonly<Record<string, readonly SelectableField[]>> = {
  pods: [
    field('spec.nodeName'),
    field('spec.restartPolicy'),
    field('spec.schedulerName'),
    field('spec.serviceAccountName'),
    field('spec.hostNetwork', 'false'),
    field('status.phase'),
    field('status.podIP'),
    field('status.nominatedNodeName'),
  ],
  nodes: [field('spec.unschedulable', 'false')],
  namespaces: [field('status.phase')],
  secrets: [field('type')],
  services: [field('spec.clusterIP'), field('spec.type')],
  replicationcontrollers: [field('status.replicas', '0')],
  'replicasets.apps': [field('status.replicas', '0')],
  'jobs.batch': [field('status.successful', '0', 'status.succeeded')],
  'certificatesigningrequests.certificates.k8s.io': [field('spec.signerName')],
  events: eventFields('involvedObject', 'reportingComponent', 'source'),
  'events.events.k8s.io': eventFields('regarding', 'reportingController', 'deprecatedSource'),
};
