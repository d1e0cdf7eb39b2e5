/**
 * When a request that failed is sent again. One pause holds for all claims that wait for it, so that a request for many of
 * them is not sent once for each.
 */
import type { CloudError } from '../../index.ts';

import { HELD_BACK } from '../errors/index.ts';

export interface RequestFailure {
  readonly error: CloudError;
  /** How often in a row. */
  readonly times: number;
  readonly notBeforeMs: number;
}

export interface WaitingPhase {
  readonly retryAfterMs: number;
  /** Our own rate limit holds the request back. */
  readonly rateLimited?: boolean;
}

export function requestFailure(
  error: CloudError,
  before: Pick<RequestFailure, 'times'> | undefined,
  nowMs: number,
): RequestFailure {
  const times = (before?.times ?? 0) + 1;
  return { error, times, notBeforeMs: nowMs + retryMs(error, times) };
}

/** Until it may be sent again; undefined when it may now. */
export function pauseAfter(failure: RequestFailure | undefined, nowMs: number): WaitingPhase | undefined {
  if (failure === undefined || nowMs >= failure.notBeforeMs) return undefined;
  return { retryAfterMs: failure.notBeforeMs - nowMs, rateLimited: failure.error.code === HELD_BACK };
}

/** How long to wait after so many failures in a row. */
export function retryMs(error: CloudError, times: number): number {
  const toldMs = error.advice.retry === 'after' ? error.advice.ms : 0;
  // Our own rate limit says exactly when it is its turn.
  if (error.code === HELD_BACK) return toldMs;
  const { firstMs, maxMs } = error.kind === 'Throttled' ? THROTTLED : FAILED;
  return Math.max(toldMs, Math.min(maxMs, firstMs * 2 ** (times - 1)));
}

// ---------------------------------------------------------------------------------------------------------------

const THROTTLED = { firstMs: 10_000, maxMs: 60_000 } as const;
const FAILED = { firstMs: 1_000, maxMs: 30_000 } as const;
