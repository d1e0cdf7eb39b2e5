/** Manners: calls stay within the buckets that the options promise, and whoever was told to wait waits. */
import { type Check, isBesides, isWrite, type MakeCheck, type Traffic } from './check.ts';

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
/** Rounding, and calls that were let go a moment before. */
const SLACK = 2;

export const callRatesHold: MakeCheck = (view): Check => {
  const buckets = new Map<string, { tokens: number; atMs: number }>();
  const closedUntilMs = new Map<string, number>();
  const { clock } = view.servers.world;
  return {
    name: 'call rates hold',
    onSend(traffic) {
      const lane = laneOf(traffic);
      if (lane === undefined) return;
      const key = `${traffic.process} ${lane}`;
      const rate = RATES[lane]!;
      const nowMs = clock.monotonic();
      const bucket = buckets.get(key) ?? { tokens: rate.burst, atMs: nowMs };
      const tokens = Math.min(rate.burst, bucket.tokens + ((nowMs - bucket.atMs) / 1000) * rate.perSecond);
      buckets.set(key, { tokens: tokens - 1, atMs: nowMs });
      if (tokens - 1 < -SLACK) view.violated(this.name, `${key}: more than ${rate.perSecond}/s`);
      if (nowMs < (closedUntilMs.get(key) ?? 0))
        view.violated(this.name, `${key}: ${traffic.method} ${traffic.path} though it was told to wait`);
    },
    onAnswer(traffic, status, headers) {
      const lane = laneOf(traffic);
      const seconds = Number(headers?.get('retry-after') ?? Number.NaN);
      if (status !== 429 || traffic.server !== 'arm' || lane === undefined || !(seconds > 0)) return;
      const key = `${traffic.process} ${lane}`;
      const untilMs = clock.monotonic() + seconds * 1000;
      closedUntilMs.set(key, Math.max(untilMs, closedUntilMs.get(key) ?? 0));
    },
  };
};

// ---------------------------------------------------------------------------------------------------

function laneOf(traffic: Traffic): string | undefined {
  const { server, method, path } = traffic;
  if (server === 'kube') return isBesides(traffic) || /[?&]watch=/.test(traffic.query) ? undefined : 'kube';
  if (!path.startsWith('/subscriptions/') && !/Microsoft\.ResourceGraph/i.test(path)) return undefined;
  if (/Microsoft\.ResourceGraph/i.test(path)) return 'query';
  if (!isWrite({ method })) return 'read';
  return method === 'DELETE' ? 'delete' : 'write';
}
