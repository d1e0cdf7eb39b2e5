/**
 * Calls that a cloud denied, until one of the same name is allowed. Much that the controller reads or cleans up belongs to no object
 * whose condition could say that a permission is missing; `missing-permissions.ts` reports from here.
 */
import type { Clock } from '@chandler/kube';

export interface DeniedCall<E extends Error> {
  /** The call, which may need other permissions than that of its name. */
  readonly call: string;
  /** What the cloud said last. */
  readonly error: E;
  readonly lastMs: number;
}

export class DeniedCalls<E extends Error> {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #denied = new Map<string, DeniedCall<E>>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  denied(call: string, error: E): void {
    this.#denied.set(call, { call, error, lastMs: this.#clock.monotonic() });
  }

  allowed(call: string): void {
    this.#denied.delete(call);
  }

  /** The latest first; without those that nobody has called for a day. */
  list(): readonly DeniedCall<E>[] {
    const fromMs = this.#clock.monotonic() - FORGOTTEN_MS;
    for (const { call, lastMs } of this.#denied.values()) if (lastMs < fromMs) this.#denied.delete(call);
    return [...this.#denied.values()].sort(
      (one, other) => other.lastMs - one.lastMs || (one.call < other.call ? -1 : 1),
    );
  }
}

// ---------------------------------------------------------------------------------------------------------------

const FORGOTTEN_MS = 24 * 3600_000;
