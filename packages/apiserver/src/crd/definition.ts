/**
 * What is particular to the kind CustomResourceDefinition: defaults, what clients may not set, and its validation.
 * Metadata is checked by the caller as for any kind, except that the name must be made of plural and group.
 * `establish` decides the names a definition gets and its conditions.
 */
import type { KubeObject } from '@chandler/kube';
import { FieldErrors, sameValue } from '../builtin/validation/field-errors.ts';
import { sameJson } from '../cel/declaration.ts';
import { parseRequestUrl } from '../cel/library/request-url.ts';
import type { FieldError } from '../errors.ts';
import type { RequestContext, Strategy } from '../resource.ts';
import { checkNames, specErrors } from './definition-spec.ts';
import { storedVersionsOf } from './establish.ts';
import { isKnownFormat } from './formats.ts';
import { subschemas } from './structural.ts';
import { type CrdSpec, type JsonSchema, specOf, statusOf } from './types.ts';

export { establish } from './establish.ts';

/** In the form of Strategy's functions; what is absent here is as for any built-in kind. */
export interface DefinitionHooks {
  defaults(object: KubeObject): void;
  readonly prepareForCreate: Strategy['prepareForCreate'];
  readonly validateCreate: Strategy['validateCreate'];
  readonly prepareForUpdate: Strategy['prepareForUpdate'];
  readonly validateUpdate: Strategy['validateUpdate'];
}

export const definitionHooks: DefinitionHooks = {
  defaults(object) {
    const { names } = specOf(object);
    const spec = specOf(object);
    names.singular ||= (names.kind ?? '').toLowerCase();
    if (!names.listKind && names.kind) names.listKind = `${names.kind}List`;
    if (!names.singular) delete names.singular;
    spec.conversion ??= { strategy: 'None' };
    const service = spec.conversion.webhook?.clientConfig?.service;
    if (service !== undefined) service['port'] ??= 443;
  },

  prepareForCreate(object) {
    object.metadata.generation = 1;
    object['status'] = { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: null };
    const storage = specOf(object).versions.find((version) => version.storage);
    if (storage !== undefined) object['status'] = { ...statusOf(object), storedVersions: [storage.name] };
  },

  validateCreate(object, context) {
    for (const format of unknownFormats(specOf(object)))
      context.warn(`unrecognized format ${JSON.stringify(format)}`);
    return [
      ...nameErrors(object),
      ...specErrors(specOf(object)),
      ...storedVersionErrors(object),
      ...approvalErrors(object, undefined),
      ...preserveErrors(object, undefined),
    ];
  },

  prepareForUpdate(next, current, context) {
    if (context.subresource === 'status') {
      next['spec'] = current['spec'];
      return;
    }
    next['status'] = structuredClone(statusOf(current));
    const { generation = 0 } = current.metadata;
    next.metadata.generation = sameJson(next['spec'], current['spec']) ? generation : generation + 1;
    const storedVersions = storedVersionsOf(next);
    if (storedVersions.length > 0) next['status'] = { ...statusOf(next), storedVersions };
  },

  validateUpdate(next, current, context) {
    const errors = new FieldErrors();
    const accepted = statusOf(next).acceptedNames;
    if (context.subresource === 'status') {
      if (accepted !== undefined) checkNames(accepted, 'status.acceptedNames', errors);
      return errors.list;
    }
    warnOfNewFormats(next, current, context);
    errors.list.push(...specErrors(specOf(next)));
    checkFixed(next, current, errors);
    return [
      ...errors.list,
      ...storedVersionErrors(next),
      ...approvalErrors(next, current),
      ...preserveErrors(next, current),
    ];
  },
};

// ---------------------------------------------------------------------------------------------------

const APPROVED = 'api-approved.kubernetes.io';
const APPROVAL_HELP = 'see https://github.com/kubernetes/enhancements/pull/1111';

function nameErrors(object: KubeObject): FieldError[] {
  const { names, group } = specOf(object);
  const { name = '' } = object.metadata;
  if (name === `${names.plural}.${group}`) return [];
  const detail = 'must be spec.names.plural+"."+spec.group';
  return [{ reason: 'FieldValueInvalid', field: 'metadata.name', value: name, detail }];
}

