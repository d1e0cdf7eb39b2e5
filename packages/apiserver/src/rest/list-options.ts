/**
 * The options of list, watch and deletecollection, and what they select. Which revision is read is decided by
 * list.ts and watch.ts; here the options are only read and checked.
 */
import type { KubeObject } from '@chandler/kube';
import { badRequest, type FieldError, invalid } from '../errors.ts';
import type { Resource } from '../resource.ts';
import {
  checkFieldSelector,
  type FieldSelector,
  parseFieldSelector,
  selectedName,
  selectsFields,
} from './field-selector.ts';
import { queryFlag, queryInteger } from './go-values.ts';
import { type LabelSelector, parseLabelSelector, selectsLabels } from './label-selector.ts';

export interface ListOptions {
  readonly watch: boolean;
  readonly labels: LabelSelector;
  readonly fields: FieldSelector;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: '' | 'Exact' | 'NotOlderThan';
  readonly limit: number;
  readonly continue: string;
  readonly timeoutSeconds: number | undefined;
  readonly allowWatchBookmarks: boolean;
  /** Undefined when the request says nothing and no legacy form implies it. */
  readonly sendInitialEvents: boolean | undefined;
}

const NO_OPTIONS: ListOptions = {
  watch: false,
  labels: [],
  fields: [],
  resourceVersion: '',
  resourceVersionMatch: '',
  limit: 0,
  continue: '',
  timeoutSeconds: undefined,
  allowWatchBookmarks: false,
  sendInitialEvents: undefined,
};

/** `name` is the object that the path names, for a watch of one object. */
export function listOptionsOf(
  query: URLSearchParams | undefined,
  resource: Resource,
  name: string | undefined,
  watchByPath = false,
): ListOptions {
  const raw = query === undefined ? NO_OPTIONS : read(query);
  const options = impliedInitialEvents(watchByPath ? { ...raw, watch: true } : raw);
  const errors = options.watch ? watchErrors(options) : listErrors(options);
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', errors);
  checkFieldSelector(options.fields, resource);
  return name === undefined ? options : restrictedTo(name, options);
}

/** Whether an object (in the resource's version) is selected by the request. The namespace is not checked. */
export function isSelected(options: ListOptions, object: KubeObject, resource: Resource): boolean {
  if (options.labels.length > 0 && !selectsLabels(options.labels, object.metadata.labels)) return false;
  return options.fields.length === 0 || selectsFields(options.fields, object, resource);
}

export function selectsEverything(options: ListOptions): boolean {
  return options.labels.length === 0 && options.fields.length === 0;
}

// ---------------------------------------------------------------------------------------------------

function read(query: URLSearchParams): ListOptions {
  return {
    watch: queryFlag(query, 'watch') ?? false,
    labels: parseLabelSelector(query.get('labelSelector') ?? ''),
    fields: parseFieldSelector(query.get('fieldSelector') ?? ''),
    resourceVersion: query.get('resourceVersion') ?? '',
    resourceVersionMatch: (query.get('resourceVersionMatch') ?? '') as ListOptions['resourceVersionMatch'],
    limit: queryInteger(query, 'limit') ?? 0,
    continue: query.get('continue') ?? '',
    timeoutSeconds: queryInteger(query, 'timeoutSeconds'),
    allowWatchBookmarks: queryFlag(query, 'allowWatchBookmarks') ?? false,
    sendInitialEvents: queryFlag(query, 'sendInitialEvents'),
  };
}

/** A watch from nowhere, or from "0", has always begun with what is there. */
function impliedInitialEvents(options: ListOptions): ListOptions {
  if (!options.watch || options.sendInitialEvents !== undefined || options.resourceVersionMatch !== '')
    return options;
  if (options.resourceVersion !== '' && options.resourceVersion !== '0') return options;
  return { ...options, sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' };
}

function listErrors(options: ListOptions): FieldError[] {
  const errors: FieldError[] = [];
  const match = options.resourceVersionMatch;
  if (match !== '') {
    if (options.resourceVersion === '') {
      errors.push(matchForbidden('resourceVersionMatch is forbidden unless resourceVersion is provided'));
    }
    if (options.continue !== '')
      errors.push(matchForbidden('resourceVersionMatch is forbidden when continue is provided'));
    if (match !== 'Exact' && match !== 'NotOlderThan') {
      errors.push(matchUnsupported(match, '"Exact", "NotOlderThan", ""'));
    }
    if (match === 'Exact' && options.resourceVersion === '0') {
      errors.push(matchForbidden('resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
    }
  }
  if (options.sendInitialEvents !== undefined) {
    errors.push({
      reason: 'FieldValueForbidden',
      field: 'sendInitialEvents',
      detail: 'sendInitialEvents is forbidden for list',
    });
  }
  return errors;
}

function watchErrors(options: ListOptions): FieldError[] {
  const errors: FieldError[] = [];
  const match = options.resourceVersionMatch;
  if (options.sendInitialEvents !== undefined && match !== 'NotOlderThan') {
    errors.push(matchForbidden('sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'));
  }
  if (match === '') return errors;
  if (options.sendInitialEvents === undefined) {
    errors.push(
      matchForbidden('resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'),
    );
  }
  if (match !== 'NotOlderThan') errors.push(matchUnsupported(match, '"NotOlderThan"'));
  if (options.continue !== '')
    errors.push(matchForbidden('resourceVersionMatch is forbidden when continue is provided'));
  return errors;
}

function matchForbidden(detail: string): FieldError {
  return { reason: 'FieldValueForbidden', field: 'resourceVersionMatch', detail };
}

function matchUnsupported(value: string, supported: string): FieldError {
  return {
    reason: 'FieldValueNotSupported',
    field: 'resourceVersionMatch',
    value,
    detail: `supported values: ${supported}`,
  };
}

function restrictedTo(name: string, options: ListOptions): ListOptions {
  if (options.fields.length === 0)
    return { ...options, fields: [{ path: 'metadata.name', equal: true, value: name }] };
  if (selectedName(options.fields) !== name)
    throw badRequest("fieldSelector metadata.name doesn't match requested name");
  return options;
}
