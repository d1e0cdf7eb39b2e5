/**
 * Instances that this process launched or terminated recently. EC2's lists lag seconds behind; without this correction a new
 * instance would seem to be missing.
 */
import type { Clock } from '@chandler/kube';

import { DOUBT_LIMIT_MS } from '../launch/index.ts';
import { type InstanceFacts, isEnding } from './instance-facts.ts';

export class RecentInstances {
  readonly #clock: Clock;
  readonly #launched = new Map<string, { readonly facts: InstanceFacts; readonly atMs: number }>();
  readonly #terminated = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#launched.size + this.#terminated.size;
  }

  launched(facts: InstanceFacts): void {
    this.#dropOld();
    if (this.#launched.has(facts.id)) return;
    this.#launched.set(facts.id, { facts, atMs: this.#clock.monotonic() });
  }

  terminated(id: string): void {
    this.#dropOld();
    this.#launched.delete(id);
    this.#terminated.delete(id);
    this.#terminated.set(id, this.#clock.monotonic());
  }

  /** One that was launched so recently that EC2's lists may not show it. */
  get(id: string): InstanceFacts | undefined {
    this.#dropOld();
    return this.#launched.get(id)?.facts;
  }

  /** The list with what it does not show yet, and without what it still shows. */
  correct(listed: readonly InstanceFacts[]): readonly InstanceFacts[] {
    this.#dropOld();
    const shown = listed.filter((facts) => !isEnding(facts) || !this.#terminated.has(facts.id));
    const known = new Set(listed.map(({ id }) => id));
    const missing = [...this.#launched.values()].filter(({ facts }) => !known.has(facts.id));
    return [...shown, ...missing.map(({ facts }) => facts)];
  }

  /** Both maps are in the order of time. */
  #dropOld(): void {
    const oldestMs = this.#clock.monotonic() - DOUBT_LIMIT_MS;
    for (const [id, { atMs }] of this.#launched) {
      if (atMs > oldestMs) break;
      this.#launched.delete(id);
    }
    for (const [id, atMs] of this.#terminated) {
      if (atMs > oldestMs) break;
      this.#terminated.delete(id);
    }
  }
}
