/**
 * Assembles the transport in the required order: retries outside, so that every attempt is limited,
 * measured and fenced; the fence inside, so that nothing waits between its check and the wire.
 */
import { type Fence, withFence } from '../leader/fence.ts';
import type { World } from '../world.ts';
import { withDeadline } from './deadline.ts';
import { type RateLimitOptions, withRateLimit } from './rate-limit.ts';
import { withRequestMetrics } from './request-metrics.ts';
import { withRetry } from './retry.ts';
import { type Transport, withUserAgent } from './transport.ts';

export interface ShapeOptions extends RateLimitOptions {
  readonly world: Pick<World, 'clock' | 'random' | 'metrics'>;
  /** Label of the request metrics. */
  readonly host: string;
  /** The name of the program in audit logs. */
  readonly userAgent: string;
  /** Absent: writes are always allowed (leader election itself, one-off commands). */
  readonly fence?: Fence;
  /** False: no rate limit (leader election). Default true. */
  readonly limited?: boolean;
  /** Longest time for an ordinary request. Default 60 s. */
  readonly timeoutMs?: number;
}

export function shapedTransport(wire: Transport, options: ShapeOptions): Transport {
  const { world, host, userAgent, fence, limited = true, timeoutMs } = options;
  let send = withUserAgent(wire, userAgent);
  if (fence) send = withFence(send, fence);
  send = withDeadline(send, world.clock, timeoutMs === undefined ? {} : { timeoutMs });
  send = withRequestMetrics(send, world, host);
  if (limited) send = withRateLimit(send, world, options);
  return withRetry(send, world);
}
