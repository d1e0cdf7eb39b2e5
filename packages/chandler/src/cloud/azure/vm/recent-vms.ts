/**
 * VMs that this process created or deleted recently. Resource Graph lags minutes behind; without this correction a new
 * VM would seem to be missing.
 */
import type { Clock } from '@chandler/kube';
import type { VmFacts } from './vm-facts.ts';

/** Resource Graph is seldom further behind. */
export const LAG_MS = 5 * 60_000;

export class RecentVms {
  readonly #clock: Clock;
  readonly #made = new Map<string, { readonly facts: VmFacts; readonly atMs: number }>();
  readonly #gone = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#made.size + this.#gone.size;
  }

  made(facts: VmFacts): void {
    this.#dropOld();
    this.#gone.delete(key(facts.id));
    this.#made.delete(key(facts.id));
    this.#made.set(key(facts.id), { facts, atMs: this.#clock.monotonic() });
  }

  gone(id: string): void {
    this.#dropOld();
    this.#made.delete(key(id));
    this.#gone.delete(key(id));
    this.#gone.set(key(id), this.#clock.monotonic());
  }

  /** The list with what it does not show yet, and without what it still shows. */
  correct(listed: readonly VmFacts[]): readonly VmFacts[] {
    this.#dropOld();
    const shown = listed.filter((facts) => !this.#gone.has(key(facts.id)));
    const known = new Set(shown.map((facts) => key(facts.id)));
    const missing = [...this.#made.values()].filter(({ facts }) => !known.has(key(facts.id)));
    return [...shown, ...missing.map(({ facts }) => facts)];
  }

  /** Both maps are in the order of time. */
  #dropOld(): void {
    const oldestMs = this.#clock.monotonic() - LAG_MS;
    for (const [id, { atMs }] of this.#made) {
      if (atMs > oldestMs) break;
      this.#made.delete(id);
    }
    for (const [id, atMs] of this.#gone) {
      if (atMs > oldestMs) break;
      this.#gone.delete(id);
    }
  }
}

// ---------------------------------------------------------------------------------------------------

/** Resource Graph changes the case of the last part. */
function key(id: string): string {
  return id.toLowerCase();
}
