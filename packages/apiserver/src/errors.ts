/**
 * The errors of the API server: Status objects with the code, reason and message of a real one.
 * Handlers throw `ApiError`; the HTTP layer turns it into the answer. An invalid field is a
 * `FieldError`, a value, and many of them make one `invalid` answer.
 */
import type { Status, StatusCause, StatusDetails } from '@chandler/kube';

export class ApiError extends Error {
  readonly code: number;
  readonly reason: string;
  readonly details: StatusDetails | undefined;
  /** A list that cannot be continued still returns how to go on. */
  readonly continue: string | undefined;

  constructor(code: number, reason: string, message: string, details?: StatusDetails, continuation?: string) {
    super(message);
    this.name = 'ApiError';
    this.code = code;
    this.reason = reason;
    this.details = details;
    this.continue = continuation;
  }

  toStatus(): Status {
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: this.continue === undefined ? {} : { continue: this.continue },
      status: 'Failure',
      message: this.message,
      ...(this.reason === '' ? {} : { reason: this.reason }),
      ...(this.details === undefined ? {} : { details: this.details }),
      code: this.code,
    };
  }
}

/** A resource as messages name it: `pods`, `deployments.apps`. */
export interface QualifiedResource {
  readonly group: string;
  readonly plural: string;
}

export function qualify(resource: QualifiedResource): string {
  return resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`;
}

export function notFound(resource: QualifiedResource, name: string): ApiError {
  return new ApiError(404, 'NotFound', `${qualify(resource)} "${name}" not found`, detailsOf(resource, name));
}

export function alreadyExists(resource: QualifiedResource, name: string): ApiError {
  return new ApiError(
    409,
    'AlreadyExists',
    `${qualify(resource)} "${name}" already exists`,
    detailsOf(resource, name),
  );
}

export function conflict(resource: QualifiedResource, name: string, why: string): ApiError {
  return new ApiError(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${qualify(resource)} "${name}": ${why}`,
    detailsOf(resource, name),
  );
}

export const STALE_OBJECT =
  'the object has been modified; please apply your changes to the latest version and try again';

export function forbidden(resource: QualifiedResource, name: string, why: string): ApiError {
  const subject = name === '' ? qualify(resource) : `${qualify(resource)} "${name}"`;
  return new ApiError(403, 'Forbidden', `${subject} is forbidden: ${why}`, detailsOf(resource, name));
}

export function badRequest(message: string): ApiError {
  return new ApiError(400, 'BadRequest', message);
}

export function methodNotAllowed(
  message = 'the server does not allow this method on the requested resource',
): ApiError {
  return new ApiError(405, 'MethodNotAllowed', message, {});
}

/** An unknown path: the message of a real server for a resource type it does not have. */
export function noSuchResource(): ApiError {
  return new ApiError(404, 'NotFound', 'the server could not find the requested resource', {});
}

/** What needs a running container: there is none, because nodes and containers are simulated. */
export function noContainers(resource: QualifiedResource, name: string, subresource: string): ApiError {
  return new ApiError(
    501,
    'NotImplemented',
    `${subresource} is not available for ${qualify(resource)} ${goQuoted(name)}: nodes are simulated here, and no container is run`,
    { name, ...(resource.group === '' ? {} : { group: resource.group }), kind: resource.plural },
  );
}

export function expired(message: string): ApiError {
  return new ApiError(410, 'Expired', message);
}

export function unsupportedMediaType(message: string): ApiError {
  return new ApiError(415, 'UnsupportedMediaType', message, {});
}

/** An error without a reason of its own: what a real server makes of a Go error that it did not expect. */
export function internalFault(message: string): ApiError {
  return new ApiError(500, '', message);
}

export function internalError(message: string): ApiError {
  return new ApiError(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] });
}

