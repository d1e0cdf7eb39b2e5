/**
 * Makes the Strategy of a built-in kind out of its shape and its rules: how it is read, what a client may set on
 * creation, on update and through the status, when its generation counts up, and that its metadata is checked.
 */
import type { KubeObject, ObjectMeta } from '@chandler/kube';
import { DecodeError } from '../decode/scalars.ts';
import { cannotBeHandled, enforceFieldValidation } from '../decode/strict.ts';
import { decodeTyped } from '../decode/typed.ts';
import type { FieldError } from '../errors.ts';
import type { RequestContext, Strategy } from '../resource.ts';
import { foreignKindError } from './foreign-kind.ts';
import type { KindRules } from './rules.ts';
import type { BuiltinStructure } from './structures.ts';
import { FieldErrors, sameValue } from './validation/field-errors.ts';
import { checkFinalizerNames, checkMetadata, checkMetadataUpdate } from './validation/metadata.ts';
import { subdomainName } from './validation/names.ts';

export interface BuiltinKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly structure: BuiltinStructure;
}

export function builtinStrategy(type: BuiltinKind, rules: KindRules): Strategy {
  return new BuiltinStrategy(type, rules);
}

/** Reads any parsed value as a kind; for subresources with a kind of their own (Scale, Eviction, Binding). */
export function decodeAs(
  type: BuiltinKind,
  parsed: unknown,
  context: Pick<RequestContext, 'fieldValidation' | 'warn'>,
  duplicates: readonly string[] = [],
): KubeObject {
  const given = (parsed ?? {}) as Record<string, unknown>;
  const apiVersion = type.group === '' ? type.version : `${type.group}/${type.version}`;
  const subject = { kind: type.kind, version: type.version };
  const foreign = foreignKindError(given, type, apiVersion);
  if (foreign !== undefined) throw foreign;
  let unknown: readonly string[];
  try {
    unknown = decodeTyped(given, type.structure);
  } catch (error) {
    if (error instanceof DecodeError) throw cannotBeHandled(subject, error.message);
    if (error instanceof RangeError) throw cannotBeHandled(subject, 'exceeded max depth');
    throw error;
  }
  enforceFieldValidation({ duplicates, unknown }, subject, context);
  given['apiVersion'] = apiVersion;
  given['kind'] = type.kind;
  return given as KubeObject;
}

// ---------------------------------------------------------------------------------------------------

class BuiltinStrategy implements Strategy {
  readonly allowCreateOnUpdate: boolean;
  readonly allowUnconditionalUpdate: boolean;
  readonly gracePeriodSeconds?: (object: KubeObject, requested: number | undefined) => number;
  readonly #type: BuiltinKind;
  readonly #rules: KindRules;
  readonly #hasStatus: boolean;
  readonly #generation: boolean | 'fixed';
  /** The fields beside apiVersion, kind, metadata and status: what makes the generation count up. */
  readonly #desired: readonly string[];

  constructor(type: BuiltinKind, rules: KindRules) {
    const fields = Object.keys(type.structure.properties ?? {});
    this.#type = type;
    this.#rules = rules;
    this.#hasStatus = fields.includes('status');
    this.#generation = rules.generation ?? (this.#hasStatus && fields.includes('spec'));
    this.#desired = fields.filter((field) => !NOT_DESIRED.has(field));
    this.allowCreateOnUpdate = rules.allowCreateOnUpdate ?? false;
    this.allowUnconditionalUpdate = rules.allowUnconditionalUpdate ?? true;
    if (rules.gracePeriodSeconds !== undefined) this.gracePeriodSeconds = rules.gracePeriodSeconds;
  }

  decode(parsed: unknown, context: RequestContext, duplicates?: readonly string[]): KubeObject {
    const object = decodeAs(this.#type, parsed, context, duplicates);
    this.#rules.defaults?.(object);
    return object;
  }

  prepareForCreate(object: KubeObject, context: RequestContext): void {
    if (this.#hasStatus && !this.#rules.keepsStatusOnCreate) resetStatus(object, this.#type.structure);
    if (this.#generation !== false) object.metadata.generation = 1;
    this.#rules.prepareForCreate?.(object, context);
  }

  validateCreate(object: KubeObject, context: RequestContext): FieldError[] {
    const errors = new FieldErrors();
    checkMetadata(object.metadata, this.#type.namespaced, this.#rules.name ?? subdomainName, errors);
    checkFinalizerNames(object.metadata, errors);
    this.#rules.validate?.(object, errors, context);
    this.#rules.validateNew?.(object, errors, context);
    if (errors.list.length === 0) {
      this.#rules.warnings?.(object, undefined, (text) => context.warn(text));
      this.#rules.settle?.(object);
    }
    return errors.list;
  }

  prepareForUpdate(next: KubeObject, current: KubeObject, context: RequestContext): void {
    keepSystemFields(next.metadata, current.metadata);
    if (context.subresource === 'status') this.#prepareStatus(next, current);
    else if (this.#hasStatus && context.subresource === undefined) copyField(next, current, 'status');
    this.#rules.prepareForUpdate?.(next, current, context);
    if (this.#generation === true && this.#desired.some((field) => !sameValue(next[field], current[field]))) {
      next.metadata.generation = (current.metadata.generation ?? 0) + 1;
    }
  }

  validateUpdate(next: KubeObject, current: KubeObject, context: RequestContext): FieldError[] {
    const errors = new FieldErrors();
    checkMetadataUpdate(next.metadata, current.metadata, errors);
    checkFinalizerNames(next.metadata, errors);
    if (this.#rules.revalidatesMetadata && context.subresource === undefined) {
      checkMetadata(next.metadata, this.#type.namespaced, this.#rules.name ?? subdomainName, errors);
      checkFinalizerNames(next.metadata, errors);
    }
    if (context.subresource === 'status') this.#rules.validateStatus?.(next, current, errors, context);
    else if (context.subresource === undefined || VALIDATED_SUBRESOURCES.has(context.subresource)) {
      if (this.#rules.revalidates ?? true) this.#rules.validate?.(next, errors, context);
      this.#rules.validateUpdate?.(next, current, errors, context);
      if (errors.list.length === 0) this.#rules.warnings?.(next, current, (text) => context.warn(text));
    }
    return errors.list;
  }

  /** Through the status only the status may change, and for some kinds labels and annotations. */
  #prepareStatus(next: KubeObject, current: KubeObject): void {
    for (const field of this.#desired) copyField(next, current, field);
    if (this.#rules.statusKeepsLabels) copyField(next.metadata, current.metadata, 'labels');
  }
}

const NOT_DESIRED: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata', 'status']);
const VALIDATED_SUBRESOURCES: ReadonlySet<string> = new Set([
  'scale',
  'ephemeralcontainers',
  'resize',
  'approval',
  'finalize',
]);

function resetStatus(object: KubeObject, structure: BuiltinStructure): void {
  const status = structure.properties?.['status'];
  if (status === undefined) return;
  if (status.pointer) delete object['status'];
  else object['status'] = status.zero();
}

/** Fields that the server fills in when the client omits them. */
function keepSystemFields(next: ObjectMeta, current: ObjectMeta): void {
  if (current.generation === undefined) delete next.generation;
  else next.generation = current.generation;
  for (const field of [
    'uid',
    'creationTimestamp',
    'deletionTimestamp',
    'deletionGracePeriodSeconds',
  ] as const) {
    if (next[field] === undefined) copyField(next, current, field);
  }
}

function copyField<T extends object>(next: T, current: T, field: keyof T): void {
  if (current[field] === undefined) delete next[field];
  else next[field] = current[field];
}
