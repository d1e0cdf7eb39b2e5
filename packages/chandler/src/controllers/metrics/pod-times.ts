/**
 * When we first saw a pod wait, when we first decided about it, and since when we hold that it can run. Kept in memory
 * only, for metrics; the provisioner tells it, `pods.ts` reads it and says when a pod is of no interest any more.
 */
import type { Clock, Histogram, World } from '@chandler/kube';
import { DURATION_BUCKETS } from '../buckets.ts';

interface Times {
  readonly seenMs: number;
  decidedMs?: number;
  schedulableMs?: number;
}

export class PodTimes {
  readonly #clock: Clock;
  readonly #times = new Map<string, Times>();
  readonly #decision: Histogram;

  constructor({ clock, metrics }: Pick<World, 'clock' | 'metrics'>) {
    this.#clock = clock;
    this.#decision = metrics.histogram({
      name: 'karpenter_pods_scheduling_decision_duration_seconds',
      help: 'From when a waiting pod was first seen to the first decision about it.',
      buckets: DURATION_BUCKETS,
    });
  }

  get size(): number {
    return this.#times.size;
  }

  /** The pod waits for a node. Only the first time counts. */
  seen(uid: string): void {
    if (!this.#times.has(uid)) this.#times.set(uid, { seenMs: this.#clock.now() });
  }

  /** A plan found a place for it, or found none. */
  decided(uid: string, schedulable: boolean): void {
    const times = this.#times.get(uid);
    if (times === undefined) return;
    const now = this.#clock.now();
    if (times.decidedMs === undefined) {
      times.decidedMs = now;
      this.#decision.observe((now - times.seenMs) / 1000);
    }
    if (!schedulable) delete times.schedulableMs;
    else times.schedulableMs ??= now;
  }

  /** Since when it waits for a decision; undefined once there is one. */
  undecidedSinceMs(uid: string): number | undefined {
    const times = this.#times.get(uid);
    return times?.decidedMs === undefined ? times?.seenMs : undefined;
  }

  /** Since when we hold that it can run. */
  schedulableSinceMs(uid: string): number | undefined {
    return this.#times.get(uid)?.schedulableMs;
  }

  forget(uid: string): void {
    this.#times.delete(uid);
  }
}