/** 504 for a resourceVersion that the server has not reached. */
export function tooLargeResourceVersion(wanted: string, current: number): ApiError {
  return new ApiError(504, 'Timeout', `Timeout: Too large resource version: ${wanted}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });
}

export function tooManyRequests(
  message: string,
  retryAfterSeconds: number,
  causes?: StatusCause[],
): ApiError {
  return new ApiError(429, 'TooManyRequests', message, {
    ...(causes === undefined ? {} : { causes }),
    ...(retryAfterSeconds > 0 ? { retryAfterSeconds } : {}),
  });
}

/** 422: the object's fields are wrong. `kind` is the Kind with its group, as messages name it. */
export function invalid(
  kind: { group: string; kind: string },
  name: string,
  errors: readonly FieldError[],
): ApiError {
  const qualified = kind.group === '' ? kind.kind : `${kind.kind}.${kind.group}`;
  const texts = [...new Set(errors.map(fieldErrorText))];
  const joined = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
  return new ApiError(422, 'Invalid', `${qualified} "${name}" is invalid: ${joined}`, {
    ...(name === '' ? {} : { name }),
    ...(kind.group === '' ? {} : { group: kind.group }),
    ...(kind.kind === '' ? {} : { kind: kind.kind }),
    causes: errors.map((error) => ({
      reason: error.reason,
      message: fieldErrorBody(error),
      field: error.field,
    })),
  });
}

export type FieldErrorReason =
  | 'FieldValueNotFound'
  | 'FieldValueRequired'
  | 'FieldValueDuplicate'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueForbidden'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'FieldValueTypeInvalid'
  | 'InternalError';

export interface FieldError {
  readonly reason: FieldErrorReason;
  /** As Kubernetes writes it: `spec.containers[0].name`, `metadata.labels`. */
  readonly field: string;
  readonly detail: string;
  /** Printed for reasons that show the value (invalid, duplicate, not supported, not found, wrong type). */
  readonly value?: unknown;
}

/** The message without its field: what goes into a cause. */
export function fieldErrorBody(error: FieldError): string {
  const head = HEADS[error.reason];
  // A rule over a whole object shows no value: such an error is made without one.
  const shown =
    SHOWS_VALUE.has(error.reason) && 'value' in error ? `${head}: ${shownValue(error.value)}` : head;
  return error.detail === '' ? shown : `${shown}: ${error.detail}`;
}

export function fieldErrorText(error: FieldError): string {
  return `${error.field}: ${fieldErrorBody(error)}`;
}

// ---------------------------------------------------------------------------------------------------

const HEADS: Readonly<Record<FieldErrorReason, string>> = {
  FieldValueNotFound: 'Not found',
  FieldValueRequired: 'Required value',
  FieldValueDuplicate: 'Duplicate value',
  FieldValueInvalid: 'Invalid value',
  FieldValueNotSupported: 'Unsupported value',
  FieldValueForbidden: 'Forbidden',
  FieldValueTooLong: 'Too long',
  FieldValueTooMany: 'Too many',
  FieldValueTypeInvalid: 'Invalid value',
  InternalError: 'Internal error',
};

const SHOWS_VALUE: ReadonlySet<FieldErrorReason> = new Set([
  'FieldValueNotFound',
  'FieldValueTooMany',
  'FieldValueDuplicate',
  'FieldValueInvalid',
  'FieldValueNotSupported',
  'FieldValueTypeInvalid',
]);

/** Go writes control characters as `\\x01` where JSON has `\\u0001`. */
function goQuoted(text: string): string {
  return JSON.stringify(text).replace(/\\u00([01][0-9a-f])/g, '\\x$1');
}

function shownValue(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'string') return goQuoted(value);
  if (typeof value === 'number') return goNumber(value);
  return typeof value === 'object' ? goJson(value) : String(value);
}

/** Go's JSON keeps these three away from HTML. */
function goJson(value: object): string {
  return JSON.stringify(value).replace(/[<>&]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`);
}

/** Go prints a fraction with an exponent from a million on, and below a ten-thousandth. */
function goNumber(value: number): string {
  const size = Math.abs(value);
  if (Number.isInteger(value) || (size < 1e6 && size >= 1e-4)) return String(value);
  return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
}

function detailsOf(resource: QualifiedResource, name: string): StatusDetails {
  return {
    ...(name === '' ? {} : { name }),
    ...(resource.group === '' ? {} : { group: resource.group }),
    kind: resource.plural,
  };
}
