/**
 * The resources as they were a while ago: what an index that follows the store shows. Costs nothing but the references,
 * because resources are never changed in place.
 */
import type { Clock } from '@chandler/kube';
import type { ArmResource } from './resource.ts';
import type { ResourceStore } from './resource-store.ts';

export class LaggedView {
  readonly #clock: Clock;
  readonly #lagMs: number;
  readonly #visible = new Map<string, ArmResource>();
  /** Changes that do not show yet, oldest first. */
  #pending: { readonly dueMs: number; readonly key: string; readonly after: ArmResource | undefined }[] = [];
  #first = 0;

  constructor(store: ResourceStore, clock: Clock, lagMs: number) {
    this.#clock = clock;
    this.#lagMs = lagMs;
    // What is there when the view is made has been there forever.
    for (const resource of store.all()) this.#visible.set(resource.id.toLowerCase(), resource);
    store.onChange((key, after) => {
      this.#pending.push({ dueMs: clock.monotonic() + lagMs, key, after });
      this.#catchUp();
    });
  }

  resources(): Iterable<ArmResource> {
    this.#catchUp();
    return this.#visible.values();
  }

  get lagMs(): number {
    return this.#lagMs;
  }

  #catchUp(): void {
    const nowMs = this.#clock.monotonic();
    while (this.#first < this.#pending.length && this.#pending[this.#first]!.dueMs <= nowMs) {
      const { key, after } = this.#pending[this.#first]!;
      if (after === undefined) this.#visible.delete(key);
      else this.#visible.set(key, after);
      this.#first += 1;
    }
    if (this.#first > 1000 && this.#first * 2 > this.#pending.length) {
      this.#pending = this.#pending.slice(this.#first);
      this.#first = 0;
    }
  }
}
