/**
 * How objects of a custom kind are read, what clients may set in them, and how they are checked: the steps and their
 * order are those of the real API server. What a schema demands is compiled once, when the definition is served.
 */
import type { KubeObject } from '@chandler/kube';
import { FieldErrors } from '../builtin/validation/field-errors.ts';
import { checkMetadata, checkMetadataUpdate } from '../builtin/validation/metadata.ts';
import { subdomainName } from '../builtin/validation/names.ts';
import { sameJson } from '../cel/declaration.ts';
import { unrecognised } from '../decode/parse.ts';
import { DecodeError } from '../decode/scalars.ts';
import { cannotBeHandled, enforceFieldValidation } from '../decode/strict.ts';
import { badRequest, type FieldError, type FieldErrorReason, invalid } from '../errors.ts';
import type { RequestContext, Strategy } from '../resource.ts';
import { Correlated, isFields } from './correlate.ts';
import { checkEmbedded, readEmbedded, readMetadata } from './embedded.ts';
import { finalizerWarnings } from './finalizer-names.ts';
import { checkListTypes } from './list-types.ts';
import { compileRules, type RuleCheck } from './rules.ts';
import { checkScaleSpec, checkScaleStatus } from './scale.ts';
import { compileSchema, type SchemaCheck } from './schema-check.ts';
import { applyDefaults, pruneNulls, pruneUnknown, type Shape, shapeOf } from './shape.ts';
import type { JsonSchema, ScalePaths } from './types.ts';

export interface CustomKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly schema: JsonSchema;
  /** Unknown fields are kept, as definitions of old could ask for. */
  readonly preserveUnknownFields: boolean;
  readonly hasStatus: boolean;
  readonly scale: ScalePaths | undefined;
}

export class CustomStrategy implements Strategy {
  readonly allowCreateOnUpdate = false;
  readonly allowUnconditionalUpdate = false;
  readonly #type: CustomKind;
  readonly #apiVersion: string;
  readonly #shape: Shape;
  readonly #check: SchemaCheck;
  readonly #checkStatus: SchemaCheck | undefined;
  readonly #rules: RuleCheck | undefined;

  constructor(type: CustomKind) {
    const statusSchema = type.schema.properties?.['status'];
    this.#type = type;
    this.#apiVersion = `${type.group}/${type.version}`;
    this.#shape = shapeOf(type.schema);
    this.#check = compileSchema(type.schema);
    this.#checkStatus = statusSchema === undefined ? undefined : compileSchema(statusSchema);
    this.#rules = compileRules(type.schema, true);
  }

  decode(parsed: unknown, context: RequestContext, duplicates: readonly string[] = []): KubeObject {
    const { kind, version } = this.#type;
    const given = this.#recognise(parsed);
    const subject = { kind: String(given['kind']), version, expectedKind: kind };
    let unknown: string[];
    try {
      unknown = this.#read(given);
    } catch (error) {
      if (error instanceof DecodeError) throw cannotBeHandled(subject, error.message);
      throw error;
    }
    enforceFieldValidation({ duplicates, unknown }, subject, context);
    return given as KubeObject;
  }

