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

  /** The one before it has ended. A method may run twice; its times are added. */
  began(method: MethodName): void {
    this.ended();
    this.#current = { method, sinceMs: this.#clock.monotonic() };
  }

  /** By method: only those that ran. */
  ended(): ReadonlyMap<MethodName, number> {
    if (this.#current !== undefined) {
      const { method, sinceMs } = this.#current;
      this.#tookMs.set(method, (this.#tookMs.get(method) ?? 0) + this.#clock.monotonic() - sinceMs);
    }
    this.#current = undefined;
    return this.#tookMs;
  }
}
