/** When a budget is active, for the time line of Savings: its windows of the last and the next day, and whether one is open. */
import {
  type Cron,
  CronError,
  DurationError,
  isWindowActive,
  parseCron,
  parseDuration,
} from '@chandler/kube';
import type { Budget } from '../../api/index.ts';
import type { wire } from '../../dashboard/index.ts';

export interface BudgetWindows {
  /** As disruption decides it. */
  readonly isActive: boolean;
  /** Of many, those nearest to now. */
  readonly windows: wire.BudgetLine['windows'];
}

/** A schedule that cannot be read has none: the controller says what is wrong with it. */
export function budgetWindows({ schedule, duration }: Budget, nowMs: number): BudgetWindows {
  const range = { fromMs: nowMs - DAY_MS, toMs: nowMs + DAY_MS };
  if (schedule === undefined || duration === undefined) return { isActive: true, windows: [range] };
  try {
    const cron = parseCron(schedule);
    const length = parseDuration(duration);
    const windows = windowsAround(cron, Number(length / 1_000_000n), range);
    return { isActive: isWindowActive(cron, length, nowMs), windows };
  } catch (error) {
    if (error instanceof CronError || error instanceof DurationError) return { isActive: false, windows: [] };
    throw error;
  }
}

// ---------------------------------------------------------------------------------------------------

const DAY_MS = 24 * 3600_000;
/** A schedule has at most one hit in each. */
const MINUTE_MS = 60_000;
/** Before now, and as many from now on: a budget that opens every minute has more. */
const MAX_WINDOWS = 50;

interface Window {
  fromMs: number;
  toMs: number;
}

/** Hits are looked up around now, not from the first that could still count: with a long duration those are millions. */
function windowsAround(cron: Cron, lengthMs: number, { fromMs, toMs }: Window): readonly Window[] {
  const nowMs = (fromMs + toMs) / 2;
  const clipped = (window: Window) => ({
    fromMs: Math.max(fromMs, window.fromMs),
    toMs: Math.min(toMs, window.toMs),
  });
  const later: Window[] = [];
  let hitMs = lastHit(cron, nowMs, nowMs - lengthMs) ?? cron.next(nowMs);
  let openedMs = nowMs;
  if (hitMs !== undefined) openedMs = opening(cron, lengthMs, hitMs, fromMs);
  while (hitMs !== undefined && hitMs < toMs && later.length < MAX_WINDOWS) {
    const window = {
      fromMs: later.length === 0 ? openedMs : hitMs,
      toMs: closing(cron, lengthMs, hitMs, toMs),
    };
    later.push(window);
    hitMs = cron.next(window.toMs);
  }
  const earlier: Window[] = [];
  let beforeMs = Math.min(openedMs, nowMs);
  while (beforeMs > fromMs && earlier.length < MAX_WINDOWS) {
    const lastMs = lastHit(cron, beforeMs - 1, fromMs - lengthMs);
    if (lastMs === undefined || lastMs + lengthMs <= fromMs) break;
    beforeMs = opening(cron, lengthMs, lastMs, fromMs);
    earlier.unshift({ fromMs: beforeMs, toMs: lastMs + lengthMs });
  }
  return [...earlier, ...later].map(clipped);
}

/** The last hit up to a moment, and after another. */
function lastHit(cron: Cron, atMs: number, afterMs: number): number | undefined {
  let hitMs = hitUpTo(cron, afterMs, atMs);
  if (hitMs === undefined) return undefined;
  // No hit is after it.
  let endMs = atMs;
  while (endMs - hitMs >= MINUTE_MS) {
    const middleMs = Math.floor((hitMs + endMs) / 2);
    const laterMs = hitUpTo(cron, middleMs, atMs);
    if (laterMs === undefined) endMs = middleMs;
    else hitMs = laterMs;
  }
  return hitUpTo(cron, hitMs, atMs) ?? hitMs;
}

function hitUpTo(cron: Cron, afterMs: number, atMs: number): number | undefined {
  const hitMs = cron.next(afterMs);
  return hitMs !== undefined && hitMs <= atMs ? hitMs : undefined;
}

/** When the window opened that a hit prolongs. Hits before the range do not matter. */
function opening(cron: Cron, lengthMs: number, hitMs: number, fromMs: number): number {
  let openMs = hitMs;
  while (openMs > fromMs) {
    const earlierMs = hitUpTo(cron, openMs - lengthMs - 1, openMs - 1);
    if (earlierMs === undefined) break;
    openMs = earlierMs;
  }
  return openMs;
}

/** When the window closes that a hit opened or prolongs. Hits after the range do not matter. */
function closing(cron: Cron, lengthMs: number, hitMs: number, toMs: number): number {
  let closeMs = hitMs + lengthMs;
  let lastMs = hitMs;
  while (closeMs < toMs) {
    const nextMs = hitUpTo(cron, lastMs, closeMs);
    if (nextMs === undefined) break;
    lastMs = nextMs;
    closeMs = nextMs + lengthMs;
  }
  return closeMs;
}