  /** Brings a stored object into the form of this version, in place: what changed in the schema since takes effect. */
  adopt(object: KubeObject): KubeObject {
    object.apiVersion = this.#apiVersion;
    if (!this.#type.preserveUnknownFields) {
      pruneUnknown(object, this.#shape);
      pruneNulls(object, this.#shape);
    }
    applyDefaults(object, this.#shape);
    return object;
  }

  prepareForCreate(object: KubeObject): void {
    if (this.#type.hasStatus) delete object['status'];
    object.metadata.generation = 1;
  }

  validateCreate(object: KubeObject, context: RequestContext): FieldError[] {
    const errors = new FieldErrors();
    this.#checkType(object);
    checkMetadata(object.metadata, this.#type.namespaced, subdomainName, errors);
    const list = [
      ...errors.list,
      ...this.#check(object, ''),
      ...checkScaleSpec(object, this.#type.scale),
      ...checkScaleStatus(object, this.#type.scale),
      ...checkEmbedded(object, this.#shape),
      ...checkListTypes(object, this.#type.schema),
    ];
    if (list.length === 0) warnOfFinalizers(object, [], context);
    return this.#withRules(list, () => this.#rules?.({ value: object, warn: (text) => context.warn(text) }));
  }

  prepareForUpdate(next: KubeObject, current: KubeObject, context: RequestContext): void {
    if (context.subresource === 'status') {
      replaceAllButStatus(next, current);
      return;
    }
    if (this.#type.hasStatus) {
      if (Object.hasOwn(current, 'status')) next['status'] = current['status'];
      else delete next['status'];
    }
    const { generation } = current.metadata;
    if (!sameJson(withoutMetadata(next), withoutMetadata(current)))
      next.metadata.generation = (generation ?? 0) + 1;
    else if (generation !== undefined) next.metadata.generation = generation;
  }

  validateUpdate(next: KubeObject, current: KubeObject, context: RequestContext): FieldError[] {
    const errors = new FieldErrors();
    this.#checkType(next);
    checkMetadataUpdate(next.metadata, current.metadata, errors);
    const before = new Correlated(next, current, this.#type.schema);
    const specific =
      context.subresource === 'status'
        ? this.#checkStatusOf(next, current, before)
        : this.#checkWhole(next, before, context);
    const { schema } = this.#type;
    const listErrors = checkListTypes(next, schema);
    const repeats = listErrors.length > 0 && checkListTypes(current, schema).length > 0;
    const list = [...errors.list, ...specific, ...(repeats ? [] : listErrors)];
    if (context.subresource === undefined && list.length === 0) {
      warnOfFinalizers(next, current.metadata.finalizers ?? [], context);
    }
    return this.#withRules(list, () =>
      this.#rules?.({ value: next, old: current, before, warn: (text) => context.warn(text) }),
    );
  }

  #recognise(parsed: unknown): Record<string, unknown> {
    const { kind } = this.#type;
    if (!isFields(parsed) || !parsed['kind']) {
      const text = JSON.stringify(parsed) ?? 'null';
      throw unrecognised(text, kind, `Object 'Kind' is missing in '${text}'`);
    }
    const apiVersion = parsed['apiVersion'] ?? '';
    if (apiVersion !== this.#apiVersion) {
      throw badRequest(
        `the API version in the data (${apiVersion}) does not match the expected API version (${this.#apiVersion})`,
      );
    }
    return parsed;
  }

  /** Gives the paths of unknown fields; those of the metadata come first. */
  #read(given: Record<string, unknown>): string[] {
    const unknown = readMetadata(given, '');
    if (given['kind'] !== this.#type.kind) return unknown;
    if (!this.#type.preserveUnknownFields) {
      unknown.push(...pruneUnknown(given, this.#shape));
      pruneNulls(given, this.#shape);
    }
    unknown.push(...readEmbedded(given, this.#shape));
    applyDefaults(given, this.#shape);
    return unknown;
  }

  /** A body of another kind of the same group gets this far, and is rejected under its own name. */
  #checkType(object: KubeObject): void {
    const { group, kind } = this.#type;
    if (object.kind === kind) return;
    throw invalid({ group, kind: object.kind ?? '' }, object.metadata.name ?? '', [
      { reason: 'FieldValueInvalid', field: 'kind', value: object.kind, detail: `must be ${kind}` },
    ]);
  }

  #checkWhole(next: KubeObject, before: Correlated, context: RequestContext): FieldError[] {
    const scale = this.#type.scale;
    return [
      ...this.#check(next, '', before),
      ...checkScaleSpec(next, scale),
      ...checkScaleStatus(next, scale),
      ...(context.subresource === 'scale' ? [] : checkEmbedded(next, this.#shape)),
    ];
  }

  #checkStatusOf(next: KubeObject, current: KubeObject, before: Correlated): FieldError[] {
    const statusSchema = this.#type.schema.properties?.['status'];
    const checked =
      this.#checkStatus === undefined || statusSchema === undefined || !Object.hasOwn(next, 'status')
        ? []
        : this.#checkStatus(
            next['status'],
            'status',
            before.key('status') ?? new Correlated(next['status'], current['status'], statusSchema),
          );
    return [...checked, ...checkScaleStatus(next, this.#type.scale)];
  }

  /** Rules are written for objects of the right shape: with a blocking error they are not run, and that is said. */
  #withRules(list: FieldError[], run: () => FieldError[] | undefined): FieldError[] {
    if (this.#rules === undefined) return list;
    if (list.some((error) => BLOCKING.has(error.reason))) return [...list, NOT_RUN];
    return [...list, ...(run() ?? [])];
  }
}

// ---------------------------------------------------------------------------------------------------

const BLOCKING: ReadonlySet<FieldErrorReason> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

const NOT_RUN: FieldError = {
  reason: 'FieldValueInvalid',
  field: '<nil>',
  value: null,
  detail:
    'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
};

function withoutMetadata(object: KubeObject): Record<string, unknown> {
  const { metadata: _, ...rest } = object;
  return rest;
}

/** Through the status nothing else changes; who manages which field is recorded all the same. */
function replaceAllButStatus(next: KubeObject, current: KubeObject): void {
  const status = next['status'];
  const hasStatus = Object.hasOwn(next, 'status');
  const { managedFields } = next.metadata;
  for (const key of Object.keys(next)) delete next[key];
  Object.assign(next, structuredClone(current));
  if (managedFields === undefined) delete next.metadata.managedFields;
  else next.metadata.managedFields = managedFields;
  if (hasStatus) next['status'] = status;
  else delete next['status'];
}

/** A rejected write carries no such warning. */
function warnOfFinalizers(object: KubeObject, known: readonly string[], context: RequestContext): void {
  for (const warning of finalizerWarnings(object.metadata.finalizers ?? [], known)) context.warn(warning);
}
