/**
 * Events, in their two versions. The core version is stored; the newer group uses other names for the same fields.
 */
import type { KubeObject } from '@chandler/kube';
import type { KindRules } from '../rules.ts';
import type { FieldErrors } from '../validation/field-errors.ts';
import { pathSegmentName, qualifiedName, subdomainName } from '../validation/names.ts';

export const coreEventRules: KindRules = {
  name: pathSegmentName,
  allowCreateOnUpdate: true,
  validate: (object, errors) => checkNamespace(object, object['involvedObject'] as Reference, errors),
};

export const eventRules: KindRules = {
  name: pathSegmentName,
  allowCreateOnUpdate: true,
  validate: (object, errors) => {
    checkNamespace(object, object['regarding'] as Reference | undefined, errors);
    const name = object.metadata.name ?? '';
    errors.invalidFor('metadata.name', name, subdomainName(name));
    checkNewEvent(object, errors);
  },
};

/** From events.k8s.io/v1 to what is stored. */
export function encodeEvent(event: KubeObject): KubeObject {
  const {
    regarding,
    note,
    reportingController,
    deprecatedSource,
    deprecatedCount,
    deprecatedFirstTimestamp,
    ...rest
  } = event;
  const { deprecatedLastTimestamp, ...others } = rest;
  return {
    ...others,
    apiVersion: 'v1',
    kind: 'Event',
    metadata: event.metadata,
    involvedObject: regarding ?? {},
    source: deprecatedSource ?? {},
    ...(note === undefined ? {} : { message: note }),
    ...(deprecatedCount === undefined ? {} : { count: deprecatedCount }),
    firstTimestamp: deprecatedFirstTimestamp ?? null,
    lastTimestamp: deprecatedLastTimestamp ?? null,
    reportingComponent: reportingController ?? '',
    reportingInstance: event['reportingInstance'] ?? '',
  } as KubeObject;
}

/** The inverse. */
export function decodeEvent(event: KubeObject): KubeObject {
  const {
    involvedObject,
    message,
    reportingComponent,
    reportingInstance,
    source,
    count,
    firstTimestamp,
    ...rest
  } = event;
  const { lastTimestamp, ...others } = rest;
  return {
    ...others,
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: event.metadata,
    regarding: involvedObject ?? {},
    ...(message === undefined ? {} : { note: message }),
    ...(reportingComponent ? { reportingController: reportingComponent } : {}),
    ...(reportingInstance ? { reportingInstance } : {}),
    deprecatedSource: source ?? {},
    deprecatedFirstTimestamp: firstTimestamp ?? null,
    deprecatedLastTimestamp: lastTimestamp ?? null,
    ...(count === undefined ? {} : { deprecatedCount: count }),
  } as KubeObject;
}

// ---------------------------------------------------------------------------------------------------

interface Reference {
  readonly namespace?: string;
  readonly kind?: string;
}

/** An event is in the namespace of its object; events about cluster-scoped objects are in `default`. */
function checkNamespace(event: KubeObject, about: Reference | undefined, errors: FieldErrors): void {
  const namespace = about?.namespace ?? '';
  const own = event.metadata.namespace ?? '';
  const expected = namespace === '' ? 'default' : namespace;
  if (own === expected || (namespace === '' && own === 'kube-system')) return;
  errors.invalid('involvedObject.namespace', namespace, 'does not match event.namespace');
}

const LIMITS = [
  ['action', 128],
  ['reason', 128],
  ['note', 1024],
] as const;

function checkNewEvent(event: KubeObject, errors: FieldErrors): void {
  if (event['eventTime'] === undefined || event['eventTime'] === null) errors.required('eventTime');
  else {
    const controller = (event['reportingController'] as string | undefined) ?? '';
    if (controller === '') errors.required('reportingController');
    else errors.invalidFor('reportingController', controller, qualifiedName(controller));
    const instance = (event['reportingInstance'] as string | undefined) ?? '';
    if (instance === '') errors.required('reportingInstance');
    else if (instance.length > 128) errors.invalid('repotingInstance', '', 'can have at most 128 characters');
    for (const [field, most] of LIMITS) {
      const value = (event[field] as string | undefined) ?? '';
      if (field !== 'note' && value === '') errors.required(field);
      else if (value.length > most) errors.invalid(field, '', `can have at most ${most} characters`);
    }
  }
  checkOldFields(event, errors);
  const type = (event['type'] as string | undefined) ?? '';
  if (type !== 'Normal' && type !== 'Warning') errors.invalid('type', '', `has invalid value: ${type}`);
}

/** An event of the new form uses only the new fields. */
function checkOldFields(event: KubeObject, errors: FieldErrors): void {
  if (Object.keys((event['deprecatedSource'] ?? {}) as object).length > 0)
    errors.invalid('source', '', 'needs to be unset');
  if (event['deprecatedCount']) errors.invalid('count', '', 'needs to be unset');
  for (const field of ['First', 'Last'] as const) {
    const time = event[`deprecated${field}Timestamp`];
    if (time !== undefined && time !== null)
      errors.invalid(`${field.toLowerCase()}Timestamp`, '', 'needs to be unset');
  }
}
