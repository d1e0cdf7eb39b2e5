/**
 * Answers of AWS that are kept for a while, by key. Callers that ask for the same key at the same time share one call, which
 * ends early only when all of them have given up. A failure is not kept: the next caller asks again. What to ask, and how
 * long the answer holds, the caller decides.
 */
import type { Clock } from '@chandler/kube';

export interface LookupsOptions {
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Read at every answer: options may change at runtime. */
  readonly ttlMs: () => number;
  /** Of two entries over the limit the older one is dropped. Default 1,000. */
  readonly maxEntries?: number;
}

export class Lookups<V> {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #ttlMs: () => number;
  readonly #maxEntries: number;
  /** In the order of their answers. */
  readonly #kept = new Map<string, { readonly value: V; readonly untilMs: number }>();
  readonly #flights = new Map<string, Flight<V>>();

  constructor({ clock, ttlMs, maxEntries = 1_000 }: LookupsOptions) {
    this.#clock = clock;
    this.#ttlMs = ttlMs;
    this.#maxEntries = maxEntries;
  }

  /** @param ttlMs of this answer, where it differs from that of others. @throws the reason of the signal when it is aborted. */
  async get(
    key: string,
    read: (signal: AbortSignal) => Promise<V>,
    signal: AbortSignal,
    ttlMs?: number,
  ): Promise<V> {
    signal.throwIfAborted();
    const kept = this.#fresh(key);
    if (kept !== undefined) return kept.value;
    const flight = this.#flights.get(key) ?? this.#start(key, read, ttlMs);
    return flight.join(signal);
  }

  /** The answer that is kept, without a call. */
  peek(key: string): V | undefined {
    return this.#fresh(key)?.value;
  }

  put(key: string, value: V, ttlMs: number = this.#ttlMs()): void {
    const nowMs = this.#clock.monotonic();
    this.#kept.delete(key);
    // Nobody may ever ask for an old key again.
    for (const [other, { untilMs }] of this.#kept) if (untilMs <= nowMs) this.#kept.delete(other);
    this.#kept.set(key, { value, untilMs: nowMs + ttlMs });
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= this.#maxEntries) return;
      this.#kept.delete(oldest);
    }
  }

  /** A call in flight still answers those who wait for it, but its answer is not kept. */
  forget(key: string): void {
    this.#kept.delete(key);
    this.#flights.delete(key);
  }

  /** How many are kept, fresh or not. */
  get size(): number {
    return this.#kept.size;
  }

  /** Those that are fresh, oldest first. */
  *entries(): Iterable<readonly [key: string, value: V]> {
    for (const [key, { value }] of this.#kept) if (this.#fresh(key) !== undefined) yield [key, value];
  }

  #start(key: string, read: (signal: AbortSignal) => Promise<V>, ttlMs: number | undefined): Flight<V> {
    const flight = new Flight(read, () => this.#leave(key, flight));
    this.#flights.set(key, flight);
    flight.answer.then(
      (value) => {
        if (this.#leave(key, flight)) this.put(key, value, ttlMs ?? this.#ttlMs());
      },
      () => this.#leave(key, flight),
    );
    return flight;
  }

  /** @returns whether it was the flight of the key. */
  #leave(key: string, flight: Flight<V>): boolean {
    return this.#flights.get(key) === flight && this.#flights.delete(key);
  }

  #fresh(key: string): { readonly value: V } | undefined {
    const kept = this.#kept.get(key);
    if (kept === undefined) return undefined;
    if (this.#clock.monotonic() < kept.untilMs) return kept;
    this.#kept.delete(key);
    return undefined;
  }
}

/** A text for the same selector, whatever the order of its keys. The order of terms stays: it decides nothing, but is stable. */
export function keyOf(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}

// ---------------------------------------------------------------------------------------------------

/** One call with all who wait for it. */
class Flight<V> {
  readonly answer: Promise<V>;
  readonly #abort = new AbortController();
  readonly #onAbandoned: () => void;
  #waiting = 0;

  constructor(read: (signal: AbortSignal) => Promise<V>, onAbandoned: () => void) {
    this.#onAbandoned = onAbandoned;
    this.answer = read(this.#abort.signal);
    // Its failure is that of those who wait; without them it is nobody's.
    this.answer.catch(() => undefined);
  }

  async join(signal: AbortSignal): Promise<V> {
    this.#waiting += 1;
    let onAbort = (): void => undefined;
    const aborted = new Promise<never>((_, reject) => {
      onAbort = () => reject(signal.reason);
      signal.addEventListener('abort', onAbort, { once: true });
    });
    try {
      return await Promise.race([this.answer, aborted]);
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.#waiting -= 1;
      if (this.#waiting === 0 && signal.aborted) {
        this.#onAbandoned();
        this.#abort.abort(signal.reason);
      }
    }
  }
}
