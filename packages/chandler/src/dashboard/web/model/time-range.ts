/** A range of time that is looked at: zooming, moving, ticks, the price in it, and what happened in it by lane. Pure. */
import type { Happened, PricePoint } from '../../wire.ts';

export interface TimeRange {
  readonly fromMs: number;
  readonly toMs: number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
export const DEFAULT_SPAN_MS = 6 * HOUR_MS;
const USUAL_SPANS_MS: readonly number[] = [15 * MINUTE_MS, HOUR_MS, 3 * HOUR_MS];
const MIN_SPAN_MS = MINUTE_MS;
const MAX_SPAN_MS = 7 * 24 * HOUR_MS;

/** The shortest of some usual ranges until now that everything is in; the longest if it is too old. */
export function fitted(timesMs: readonly number[], nowMs: number): TimeRange {
  const earliestMs = timesMs.reduce((least, each) => Math.min(least, each), nowMs);
  const span = USUAL_SPANS_MS.find((each) => nowMs - each <= earliestMs) ?? DEFAULT_SPAN_MS;
  // Clocks of others may be ahead: what they say happened is shown, too.
  const toMs = timesMs.reduce(
    (most, each) => (each <= nowMs + MINUTE_MS ? Math.max(most, each) : most),
    nowMs,
  );
  return { fromMs: toMs - span, toMs };
}

/** All of it, and at least a minute. */
export function wholeOf({ fromMs, toMs }: TimeRange): TimeRange {
  return { fromMs, toMs: Math.max(toMs, fromMs + MIN_SPAN_MS) };
}

/** Larger or smaller by a factor, around a moment that stays where it is. */
export function zoomed({ fromMs, toMs }: TimeRange, factor: number, aroundMs: number): TimeRange {
  const span = Math.min(MAX_SPAN_MS, Math.max(MIN_SPAN_MS, (toMs - fromMs) * factor));
  const part = (aroundMs - fromMs) / (toMs - fromMs);
  const from = Math.round(aroundMs - span * part);
  return { fromMs: from, toMs: Math.round(from + span) };
}

/** By a part of its own length; before if it is negative. */
export function moved({ fromMs, toMs }: TimeRange, part: number): TimeRange {
  const by = Math.round((toMs - fromMs) * part);
  return { fromMs: fromMs + by, toMs: toMs + by };
}

/** Round times, at most `max` of them (and the one that the range may begin with); two where that is possible, as one is no scale. */
export function ticksIn({ fromMs, toMs }: TimeRange, max: number): number[] {
  const found = STEPS_MS.findIndex((each) => (toMs - fromMs) / each <= max);
  const at = found === -1 ? STEPS_MS.length - 1 : found;
  const ticks = multiplesOf(STEPS_MS[at]!, { fromMs, toMs });
  return ticks.length >= 2 || at === 0 ? ticks : multiplesOf(STEPS_MS[at - 1]!, { fromMs, toMs });
}

/** The prices of a range, after the one that it begins with: a price holds until the next one. */
export function pricesIn(prices: readonly PricePoint[], { fromMs, toMs }: TimeRange): readonly PricePoint[] {
  const before = prices.findLast(({ atMs }) => atMs < fromMs);
  const within = prices.filter(({ atMs }) => atMs >= fromMs && atMs <= toMs);
  return before === undefined || within[0]?.atMs === fromMs
    ? within
    : [{ ...before, atMs: fromMs }, ...within];
}

function multiplesOf(step: number, { fromMs, toMs }: TimeRange): number[] {
  const found: number[] = [];
  for (let at = Math.ceil(fromMs / step) * step; at <= toMs; at += step) found.push(at);
  return found;
}

/** None more than two and a half times the one before. */
const STEPS_MS: readonly number[] = [
  10_000,
  15_000,
  30_000,
  MINUTE_MS,
  2 * MINUTE_MS,
  5 * MINUTE_MS,
  10 * MINUTE_MS,
  15 * MINUTE_MS,
  30 * MINUTE_MS,
  HOUR_MS,
  2 * HOUR_MS,
  3 * HOUR_MS,
  6 * HOUR_MS,
  12 * HOUR_MS,
  24 * HOUR_MS,
  48 * HOUR_MS,
];

export type Lane = Happened['what'];

export const LANES = [
  'pending',
  'launch',
  'registered',
  'disruption',
  'interruption',
  'removed',
  'failure',
  'event',
] as const satisfies readonly Lane[];

export interface Bucket extends TimeRange {
  readonly lane: Lane;
  readonly count: number;
  readonly warnings: number;
}

/** What happened, counted in equal parts of the range; parts without anything are left out. */
export function bucketsOf(happened: readonly Happened[], range: TimeRange, parts: number): Bucket[] {
  const lengthMs = (range.toMs - range.fromMs) / parts;
  const counts = new Map<string, { lane: Lane; part: number; count: number; warnings: number }>();
  for (const { atMs, what, warning } of happened) {
    if (atMs < range.fromMs || atMs > range.toMs) continue;
    const part = Math.min(parts - 1, Math.floor((atMs - range.fromMs) / lengthMs));
    const key = `${what} ${part}`;
    const bucket = counts.get(key) ?? { lane: what, part, count: 0, warnings: 0 };
    bucket.count++;
    if (warning) bucket.warnings++;
    counts.set(key, bucket);
  }
  return [...counts.values()].map(({ lane, part, count, warnings }) => ({
    lane,
    count,
    warnings,
    fromMs: Math.round(range.fromMs + part * lengthMs),
    toMs: Math.round(range.fromMs + (part + 1) * lengthMs),
  }));
}
