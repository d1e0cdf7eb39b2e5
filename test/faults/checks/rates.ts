/** Rate limits: calls to Kubernetes stay within the token bucket that the options define. Clouds have limits of their own. */
import type { Clock } from '@chandler/kube';
import { type Check, isLeaseOrEvent, type MakeCheck } from './check.ts';

export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

/** The default of the options. */
const KUBE: Rate = { perSecond: 200, burst: 300 };
/** For rounding, and for calls that were released a moment before. */
const SLACK = 2;

export const rateLimits: MakeCheck = (view): Check => {
  const buckets = new TokenBuckets(view.servers.world.clock);
  return {
    name: 'rate limits',
    onSend(traffic) {
      const { server, process, query } = traffic;
      if (server !== 'kube' || isLeaseOrEvent(traffic) || /[?&]watch=/.test(query)) return;
      if (!buckets.take(process, KUBE))
        view.violated(this.name, `${process} kube: more than ${KUBE.perSecond} calls per second`);
    },
  };
};

/** Tokens of calls, by key. */
export class TokenBuckets {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #buckets = new Map<string, { readonly tokens: number; readonly atMs: number }>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** False: there were too many calls. */
  take(key: string, { perSecond, burst }: Rate): boolean {
    const nowMs = this.#clock.monotonic();
    const bucket = this.#buckets.get(key) ?? { tokens: burst, atMs: nowMs };
    const tokens = Math.min(burst, bucket.tokens + ((nowMs - bucket.atMs) / 1000) * perSecond) - 1;
    this.#buckets.set(key, { tokens, atMs: nowMs });
    return tokens >= -SLACK;
  }
}
