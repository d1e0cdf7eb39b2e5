/**
 * The closed set of errors of a cloud, each with advice for a retry. An error is classified once, where it occurs;
 * callers decide by `kind`.
 */
import type { Stage } from '../journey/index.ts';

export type CloudErrorKind =
  /** Nothing that fits can be launched now: the claim is deleted and its pods are planned again. */
  | 'InsufficientCapacity'
  /** The node class is not ready, or not known to be. */
  | 'NodeClassNotReady'
  /** The instance does not exist. */
  | 'NotFound'
  /** The instance cannot be created as requested; `reason` becomes the reason of the Launched condition. */
  | 'CreateFailed'
  /** An instance of another NodeClaim, or of unknown origin, has the name. */
  | 'NameTaken'
  /** Too many calls. */
  | 'Throttled'
  /** The identity may not do this, or its token is not accepted. */
  | 'Unauthorized'
  /** No response, or an invalid one: the effect of the request is unknown. */
  | 'Unreachable'
  /** The instance belongs to a service of the cloud: it is not touched. */
  | 'ManagedElsewhere'
  /** The cloud cannot reboot instances. */
  | 'RebootNotImplemented'
  /** The cloud refused to reboot this instance, and will refuse again. */
  | 'RebootFailed';

export type RetryAdvice =
  /** An error gives at least a second. */
  | { readonly retry: 'after'; readonly ms: number }
  /** With the caller's own back-off. */
  | { readonly retry: 'backoff' }
  /** The same request will fail again: something has to change first. */
  | { readonly retry: 'never' };

export interface CloudErrorOptions {
  /** For conditions and metrics: UpperCamelCase, from a closed list of the cloud. */
  readonly reason?: string;
  readonly advice?: RetryAdvice;
  /** The cloud's own code, such as `SkuNotAvailable`. */
  readonly code?: string | undefined;
  readonly cause?: unknown;
  /** Of the step that failed; the caller appends them to the claim's journey. */
  readonly stages?: readonly Stage[];
  /** The instance was created and failed; the caller deletes its NodeClaim. */
  readonly instanceFailed?: boolean;
}

export class CloudError extends Error {
  override readonly name = 'CloudError';
  readonly kind: CloudErrorKind;
  readonly reason: string;
  readonly advice: RetryAdvice;
  readonly code: string | undefined;
  readonly stages: readonly Stage[];
  readonly instanceFailed: boolean;

  /** The message is for people and may become a condition: no secrets. */
  constructor(kind: CloudErrorKind, message: string, options: CloudErrorOptions = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.kind = kind;
    this.reason = options.reason ?? DEFAULT_REASON[kind];
    this.advice = atLeast(MIN_RETRY_MS, options.advice ?? DEFAULT_ADVICE[kind]);
    this.code = options.code;
    this.stages = options.stages ?? [];
    this.instanceFailed = options.instanceFailed ?? false;
  }
}

export function isCloudError(error: unknown, kind?: CloudErrorKind): error is CloudError {
  return error instanceof CloudError && (kind === undefined || error.kind === kind);
}

// ---------------------------------------------------------------------------------------------------

const DEFAULT_REASON: Readonly<Record<CloudErrorKind, string>> = {
  InsufficientCapacity: 'InsufficientCapacityError',
  NodeClassNotReady: 'NodeClassNotReady',
  NotFound: 'NodeClaimNotFound',
  CreateFailed: 'CreateInstanceFailed',
  NameTaken: 'NameTaken',
  Throttled: 'Throttled',
  Unauthorized: 'Unauthorized',
  Unreachable: 'CloudUnreachable',
  ManagedElsewhere: 'ManagedElsewhere',
  RebootNotImplemented: 'NodeRebootNotImplemented',
  RebootFailed: 'NodeRebootFailed',
};

/** Clouds answer with a wait of 0, too: without this a call would be repeated as fast as it fails. */
const MIN_RETRY_MS = 1_000;

function atLeast(minMs: number, advice: RetryAdvice): RetryAdvice {
  return advice.retry === 'after' && advice.ms < minMs ? { retry: 'after', ms: minMs } : advice;
}

const BACKOFF: RetryAdvice = { retry: 'backoff' };
const NEVER: RetryAdvice = { retry: 'never' };

const DEFAULT_ADVICE: Readonly<Record<CloudErrorKind, RetryAdvice>> = {
  InsufficientCapacity: NEVER,
  NodeClassNotReady: BACKOFF,
  NotFound: NEVER,
  CreateFailed: BACKOFF,
  NameTaken: { retry: 'after', ms: 5_000 },
  Throttled: { retry: 'after', ms: 10_000 },
  Unauthorized: BACKOFF,
  Unreachable: BACKOFF,
  ManagedElsewhere: NEVER,
  RebootNotImplemented: NEVER,
  RebootFailed: NEVER,
};
