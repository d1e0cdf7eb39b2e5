/**
 * The options of a write: CreateOptions, UpdateOptions, PatchOptions (from the query) and DeleteOptions
 * (from the body, else the query), validated with the messages of a real server.
 */
import { badRequest, type FieldError, invalid } from '../errors.ts';
import type { FieldValidation } from '../resource.ts';
import { queryFlag, queryInteger, quoted } from './go-values.ts';

export interface WriteOptions {
  readonly dryRun: boolean;
  /** As given; empty when the request names none. */
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
  readonly force: boolean;
}

export interface DeleteOptions {
  readonly dryRun: boolean;
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: 'Foreground' | 'Background' | 'Orphan';
  readonly orphanDependents?: boolean;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

export const NO_WRITE_OPTIONS: WriteOptions = {
  dryRun: false,
  fieldManager: '',
  fieldValidation: 'Warn',
  force: false,
};

export function writeOptionsOf(
  query: URLSearchParams | undefined,
  kind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions',
  apply = false,
): WriteOptions {
  if (query === undefined && !apply) return NO_WRITE_OPTIONS;
  const errors: FieldError[] = [];
  const fieldManager = query?.get('fieldManager') ?? '';
  const force = query === undefined ? undefined : queryFlag(query, 'force');
  if (apply && fieldManager === '') {
    errors.push({
      reason: 'FieldValueRequired',
      field: 'fieldManager',
      detail: 'is required for apply patch',
    });
  }
  if (kind === 'PatchOptions' && !apply && force !== undefined) {
    errors.push({
      reason: 'FieldValueForbidden',
      field: 'force',
      detail: 'may not be specified for non-apply patch',
    });
  }
  errors.push(...fieldManagerErrors(fieldManager));
  const dryRun = query?.getAll('dryRun') ?? [];
  errors.push(...dryRunErrors(dryRun));
  const fieldValidation = query?.get('fieldValidation') ?? '';
  if (!['', 'Ignore', 'Strict', 'Warn'].includes(fieldValidation)) {
    errors.push({
      reason: 'FieldValueNotSupported',
      field: 'fieldValidation',
      value: fieldValidation,
      detail: 'supported values: "", "Ignore", "Strict", "Warn"',
    });
  }
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind }, '', errors);
  return {
    dryRun: dryRun.length > 0,
    fieldManager,
    fieldValidation: fieldValidation === '' ? 'Warn' : (fieldValidation as FieldValidation),
    force: force ?? false,
  };
}

/** The manager of a request that names none: its program, from User-Agent. */
export function managerOf(options: { fieldManager: string }, userAgent: string | undefined): string {
  if (options.fieldManager !== '') return options.fieldManager;
  const program = (userAgent ?? '').split('/', 1)[0]!;
  const printable = program.replace(/[^\x20-\x7e]/g, '').slice(0, MAX_MANAGER);
  return printable === '' ? 'unknown' : printable;
}

/** `body` is the parsed body, undefined when there is none. */
export function deleteOptionsOf(body: unknown, query: URLSearchParams | undefined): DeleteOptions {
  const options = body === undefined ? fromQuery(query ?? new URLSearchParams()) : fromBody(body);
  const errors: FieldError[] = [];
  const { propagationPolicy } = options;
  if (options.orphanDependents !== undefined && propagationPolicy !== undefined) {
    errors.push({
      reason: 'FieldValueInvalid',
      field: 'propagationPolicy',
      value: propagationPolicy,
      detail: 'orphanDependents and deletionPropagation cannot be both set',
    });
  }
  if (propagationPolicy !== undefined && !PROPAGATION.includes(propagationPolicy)) {
    errors.push({
      reason: 'FieldValueNotSupported',
      field: 'propagationPolicy',
      value: propagationPolicy,
      detail: 'supported values: "Foreground", "Background", "Orphan", "nil"',
    });
  }
  errors.push(...dryRunErrors(options.dryRun));
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', errors);
  return { ...options, dryRun: options.dryRun.length > 0 } as DeleteOptions;
}

// ---------------------------------------------------------------------------------------------------

const MAX_MANAGER = 128;
const PROPAGATION: readonly string[] = ['Foreground', 'Background', 'Orphan'];

interface RawDeleteOptions extends Omit<DeleteOptions, 'dryRun' | 'propagationPolicy'> {
  readonly dryRun: readonly string[];
  readonly propagationPolicy?: string;
}

function fromQuery(query: URLSearchParams): RawDeleteOptions {
  const gracePeriodSeconds = queryInteger(query, 'gracePeriodSeconds');
  const orphanDependents = queryFlag(query, 'orphanDependents');
  const propagationPolicy = query.get('propagationPolicy');
  return {
    dryRun: query.getAll('dryRun'),
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(orphanDependents === undefined ? {} : { orphanDependents }),
    ...(propagationPolicy === null ? {} : { propagationPolicy }),
  };
}

/** Go's name for the type that each field wants. */
const FIELD_TYPES: Readonly<Record<string, { type: string; ok: (value: unknown) => boolean }>> = {
  gracePeriodSeconds: { type: 'int64', ok: (value) => Number.isInteger(value) },
  orphanDependents: { type: 'bool', ok: (value) => typeof value === 'boolean' },
  propagationPolicy: { type: 'v1.DeletionPropagation', ok: (value) => typeof value === 'string' },
  dryRun: { type: '[]string', ok: (value) => Array.isArray(value) },
  preconditions: {
    type: 'v1.Preconditions',
    ok: (value) => typeof value === 'object' && !Array.isArray(value),
  },
};

function fromBody(body: unknown): RawDeleteOptions {
  if (body === null) return { dryRun: [] };
  const given = body as Record<string, unknown>;
  const kind = given['kind'] ?? '';
  if (kind !== '' && kind !== 'DeleteOptions') {
    throw badRequest(
      `no kind ${quoted(String(kind))} is registered for version ${quoted(String(given['apiVersion'] ?? 'v1'))} in scheme "pkg/runtime/scheme.go:111"`,
    );
  }
  const options: Record<string, unknown> = { dryRun: [] };
  for (const [field, { type, ok }] of Object.entries(FIELD_TYPES)) {
    const value = given[field];
    if (value === undefined || value === null) continue;
    if (!ok(value)) {
      const found = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
      throw badRequest(
        `json: cannot unmarshal ${found} into Go struct field DeleteOptions.${field} of type ${type}`,
      );
    }
    options[field] = value;
  }
  return options as unknown as RawDeleteOptions;
}

function dryRunErrors(values: readonly string[]): FieldError[] {
  if (values.every((value) => value === 'All')) return [];
  return [
    { reason: 'FieldValueNotSupported', field: 'dryRun', value: values, detail: 'supported values: "All"' },
  ];
}

function fieldManagerErrors(manager: string): FieldError[] {
  const errors: FieldError[] = [];
  if (manager.length > MAX_MANAGER) {
    errors.push({
      reason: 'FieldValueTooLong',
      field: 'fieldManager',
      detail: `may not be more than ${MAX_MANAGER} bytes`,
    });
  }
  let position = 0;
  for (const char of manager) {
    const code = char.codePointAt(0)!;
    if (code < 0x20 || (code >= 0x7f && code < 0xa0)) {
      const point = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
      errors.push({
        reason: 'FieldValueInvalid',
        field: 'fieldManager',
        value: manager,
        detail: `invalid character ${point} (at position ${position})`,
      });
    }
    position += Buffer.byteLength(char);
  }
  return errors;
}
