/**
 * What went wrong on the way to Azure or in it, in one shape: from the SDK's errors, from the body of a
 * long operation's status, from answers that are not JSON or stop in the middle. It only says what was said;
 * what to make of it is decided in `cloud/azure/errors/`.
 */
import { HIDDEN, rethrowProgramError, withoutSecrets } from '@chandler/kube';

export interface ArmErrorDetail {
  readonly code: string;
  readonly message: string;
}

export interface ArmErrorOptions {
  readonly status?: number | undefined;
  readonly code: string;
  readonly message: string;
  readonly details?: readonly ArmErrorDetail[];
  readonly retryAfterMs?: number | undefined;
  readonly requestId?: string | undefined;
  readonly text?: string;
  readonly cause?: unknown;
}

/** Codes of our own, for what never got as far as an error of Azure. */
export const NO_ANSWER = 'NoAnswer';
export const BAD_ANSWER = 'BadAnswer';
export const NO_TOKEN = 'NoToken';
/** Our own limit of calls; nothing was sent. */
export const HELD_BACK = 'HeldBack';

export class ArmError extends Error {
  override readonly name = 'ArmError';
  /** Of the HTTP answer; undefined when there was none, or when a long operation failed. */
  readonly status: number | undefined;
  readonly code: string;
  /** Inner errors and details, flattened, outermost first. */
  readonly details: readonly ArmErrorDetail[];
  readonly retryAfterMs: number | undefined;
  /** `x-ms-request-id`, for a support ticket. */
  readonly requestId: string | undefined;
  /** Everything that was said: code, message, all details. What classification searches. */
  readonly text: string;

  constructor(options: ArmErrorOptions) {
    const message = redacted(options.message);
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.status = options.status;
    this.code = options.code;
    this.details = (options.details ?? []).map((detail) => ({
      code: detail.code,
      message: redacted(detail.message),
    }));
    this.retryAfterMs = options.retryAfterMs;
    this.requestId = options.requestId;
    this.text =
      options.text === undefined ? wholeText(options.code, message, this.details) : redacted(options.text);
  }

  /** Every code in it, the outer one first. */
  get codes(): readonly string[] {
    return [this.code, ...this.details.map((detail) => detail.code)];
  }
}

/** The raw answer, kept by the HTTP client while the request lives: the SDKs drop most of the body. */
export interface RawResponse {
  readonly status: number;
  readonly text: string;
  readonly retryAfterMs?: number | undefined;
  readonly requestId?: string | undefined;
}

/** Called by the HTTP client for every answer that is an error. */
export function rememberResponse(request: object, answer: RawResponse): void {
  RESPONSES.set(request, answer);
}

/** Rethrows an error of the program: a bug of ours or of an SDK is not an answer of Azure. */
export function toArmError(thrown: unknown): ArmError {
  if (thrown instanceof ArmError) return thrown;
  rethrowProgramError(thrown);
  const error = thrown as SdkError | null | undefined;
  if (error?.cause instanceof ArmError) return error.cause;
  const answer = typeof error?.request === 'object' ? RESPONSES.get(error.request) : undefined;
  if (answer !== undefined) return fromResponse(answer);
  if (error?.statusCode !== undefined) return fromSdk(error);
  const message = error instanceof Error ? error.message : String(thrown);
  if (error !== null && error !== undefined && isTokenFailure(error)) {
    return new ArmError({ status: error.statusCode, code: NO_TOKEN, message });
  }
  const code = error?.code === 'PARSE_ERROR' ? BAD_ANSWER : NO_ANSWER;
  // An error of the SDKs holds the request: its token, and the custom data of a machine. It ends here.
  const cause = error?.request === undefined ? thrown : undefined;
  return new ArmError({ code, message: causeText(error, message), cause });
}

/** From an HTTP answer with a status that is an error. */
export function fromResponse(answer: RawResponse): ArmError {
  const body = parseObject(answer.text);
  const said = body === undefined ? undefined : errorIn(body);
  const shared = {
    status: answer.status,
    retryAfterMs: answer.retryAfterMs,
    requestId: answer.requestId,
  };
  if (said === undefined) {
    const shown = beginningOf(answer.text);
    const message = `HTTP ${answer.status} ${shown === '' ? 'without a body' : `without a valid error: ${shown}`}`;
    return new ArmError({ ...shared, code: CODE_OF_STATUS[answer.status] ?? BAD_ANSWER, message });
  }
  return fromErrorBody(said, shared);
}

/** From the `error` object of a long operation's status, or of an instance view. */
export function fromErrorObject(error: unknown, fallback: string): ArmError {
  const said = isObject(error) ? error : {};
  return fromErrorBody(said, {}, fallback);
}

/** Of an answer that cannot be parsed: enough to see what it is. */
export function beginningOf(text: string): string {
  // Before it is cut: half a secret has no longer the look of one.
  return redacted(text.trim()).slice(0, 200);
}

