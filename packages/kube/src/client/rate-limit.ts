/**
 * The client-side rate limit: requests per second to the API server. Watches count once, when
 * they start. Leader election is not limited, or a busy controller would lose its lease.
 */
import { TokenBucket } from '../controller/rate-limiter.ts';
import type { Clock, Metrics } from '../world.ts';
import type { Transport } from './transport.ts';

/** The defaults of Karpenter. Options of programs take their defaults from here. */
export const DEFAULT_RATE_LIMIT = { qps: 200, burst: 300 } as const;

export interface RateLimitOptions {
  /** Requests per second. Default: `DEFAULT_RATE_LIMIT`. */
  readonly qps?: number;
  /** Burst of requests after an idle time. Default: `DEFAULT_RATE_LIMIT`. */
  readonly burst?: number;
}

export function withRateLimit(
  send: Transport,
  world: { readonly clock: Clock; readonly metrics: Metrics },
  options: RateLimitOptions = {},
): Transport {
  const { qps, burst } = { ...DEFAULT_RATE_LIMIT, ...options };
  const bucket = new TokenBucket(world.clock, { perSecond: qps, burst });
  const waited = world.metrics.histogram({
    name: 'rest_client_rate_limiter_duration_seconds',
    help: 'Time a request waited for the rate limit of the client, by verb.',
    labels: ['verb'],
    buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60],
  });
  return async (request) => {
    const waitMs = bucket.reserveMs();
    waited.observe(waitMs / 1000, { verb: request.method });
    if (waitMs > 0) {
      try {
        await world.clock.sleep(waitMs, request.signal);
      } catch (error) {
        bucket.giveBack();
        throw error;
      }
    }
    return send(request);
  };
}
