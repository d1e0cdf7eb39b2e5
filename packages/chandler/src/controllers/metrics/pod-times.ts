/**
 * When a pod was first seen pending, first scheduled, and since when it is considered schedulable. In memory only,
 * for metrics: the provisioner records it, `pods.ts` reads and forgets it.
 */
import type { Clock, Histogram, World } from '@chandler/kube';
import { DURATION_BUCKETS } from '../../cloud/index.ts';

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

  /** The pod is pending. Only the first call counts. */
  seen(uid: string): void {
    if (!this.#times.has(uid)) this.#times.set(uid, { seenMs: this.#clock.now() });
  }

  /** A plan placed the pod, or did not. */
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

  /** Since when it waits for a plan; undefined once it was planned. */
  undecidedSinceMs(uid: string): number | undefined {
    const times = this.#times.get(uid);
    return times?.decidedMs === undefined ? times?.seenMs : undefined;
  }

  /** Since when it is considered schedulable. */
  schedulableSinceMs(uid: string): number | undefined {
    return this.#times.get(uid)?.schedulableMs;
  }

  forget(uid: string): void {
    this.#times.delete(uid);
  }
}
