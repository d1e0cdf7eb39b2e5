/** The result of a differential run: counts by class and reason, the limits, and which of them are exceeded. */
import { CLASSES, type Class, REASONS, type Reason } from './classes.table.ts';
import type { Verdict } from './judge.ts';

export interface Summary {
  readonly upstream: string;
  readonly seeds: string;
  readonly clusters: number;
  readonly classes: Readonly<Record<Class, number>>;
  readonly reasons: readonly ReasonCount[];
  /** Clusters in which the plan of upstream that was compared breaks a rule. */
  readonly upstreamWrong: number;
  /** Over all clusters in which both place the same number of pods: our price divided by that of upstream. */
  readonly priceRatio: number;
  /** Compared with the median of many plans of upstream, because the best of a few places more pods by luck. */
  readonly byMedian: readonly number[];
  readonly exceeded: readonly string[];
}

export interface ReasonCount {
  readonly class: Class;
  readonly reason: Reason;
  readonly count: number;
  /** The first few, to look at with `--print`. */
  readonly seeds: readonly number[];
}

/** A run with more than this fails. */
export const LIMITS = {
  wrong: 0,
  fewerPlacedUnexplained: 0,
  /** Of all clusters; must stay below. */
  moreExpensiveShare: 0.02,
  /** Of all clusters: fewer pods because none of the orders that were tried is good enough. Must stay below. */
  maxOrderShare: 0.001,
} as const;

export function summarize(verdicts: readonly Verdict[], upstream: string, seeds: string): Summary {
  const classes = Object.fromEntries(
    Object.keys(CLASSES).map((name) => [name, verdicts.filter((verdict) => verdict.class === name).length]),
  ) as Record<Class, number>;
  const alike = verdicts.filter(({ ours, upstream: theirs }) => ours.placed === theirs.placed);
  const sum = (prices: readonly number[]) => prices.reduce((total, price) => total + price, 0);
  const theirPrice = sum(alike.map((verdict) => verdict.upstream.price));
  return {
    upstream,
    seeds,
    clusters: verdicts.length,
    classes,
    reasons: reasonsOf(verdicts),
    upstreamWrong: verdicts.filter((verdict) => verdict.upstream.broken.length > 0).length,
    priceRatio: theirPrice === 0 ? 1 : sum(alike.map(({ ours }) => ours.price)) / theirPrice,
    byMedian: verdicts.filter(({ medianOf }) => medianOf !== undefined).map(({ seed }) => seed),
    exceeded: exceeded(verdicts, classes),
  };
}

export function summaryTable(summary: Summary): string {
  const { clusters, reasons } = summary;
  const share = (count: number) => `${((100 * count) / Math.max(1, clusters)).toFixed(2)} %`;
  const rows = reasons.map(({ class: name, reason, count, seeds }) => [
    name,
    reason,
    String(count),
    share(count),
    name === 'equal' || name === 'cheaper' ? '' : seeds.join(' '),
  ]);
  return [
    `${clusters} clusters (seeds ${summary.seeds}), upstream Karpenter ${summary.upstream}`,
    '',
    ...aligned([['CLASS', 'REASON', 'CLUSTERS', 'SHARE', 'SEEDS'], ...rows]),
    '',
    `upstream's plan breaks a rule: ${share(summary.upstreamWrong)} of the clusters`,
    `price, where both place as many pods: ${(100 * summary.priceRatio).toFixed(1)} % of upstream's`,
    ...(summary.byMedian.length === 0
      ? []
      : [`compared with the median of many plans of upstream: ${summary.byMedian.join(' ')}`]),
    ...summary.exceeded.map((text) => `FAILED: ${text}`),
  ].join('\n');
}

// ---------------------------------------------------------------------------------------------------

const MAX_SEEDS = 8;
const BY_ORDER: readonly Reason[] = ['limits used up', 'next to another pod'];
/** In a shorter run the share varies by chance; twice as much is allowed. */
const LARGE_RUN = 1_000;

function reasonsOf(verdicts: readonly Verdict[]): ReasonCount[] {
  return (Object.keys(CLASSES) as Class[]).flatMap((name) =>
    (Object.keys(REASONS) as Reason[]).flatMap((reason) => {
      const found = verdicts.filter((verdict) => verdict.class === name && verdict.reason === reason);
      if (found.length === 0) return [];
      const seeds = found.slice(0, MAX_SEEDS).map(({ seed }) => seed);
      return [{ class: name, reason, count: found.length, seeds }];
    }),
  );
}

function exceeded(verdicts: readonly Verdict[], classes: Readonly<Record<Class, number>>): string[] {
  const unexplained = verdicts.filter(
    (verdict) => verdict.class === 'fewer placed' && verdict.reason === 'unexplained',
  ).length;
  const problems: string[] = [];
  if (classes.wrong > LIMITS.wrong) problems.push(`${classes.wrong} plans of ours break a rule`);
  if (unexplained > LIMITS.fewerPlacedUnexplained)
    problems.push(`${unexplained} plans place fewer pods without a known reason`);
  const share = verdicts.length < LARGE_RUN ? 2 * LIMITS.moreExpensiveShare : LIMITS.moreExpensiveShare;
  const dear = classes['more expensive'];
  if (dear > 0 && dear >= share * verdicts.length)
    problems.push(`${dear} plans are more expensive; the limit is below ${100 * share} %`);
  const byOrder = verdicts.filter(({ reason }) => BY_ORDER.includes(reason)).length;
  const maxCount = verdicts.length < LARGE_RUN ? 1 : LIMITS.maxOrderShare * verdicts.length;
  if (byOrder > maxCount)
    problems.push(`${byOrder} plans place fewer pods because of their order; the limit is ${maxCount}`);
  return problems;
}

function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]!.map((_, at) => Math.max(...rows.map((row) => row[at]!.length)));
  return rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at]!))
      .join('  ')
      .trimEnd(),
  );
}
