/**
 * The rate limits of ARM: calls stay within the token buckets that the options define, and after a 429 no call with the same
 * limit is sent before the given time.
 */
import type { Check, MakeCheck, Traffic } from '../../checks/check.ts';
import { type Rate, TokenBuckets } from '../../checks/rates.ts';

/** The defaults of the options. */
const RATES: Readonly<Record<string, Rate>> = {
  read: { perSecond: 25, burst: 250 },
  write: { perSecond: 10, burst: 200 },
  delete: { perSecond: 10, burst: 200 },
  query: { perSecond: 3, burst: 15 },
};
/** A 429 that says that one resource is busy throttles nothing else. */
const ONE_RESOURCE = /"code":"(?:Retryable|ReferencedResource)/;

export const armRateLimits: MakeCheck = (view): Check => {
  const { clock } = view.servers.world;
  const buckets = new TokenBuckets(clock);
  const closedUntilMs = new Map<string, number>();
  return {
    name: 'rate limits',
    onSend(traffic) {
      const lane = laneOf(traffic);
      if (lane === undefined) return;
      const key = `${traffic.process} ${lane}`;
      const rate = RATES[lane]!;
      if (!buckets.take(key, rate))
        view.violated(this.name, `${key}: more than ${rate.perSecond} calls per second`);
      if (clock.monotonic() < (closedUntilMs.get(closedBy(traffic, key)) ?? 0))
        view.violated(
          this.name,
          `${key}: ${traffic.method} ${traffic.path} before the time given by Retry-After`,
        );
    },
    onAnswer(traffic, status, headers, text = '') {
      const lane = laneOf(traffic);
      const seconds = Number(headers?.get('retry-after') ?? Number.NaN);
      if (status !== 429 || lane === undefined || !(seconds > 0)) return;
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

function laneOf({ server, method, path }: Traffic): string | undefined {
  if (server !== 'cloud') return undefined;
  if (/Microsoft\.ResourceGraph/i.test(path)) return 'query';
  if (!path.startsWith('/subscriptions/')) return undefined;
  if (method === 'GET' || method === 'HEAD') return 'read';
  return method === 'DELETE' ? 'delete' : 'write';
}