function storedVersionErrors(object: KubeObject): FieldError[] {
  const errors = new FieldErrors();
  const stored = statusOf(object).storedVersions ?? [];
  const path = 'status.storedVersions';
  if (stored.length === 0) errors.invalid(path, null, 'must have at least one stored version');
  else {
    const { versions } = specOf(object);
    for (const { name, storage } of versions) {
      if (storage && !stored.includes(name))
        errors.invalid(path, stored, `must have the storage version ${name}`);
    }
    stored.forEach((name, index) => {
      if (versions.some((version) => version.name === name)) return;
      const why = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
      errors.invalid(`${path}[${index}]`, name, why);
    });
  }
  return errors.list;
}

/** Groups of the Kubernetes community are not for everyone to use. */
function approvalErrors(object: KubeObject, old: KubeObject | undefined): FieldError[] {
  const { group } = specOf(object);
  if (!/(^|\.)(k8s|kubernetes)\.io$/.test(group ?? '')) return [];
  const state = approvalOf(object);
  if (old !== undefined && approvalOf(old) === state) return [];
  const errors = new FieldErrors();
  const field = `metadata.annotations[${APPROVED}]`;
  const must = `protected groups must have approval annotation "${APPROVED}"`;
  if (state === 'missing') errors.required(field, `${must}, ${APPROVAL_HELP}`);
  if (state === 'invalid') {
    const why = `${must} with either a URL or a reason starting with "unapproved", ${APPROVAL_HELP}`;
    errors.invalid(field, object.metadata.annotations?.[APPROVED], why);
  }
  return errors.list;
}

function approvalOf(object: KubeObject): 'missing' | 'bypassed' | 'approved' | 'invalid' {
  const text = object.metadata.annotations?.[APPROVED] ?? '';
  if (text === '') return 'missing';
  if (text.startsWith('unapproved')) return 'bypassed';
  const url = parseRequestUrl(text);
  return typeof url === 'object' && url.host !== '' && url.scheme !== '' ? 'approved' : 'invalid';
}

function preserveErrors(object: KubeObject, old: KubeObject | undefined): FieldError[] {
  const preserved = old !== undefined && specOf(old).preserveUnknownFields;
  if (preserved || !specOf(object).preserveUnknownFields) return [];
  return [
    {
      reason: 'FieldValueInvalid',
      field: 'spec.preserveUnknownFields',
      value: true,
      detail:
        'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
    },
  ];
}

function checkFixed(next: KubeObject, current: KubeObject, errors: FieldErrors): void {
  const [to, from] = [specOf(next), specOf(current)];
  const conditions = statusOf(current).conditions ?? [];
  const established = conditions.some(({ type, status }) => type === 'Established' && status === 'True');
  const fixed = (field: string, value: unknown, old: unknown) => {
    if (!sameValue(value, old)) errors.immutable(field, value, old);
  };
  if (established) {
    fixed('spec.scope', to.scope, from.scope);
    fixed('spec.names.kind', to.names.kind, from.names.kind);
  }
  fixed('spec.group', to.group, from.group);
  fixed('spec.names.plural', to.names.plural, from.names.plural);
}

function unknownFormats(spec: CrdSpec): string[] {
  return spec.versions.flatMap((version) => {
    const schema = version.schema?.openAPIV3Schema;
    return schema === undefined ? [] : formatsIn(schema);
  });
}

function formatsIn(schema: JsonSchema): string[] {
  const own = schema.format && !isKnownFormat(schema.type ?? '', schema.format) ? [schema.format] : [];
  return [...own, ...subschemas(schema).flatMap(formatsIn)];
}

function warnOfNewFormats(next: KubeObject, current: KubeObject, context: RequestContext): void {
  const known = new Set(unknownFormats(specOf(current)));
  for (const format of unknownFormats(specOf(next))) {
    if (!known.has(format)) context.warn(`unrecognized format ${JSON.stringify(format)}`);
  }
}
