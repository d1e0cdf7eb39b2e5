/**
 * Safe retries: a server that asks for it (429, or 503 with Retry-After: the request was not executed), and
 * a connection that broke during a read. A write whose answer was lost is never repeated here: its
 * effect is unknown, and the next reconcile reads the state first.
 */
import type { Clock, Metrics, Random } from '../world.ts';
import {
  type Transport,
  TransportError,
  type TransportRequest,
  type TransportResponse,
} from './transport.ts';

export interface RetryOptions {
  /** Maximum number of retries on request of the server. Default 10, as client-go. */
  readonly maxRetries?: number;
  /** Maximum number of retries of a read after its connection broke. Default 3. */
  readonly maxResets?: number;
  /** Maximum Retry-After that is waited for here; a longer one is returned to the caller. Default 60 s. */
  readonly maxWaitMs?: number;
}

export function withRetry(
  send: Transport,
  world: { readonly clock: Clock; readonly random: Random; readonly metrics: Metrics },
  options: RetryOptions = {},
): Transport {
  const { maxRetries = 10, maxResets = 3, maxWaitMs = 60_000 } = options;
  const retries = world.metrics.counter({
    name: 'rest_client_request_retries_total',
    help: 'Requests that were sent again, by status code and verb.',
    labels: ['code', 'verb'],
  });
  return async (request) => {
    let resets = 0;
    for (let attempt = 0; ; attempt++) {
      const outcome = await send(request).catch((error: unknown) => ({ error }));
      if ('error' in outcome) {
        if (!mayResend(request, outcome.error) || resets >= maxResets) throw outcome.error;
        resets += 1;
        retries.add(1, { code: '<error>', verb: request.method });
        await world.clock.sleep(100 * 2 ** resets * (0.5 + world.random.next()), request.signal);
        continue;
      }
      const waitMs = waitAsked(request, outcome, world.clock.now());
      if (waitMs === undefined || attempt >= maxRetries || waitMs > maxWaitMs) return outcome;
      outcome.cancel();
      retries.add(1, { code: String(outcome.status), verb: request.method });
      await world.clock.sleep(waitMs * (1 + 0.1 * world.random.next()), request.signal);
    }
  };
}

/** Seconds, or a date, as HTTP has it. Undefined where there is none or it cannot be read. */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined || header === '') return undefined;
  if (/^\d+(\.\d+)?$/.test(header)) return Number(header) * 1000;
  const atMs = Date.parse(header);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}

// ------------------------------------------------------------------------------------------------

function mayResend(request: TransportRequest, error: unknown): boolean {
  if (request.method !== 'GET' || request.stream || request.retry === false) return false;
  return error instanceof TransportError && error.kind === 'reset';
}

function waitAsked(request: TransportRequest, answer: TransportResponse, nowMs: number): number | undefined {
  if (request.retry === false) return undefined;
  if (answer.status !== 429 && answer.status !== 503) return undefined;
  return retryAfterMs(answer.headers['retry-after'], nowMs);
}
