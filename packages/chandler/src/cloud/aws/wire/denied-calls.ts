/**
 * Calls that AWS denied, until one of the same name is allowed. Much that the controller reads or cleans up belongs to no object
 * whose condition could say that a permission is missing; `controllers/missing-permissions.ts` reports from here.
 */
import type { Clock } from '@chandler/kube';
import type { AwsError } from '../errors/index.ts';

export interface DeniedCall {
  /** The call, which may need other permissions than that of its name: `ec2:CreateFleet`. */
  readonly call: string;
  /** What AWS said last. */
  readonly error: AwsError;
  readonly lastMs: number;
}

export class DeniedCalls {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #denied = new Map<string, DeniedCall>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  denied(call: string, error: AwsError): void {
    this.#denied.set(call, { call, error, lastMs: this.#clock.monotonic() });
  }

  allowed(call: string): void {
    this.#denied.delete(call);
  }

  /** The latest first; without those that nobody has called for a day. */
  list(): readonly DeniedCall[] {
    const fromMs = this.#clock.monotonic() - FORGOTTEN_MS;
    for (const { call, lastMs } of this.#denied.values()) if (lastMs < fromMs) this.#denied.delete(call);
    return [...this.#denied.values()].sort(
      (one, other) => other.lastMs - one.lastMs || (one.call < other.call ? -1 : 1),
    );
  }
}

// ---------------------------------------------------------------------------------------------------------------

const FORGOTTEN_MS = 24 * 3600_000;
