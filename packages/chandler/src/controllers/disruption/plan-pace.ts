/** When the next plan is due: soon after a change, when something that keeps a node ends, and from time to time in any case. */
import type { Clock } from '@chandler/kube';
import type { DisruptionPlan } from '../../disruption/index.ts';
import type { Changes } from './changes.ts';

/** Between two passes. */
export const PERIOD_MS = 10_000;
/** Prices and availability change without a trigger. */
const MAX_PAUSE_MS = 5 * 60_000;
/** Passes take at most this share of the time, */
const MAX_SHARE = 0.1;
/** but the next is not put off longer than this: repair waits for it, too. */
const MAX_REST_MS = 60_000;

export class PlanPace {
  readonly #clock: Clock;
  readonly #changes: Changes;
  /** Monotonic: not before, and at the latest. */
  #fromMs = Number.NEGATIVE_INFINITY;
  #byMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, changes: Changes) {
    this.#clock = clock;
    this.#changes = changes;
  }

  isDue(): boolean {
    const nowMs = this.#clock.monotonic();
    return nowMs >= this.#fromMs && (this.#changes.pending || nowMs >= this.#byMs);
  }

  planned(plan: DisruptionPlan, tookMs: number): void {
    const nowMs = this.#clock.monotonic();
    this.#fromMs = nowMs + Math.min(MAX_REST_MS, tookMs * (1 / MAX_SHARE - 1));
    this.#byMs = nowMs + this.#pauseMs(plan);
  }

  /** At the latest after this time. */
  within(ms: number): void {
    this.#byMs = Math.min(this.#byMs, this.#clock.monotonic() + ms);
  }

  /** Until the first time at which something that keeps a node ends. */
  #pauseMs({ nodes }: DisruptionPlan): number {
    const nowMs = this.#clock.now();
    let pauseMs = MAX_PAUSE_MS;
    for (const { keeps } of nodes)
      for (const keep of keeps) {
        const why = 'block' in keep ? keep.block : keep.rejection;
        const { untilMs } = why.code === 'Frozen' ? why.freeze : 'untilMs' in why ? why : {};
        // Launches are allowed again without a change of any object, at a time that may not be known.
        if (why.code === 'Nominated' || (why.code === 'LaunchesHeld' && untilMs === undefined))
          pauseMs = Math.min(pauseMs, PERIOD_MS);
        if (untilMs !== undefined) pauseMs = Math.min(pauseMs, Math.max(0, untilMs - nowMs));
      }
    return pauseMs;
  }
}
