/**
 * Rate limits: calls stay within the token buckets that the options define, and after a 429 no call with the same limit is
 * sent before the given time.
 */
import { type Check, isLeaseOrEvent, isWrite, type MakeCheck, type Traffic } from './check.ts';

interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

/** The defaults of the options. */
const RATES: Readonly<Record<string, Rate>> = {
  kube: { perSecond: 200, burst: 300 },
  read: { perSecond: 25, burst: 250 },
  write: { perSecond: 10, burst: 200 },
  delete: { perSecond: 10, burst: 200 },
  query: { perSecond: 3, burst: 15 },
};
/** A 429 that says that one resource is busy throttles nothing else. */
const ONE_RESOURCE = /"code":"(?:Retryable|ReferencedResource)/;
/** For rounding, and for calls that were released a moment before. */
const SLACK = 2;

export const rateLimits: MakeCheck = (view): Check => {
  const buckets = new Map<string, { tokens: number; atMs: number }>();
  const closedUntilMs = new Map<string, number>();
  const { clock } = view.servers.world;
  return {
    name: 'rate limits',
    onSend(traffic) {
      const lane = laneOf(traffic);
      if (lane === undefined) return;
      const key = `${traffic.process} ${lane}`;
      const rate = RATES[lane]!;
      const nowMs = clock.monotonic();
      const bucket = buckets.get(key) ?? { tokens: rate.burst, atMs: nowMs };
      const tokens = Math.min(rate.burst, bucket.tokens + ((nowMs - bucket.atMs) / 1000) * rate.perSecond);
      buckets.set(key, { tokens: tokens - 1, atMs: nowMs });
      if (tokens - 1 < -SLACK)
        view.violated(this.name, `${key}: more than ${rate.perSecond} calls per second`);
      if (nowMs < (closedUntilMs.get(closedBy(traffic, key)) ?? 0))
        view.violated(
          this.name,
          `${key}: ${traffic.method} ${traffic.path} before the time given by Retry-After`,
        );
    },
    onAnswer(traffic, status, headers, text = '') {
      const lane = laneOf(traffic);
      const seconds = Number(headers?.get('retry-after') ?? Number.NaN);
      if (status !== 429 || traffic.server !== 'arm' || lane === undefined || !(seconds > 0)) return;
      if (ONE_RESOURCE.test(text)) return;
      const key = closedBy(traffic, `${traffic.process} ${lane}`);
      const untilMs = clock.monotonic() + seconds * 1000;
      closedUntilMs.set(key, Math.max(untilMs, closedUntilMs.get(key) ?? 0));
    },
  };
};

// ---------------------------------------------------------------------------------------------------

/**
 * Each resource provider has limits of its own, which are per subscription. And what is only read for a diagnosis must not
 * hold up launches: a 429 holds up its own kind.
 */
function closedBy({ path }: Traffic, key: string): string {
  const [, subscription = ''] = path.split('/subscriptions/')[1]?.match(/^([^/]+)/) ?? [];
  const provider = path.split('/providers/').at(-1)?.split('/')[0] ?? '';
  const own = `${key} of ${subscription} ${provider}`.toLowerCase();
  return /\/retrieveBootDiagnosticsData$/i.test(path) ? `${own} of serial logs` : own;
}

function laneOf(traffic: Traffic): string | undefined {
  const { server, method, path } = traffic;
  if (server === 'kube')
    return isLeaseOrEvent(traffic) || /[?&]watch=/.test(traffic.query) ? undefined : 'kube';
  if (!path.startsWith('/subscriptions/') && !/Microsoft\.ResourceGraph/i.test(path)) return undefined;
  if (/Microsoft\.ResourceGraph/i.test(path)) return 'query';
  if (!isWrite({ method })) return 'read';
  return method === 'DELETE' ? 'delete' : 'write';
}