/**
 * Azure itself says that the thing is not there. Status 404 alone does not: a proxy has pages of that number, and ARM
 * has it for a subscription that our token does not show and for a type that it does not know.
 */
export function isNotFound(error: unknown): boolean {
  const { status, code } = toArmError(error);
  return (status === undefined || status === 404) && ABSENT_CODES.has(code);
}

// ---------------------------------------------------------------------------------------------------

interface SdkError extends Error {
  readonly code?: string;
  readonly statusCode?: number;
  readonly request?: object;
  readonly details?: unknown;
}

/** As long as custom data is; ids and paths have other characters in between. */
const LONG_BASE64 = /[A-Za-z0-9+/]{256,}={0,2}/g;

/** Azure echoes requests, and scripts echo their arguments; errors end in conditions that many users may read. */
function redacted(text: string): string {
  return withoutSecrets(text).replace(LONG_BASE64, (run) =>
    /[a-z]/.test(run) && /[A-Z]/.test(run) && /\d/.test(run) ? HIDDEN : run,
  );
}

const RESPONSES = new WeakMap<object, RawResponse>();

/** A group that is gone has taken with it what was in it; so has a parent. Arc has a code of its own. */
const ABSENT_CODES: ReadonlySet<string> = new Set([
  'ResourceNotFound',
  'NotFound',
  'ParentResourceNotFound',
  'ResourceGroupNotFound',
  'RoleAssignmentNotFound',
  'HCRP404',
]);

/** Not 401, 403 and 404: without an error of Azure they may come from a proxy. */
const CODE_OF_STATUS: Readonly<Record<number, string>> = {
  409: 'Conflict',
  412: 'PreconditionFailed',
  429: 'TooManyRequests',
};

/** A tree of errors from outside may be of any depth; more than this is not read. */
const MAX_DETAILS = 50;

type ErrorBody = Readonly<Record<string, unknown>>;

function fromSdk(error: SdkError): ArmError {
  if (isTokenFailure(error)) {
    return new ArmError({ status: error.statusCode, code: NO_TOKEN, message: error.message });
  }
  const code = error.code ?? CODE_OF_STATUS[error.statusCode ?? 0] ?? BAD_ANSWER;
  return new ArmError({
    status: error.statusCode,
    code: code === 'PARSE_ERROR' ? BAD_ANSWER : code,
    message: error.message,
    details: isObject(error.details) ? flatten(errorIn(error.details) ?? error.details).slice(1) : [],
  });
}

function fromErrorBody(said: ErrorBody, shared: Partial<ArmErrorOptions>, fallback = 'Failed'): ArmError {
  const [outer, ...details] = flatten(said);
  const code = outer?.code || fallback;
  return new ArmError({ ...shared, code, message: outer?.message || code, details });
}

/** `{error: {…}}` of ARM, the two texts of a token endpoint, or the bare `{code, message}` that some providers send. */
function errorIn(body: ErrorBody): ErrorBody | undefined {
  if (isObject(body['error'])) return body['error'];
  if (typeof body['error'] === 'string') {
    const message = body['error_description'];
    return typeof message === 'string' ? { code: body['error'], message } : undefined;
  }
  return typeof body['code'] === 'string' || typeof body['Code'] === 'string' ? body : undefined;
}

function flatten(said: ErrorBody): ArmErrorDetail[] {
  const found: ArmErrorDetail[] = [];
  const pending: ErrorBody[] = [said];
  while (pending.length > 0 && found.length < MAX_DETAILS) {
    const next = pending.shift()!;
    const message = textOf(next['message'] ?? next['Message'] ?? next['errordetail']);
    found.push({ code: textOf(next['code'] ?? next['Code'] ?? next['exceptiontype']), message });
    const nested = parseObject(message);
    for (const inner of [next['innererror'], next['innerError'], nested && errorIn(nested)]) {
      if (isObject(inner)) pending.push(inner);
    }
    if (Array.isArray(next['details'])) pending.push(...next['details'].filter(isObject));
  }
  return found.filter((detail, at) => at === 0 || detail.code !== '' || detail.message !== '');
}

function isTokenFailure(error: SdkError): boolean {
  return /^(Authentication|CredentialUnavailable|AggregateAuthentication)/.test(error.name ?? '');
}

function causeText(error: SdkError | null | undefined, message: string): string {
  const inner = error?.cause;
  return inner instanceof Error && !message.includes(inner.message)
    ? `${message}: ${inner.message}`
    : message;
}

function wholeText(code: string, message: string, details: readonly ArmErrorDetail[]): string {
  return [{ code, message }, ...details].map((each) => `${each.code}: ${each.message}`).join('\n');
}

function parseObject(text: string): ErrorBody | undefined {
  if (!text.trimStart().startsWith('{')) return undefined;
  try {
    const parsed: unknown = JSON.parse(text);
    return isObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is ErrorBody {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : value === undefined || value === null ? '' : String(value);
}
