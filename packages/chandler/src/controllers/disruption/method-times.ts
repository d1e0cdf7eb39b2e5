/** How long each method of a pass took, with the turns of others in between. */
import type { Clock } from '@chandler/kube';
import type { MethodName } from '../../disruption/index.ts';

export class MethodTimes {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #tookMs = new Map<MethodName, number>();
  #current: { readonly method: MethodName; readonly sinceMs: number } | undefined;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** The one before it has ended. */
  began(method: MethodName): void {
    this.ended();
    this.#current = { method, sinceMs: this.#clock.monotonic() };
  }

  /** By method: only those that ran. */
  ended(): ReadonlyMap<MethodName, number> {
    if (this.#current !== undefined)
      this.#tookMs.set(this.#current.method, this.#clock.monotonic() - this.#current.sinceMs);
    this.#current = undefined;
    return this.#tookMs;
  }
}
