/**
 * What AWS said, or why it said nothing, in one shape: from the exceptions of the SDK, from the errors inside an answer of
 * CreateFleet, from pages of a proxy. What it means is decided in `classify.ts`. An error of the program is rethrown: it
 * is no answer of AWS.
 */
import { HIDDEN, rethrowProgramError, withoutSecrets } from '@chandler/kube';

/** Codes of our own, for what never got as far as an error of AWS. */
export const NO_ANSWER = 'NoAnswer';
export const BAD_ANSWER = 'BadAnswer';
export const NO_CREDENTIALS = 'NoCredentials';
/** Our own rate limit; nothing was sent. */
export const HELD_BACK = 'HeldBack';

export interface AwsErrorOptions {
  /** As on the wire: `UnauthorizedOperation`. */
  readonly code: string;
  readonly message: string;
  /** Other names for the code, such as that of the class in the SDK. */
  readonly aliases?: readonly string[];
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

export class AwsError extends Error {
  override readonly name = 'AwsError';
  readonly code: string;
  /** The code first, then its other names. */
  readonly codes: readonly string[];
  /** Of the HTTP answer; undefined when there was none, or when the error stood inside an answer. */
  readonly status: number | undefined;
  /** For a support ticket, and to find the call in CloudTrail. */
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;
  /** What `aws sts decode-authorization-message` reads. Long, so it is not part of the message. */
  readonly encodedDenial: string | undefined;

  /** Secrets that AWS repeats are removed from the message. */
  constructor(options: AwsErrorOptions) {
    const { message, encodedDenial } = splitDenial(options.message);
    super(withoutSignedParts(message), options.cause === undefined ? {} : { cause: options.cause });
    this.codes = [...new Set([options.code, ...(options.aliases ?? [])].map(withoutSide))];
    this.code = this.codes[0]!;
    this.status = options.status;
    this.requestId = options.requestId;
    this.retryAfterMs = options.retryAfterMs;
    this.encodedDenial = encodedDenial;
  }

  /** Code and message: what the rows of the error table search. */
  get text(): string {
    return this.message === '' ? this.code : `${this.code}: ${this.message}`;
  }
}

/** @throws the error itself when it is one of the program. */
export function toAwsError(thrown: unknown): AwsError {
  if (thrown instanceof AwsError) return thrown;
  const error = (typeof thrown === 'object' && thrown !== null ? thrown : {}) as SdkException;
  const shared = {
    status: error.$metadata?.httpStatusCode,
    requestId: error.$metadata?.requestId,
    retryAfterMs: retryAfterMs(error.$response?.headers?.['retry-after']),
  };
  const message = messageOf(thrown);
  if (error.$fault === undefined && '$response' in error) {
    // The SDK could not read the answer: a page of a proxy, or a body that stops in the middle.
    return new AwsError({ ...shared, code: BAD_ANSWER, message: beginningOf(message) });
  }
  rethrowProgramError(thrown);
  if (CREDENTIAL_ERRORS.has(error.name ?? '')) return new AwsError({ code: NO_CREDENTIALS, message });
  if (error.$fault === undefined && shared.status === undefined) {
    return new AwsError({ code: NO_ANSWER, message: withCause(error, message) });
  }
  const names = [error.Code, error.name].filter((name) => name !== undefined && !NAMELESS.has(name));
  const [code, ...aliases] = names as readonly string[];
  if (code === undefined) {
    const shown = message === '' || NAMELESS.has(message) ? 'without an error of AWS' : beginningOf(message);
    return new AwsError({ ...shared, code: BAD_ANSWER, message: `HTTP ${shared.status}: ${shown}` });
  }
  return new AwsError({ ...shared, code, aliases, message });
}

/** @param header `Retry-After` in seconds; a date, which AWS does not send, is not read. */
export function retryAfterMs(header: string | undefined): number | undefined {
  if (header === undefined || header.trim() === '') return undefined;
  const seconds = Number(header);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined;
}

// ---------------------------------------------------------------------------------------------------------------

/** An exception of the SDK, as far as it is read. */
interface SdkException {
  readonly name?: string;
  readonly message?: string;
  /** The code on the wire; `name` is that of a class of the SDK where the service's model has one. */
  readonly Code?: string;
  readonly $fault?: 'client' | 'server';
  readonly $metadata?: { readonly httpStatusCode?: number; readonly requestId?: string };
  readonly $response?: { readonly headers?: Readonly<Record<string, string>> };
  readonly cause?: unknown;
}

/** What providers of credentials throw when they have none. */
const CREDENTIAL_ERRORS: ReadonlySet<string> = new Set([
  'CredentialsProviderError',
  'TokenProviderError',
  'ProviderError',
]);

/** What the SDK calls an error for which the answer has no name. */
const NAMELESS: ReadonlySet<string> = new Set(['Error', 'Unknown', 'UnknownError', '']);

/** SignatureDoesNotMatch repeats the signed request, the session token among its headers. */
const CANONICAL_REQUEST = /\s*The Canonical String for this request should have been/;

/** What only requests to AWS have: the token of a session, and user data. */
const SIGNED_PARTS: readonly RegExp[] = [
  /(?<=x-amz-security-token[:=]\s*)[^\s&'"[]+/gi,
  /\b[A-Za-z0-9+/]{256,}={0,2}/g,
];

function withoutSignedParts(text: string): string {
  const [said = ''] = text.split(CANONICAL_REQUEST);
  return SIGNED_PARTS.reduce((rest, part) => rest.replace(part, HIDDEN), withoutSecrets(said)).trim();
}

const ENCODED_DENIAL = /\s*Encoded authorization failure message:\s*(\S+)\s*/;

function splitDenial(message: string): { message: string; encodedDenial: string | undefined } {
  const encodedDenial = ENCODED_DENIAL.exec(message)?.[1];
  return { message: message.replace(ENCODED_DENIAL, ''), encodedDenial };
}

/** Where an error was done: CloudTrail and the reason of a state change write it in front. */
function withoutSide(code: string): string {
  return code.replace(/^(?:Client|Server)\./, '');
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : ((thrown as SdkException)?.message ?? String(thrown));
}

function withCause(error: SdkException, message: string): string {
  const { cause } = error;
  return cause instanceof Error && !message.includes(cause.message)
    ? `${message}: ${cause.message}`
    : message;
}

/** Enough to see what it is. Secrets go first: half a secret has no longer the look of one. */
function beginningOf(text: string): string {
  return withoutSignedParts(text).slice(0, 200);
}
