/**
 * The rate limits of AWS: calls stay within the token buckets that EC2 documents, and after an answer that throttles nothing of the
 * same kind is sent for a while, which in EC2 grows with every further one. Calls of another service share one limit, and one that
 * is answered ends its growth.
 */
import { EC2_LIMITS } from '@chandler/cloudsim/aws/testing';
import type { Check, MakeCheck, Traffic } from '../../checks/check.ts';
import { type Rate, TokenBuckets } from '../../checks/rates.ts';

const THROTTLES = /RequestLimitExceeded|Throttling|TooManyRequests/;
/** After the first answer that throttles; twice as long after the next. */
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 30_000;

export const awsRateLimits: MakeCheck = (view): Check => {
  const { clock } = view.servers.world;
  const buckets = new TokenBuckets(clock);
  const closed = new Map<string, { readonly untilMs: number; readonly count: number }>();
  /** When each request was sent that has no answer yet: those in flight are throttled together. */
  const sentMs = new WeakMap<Traffic, number>();
  return {
    name: 'rate limits',
    onSend(traffic) {
      if (traffic.server !== 'cloud') return;
      const key = `${traffic.process} ${traffic.path}`;
      const nowMs = clock.monotonic();
      sentMs.set(traffic, nowMs);
      const rate = rateOf(traffic);
      if (rate !== undefined && !buckets.take(key, rate))
        view.violated(this.name, `${key}: more than ${rate.perSecond} calls per second`);
      const untilMs = closed.get(key)?.untilMs ?? 0;
      if (nowMs < untilMs) view.violated(this.name, `${key}: sent ${untilMs - nowMs} ms too early`);
    },
    onAnswer(traffic, status, _headers, text = '') {
      if (traffic.server !== 'cloud') return;
      const key = `${traffic.process} ${traffic.path}`;
      const [known, nowMs] = [closed.get(key), clock.monotonic()];
      const inFlight = known !== undefined && (sentMs.get(traffic) ?? 0) < known.untilMs;
      if (status < 400 || !THROTTLES.test(text)) {
        if (!inFlight) closed.delete(key);
        return;
      }
      if (inFlight) return;
      const count = traffic.path.startsWith('ec2:') ? (known?.count ?? 0) + 1 : 1;
      const pauseMs = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (count - 1));
      closed.set(key, { untilMs: nowMs + pauseMs, count });
    },
  };
};

// ---------------------------------------------------------------------------------------------------

/** Undefined: no documented limit. */
function rateOf({ path, body }: Traffic): Rate | undefined {
  const [service, action = ''] = path.split(':');
  if (service !== 'ec2') return undefined;
  const own = EC2_LIMITS.actions[action];
  if (own !== undefined) return own;
  if (!/^(?:Describe|Get)/.test(action)) return EC2_LIMITS.mutating;
  const narrows = Object.keys(body as object).some((name) => !/^(?:Action|Version|DryRun)$/.test(name));
  return narrows ? EC2_LIMITS.nonMutating : EC2_LIMITS.unfiltered;
}
