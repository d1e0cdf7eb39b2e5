/** A map that forgets: entries after a time, and the oldest when it is full. */
import type { Clock } from '@chandler/kube';

export interface ExpiringMapOptions {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly maxSize: number;
}

export class ExpiringMap<V> {
  readonly #options: ExpiringMapOptions;
  readonly #entries = new Map<string, { readonly value: V; readonly untilMs: number }>();

  constructor(options: ExpiringMapOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (this.#options.clock.monotonic() < entry.untilMs) return entry.value;
    this.#entries.delete(key);
    return undefined;
  }

  set(key: string, value: V, ttlMs: number): void {
    // At the end again: the first is the oldest.
    this.#entries.delete(key);
    this.#entries.set(key, { value, untilMs: this.#options.clock.monotonic() + ttlMs });
    if (this.#entries.size > this.#options.maxSize) this.#entries.delete(this.#entries.keys().next().value!);
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }
}
