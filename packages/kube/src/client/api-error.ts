/**
 * Classifies the errors of an API server, once, into a closed set of kinds; no other code reads status
 * codes, reasons or messages.
 */
import type { Status } from '../object.ts';
import { TransportError } from './transport.ts';

export type ApiErrorKind =
  | 'notFound'
  | 'alreadyExists'
  | 'conflict'
  | 'unauthorized'
  | 'forbidden'
  | 'invalid'
  | 'badRequest'
  | 'methodNotAllowed'
  /** The resourceVersion or the continue token is too old. */
  | 'expired'
  | 'tooManyRequests'
  | 'tooLarge'
  /** The server or the deadline timed out; the effect is unknown. */
  | 'timeout'
  | 'unavailable'
  | 'internal'
  /** No answer: connection rejected or broken. The effect is unknown. */
  | 'unreachable'
  /** Not sent: this replica does not hold the lease. */
  | 'fenced'
  /** The answer was not what an API server sends. */
  | 'malformed';

export class ApiStatusError extends Error {
  readonly kind: ApiErrorKind;
  /** Absent where there was no answer. */
  readonly status: Status | undefined;
  readonly code: number | undefined;

  constructor(
    kind: ApiErrorKind,
    message: string,
    options: ErrorOptions & { status?: Status; code?: number } = {},
  ) {
    super(message, options);
    this.name = 'ApiStatusError';
    this.kind = kind;
    this.status = options.status;
    this.code = options.code ?? options.status?.code;
  }

  /** The Retry-After of the server. */
  get retryAfterMs(): number | undefined {
    const seconds = this.status?.details?.retryAfterSeconds;
    return seconds === undefined ? undefined : seconds * 1000;
  }
}

/** True when the error is an API server's, of one of these kinds. */
export function isApiError(error: unknown, ...kinds: ApiErrorKind[]): error is ApiStatusError {
  return error instanceof ApiStatusError && (kinds.length === 0 || kinds.includes(error.kind));
}

/** The result, or undefined when the API server answers with an error of one of these kinds: client-go's IgnoreNotFound. */
export async function ignoreApiErrors<T>(
  work: Promise<T>,
  ...kinds: [ApiErrorKind, ...ApiErrorKind[]]
): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (!isApiError(error, ...kinds)) throw error;
    return undefined;
  }
}

/** The answer to a failed request. The body is a Status, or anything at all when a proxy answered. */
export function errorFromAnswer(what: string, code: number, body: string): ApiStatusError {
  const status = parseStatus(body);
  if (status) return errorFromStatus(status, code);
  const excerpt = body.trim().slice(0, 200);
  const message = `${what}: the server answered ${code}${excerpt === '' ? '' : `: ${excerpt}`}`;
  // The API server explains each refusal with a Status; any other answer is that of a proxy, which decides nothing.
  const known = REFUSALS.has(code) ? undefined : KIND_BY_CODE[code];
  const kind = known ?? (code < 500 ? 'malformed' : 'internal');
  return new ApiStatusError(kind, message, { code });
}

export function errorFromStatus(status: Status, fallbackCode = 500): ApiStatusError {
  const code = status.code ?? fallbackCode;
  const message = status.message ?? status.reason ?? `the server answered ${code}`;
  return new ApiStatusError(kindOf(status.reason, code), message, { status, code });
}

/** A failure below HTTP. What is not a TransportError (an abort, a bug) is returned unchanged. */
export function errorFromTransport(error: unknown): unknown {
  if (!(error instanceof TransportError)) return error;
  return new ApiStatusError(KIND_BY_TRANSPORT[error.kind], error.message, { cause: error });
}

export function isStatus(object: unknown): object is Status {
  return typeof object === 'object' && object !== null && (object as { kind?: unknown }).kind === 'Status';
}

// ------------------------------------------------------------------------------------------------

const KIND_BY_REASON: Readonly<Record<string, ApiErrorKind | undefined>> = {
  NotFound: 'notFound',
  AlreadyExists: 'alreadyExists',
  Conflict: 'conflict',
  Unauthorized: 'unauthorized',
  Forbidden: 'forbidden',
  Invalid: 'invalid',
  BadRequest: 'badRequest',
  MethodNotAllowed: 'methodNotAllowed',
  NotAcceptable: 'badRequest',
  UnsupportedMediaType: 'badRequest',
  Expired: 'expired',
  Gone: 'expired',
  TooManyRequests: 'tooManyRequests',
  RequestEntityTooLarge: 'tooLarge',
  Timeout: 'timeout',
  ServerTimeout: 'timeout',
  ServiceUnavailable: 'unavailable',
  StoreReadError: 'internal',
  InternalError: 'internal',
};

const KIND_BY_CODE: Readonly<Record<number, ApiErrorKind | undefined>> = {
  400: 'badRequest',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'notFound',
  405: 'methodNotAllowed',
  406: 'badRequest',
  408: 'timeout',
  409: 'conflict',
  410: 'expired',
  413: 'tooLarge',
  415: 'badRequest',
  421: 'unavailable',
  422: 'invalid',
  425: 'timeout',
  429: 'tooManyRequests',
  499: 'timeout',
  503: 'unavailable',
  504: 'timeout',
};

/** Codes by which the API server refuses what was sent. */
const REFUSALS: ReadonlySet<number> = new Set([400, 403, 405, 406, 409, 413, 415, 422]);

const KIND_BY_TRANSPORT = {
  unreachable: 'unreachable',
  reset: 'unreachable',
  timeout: 'timeout',
  fenced: 'fenced',
} as const;

function kindOf(reason: string | undefined, code: number): ApiErrorKind {
  return KIND_BY_REASON[reason ?? ''] ?? KIND_BY_CODE[code] ?? (code < 500 ? 'badRequest' : 'internal');
}

function parseStatus(body: string): Status | undefined {
  try {
    const parsed: unknown = JSON.parse(body);
    return isStatus(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}
