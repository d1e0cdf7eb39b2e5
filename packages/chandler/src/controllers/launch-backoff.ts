/**
 * Remembers launches that failed in a way that will repeat (a policy, a bad key, an image that is gone) and holds the
 * pool and node class back for a while, longer each time. A success, or a new generation of either, forgets it all.
 */
import type { Clock } from '@chandler/kube';

/** The first failure costs nothing: it may have been chance after all. */
const STEPS_MS: readonly number[] = [0, 60_000, 5 * 60_000, 15 * 60_000, 30 * 60_000];

export interface BackoffKey {
  readonly nodePool: string;
  readonly nodeClass: string;
  /** Of pool and class together: what was edited deserves a new try. */
  readonly generation: string;
}

export interface Holding {
  readonly untilMs: number;
  readonly failures: number;
  readonly reason: string;
  /** When it was counted, on the clock that never goes back. */
  readonly atMs: number;
}

export class LaunchBackoff {
  readonly #clock: Clock;
  readonly #held = new Map<string, Holding & { readonly generation: string }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param free so many failures in a row cost nothing. */
  failed(key: BackoffKey, reason: string, free = 1): Holding {
    const known = this.#held.get(nameOf(key));
    const failures = known?.generation === key.generation ? known.failures + 1 : 1;
    const waitMs = STEPS_MS[Math.min(Math.max(0, failures - free), STEPS_MS.length - 1)]!;
    const atMs = this.#clock.monotonic();
    const holding = {
      atMs,
      untilMs: atMs + waitMs,
      failures,
      reason,
      generation: key.generation,
    };
    this.#held.set(nameOf(key), holding);
    return holding;
  }

  /** A failure was counted after this moment: one of something begun before says nothing new. */
  failedSince(key: BackoffKey, sinceMs: number): boolean {
    const known = this.#held.get(nameOf(key));
    return known !== undefined && known.generation === key.generation && known.atMs >= sinceMs;
  }

  succeeded(key: BackoffKey): void {
    this.#held.delete(nameOf(key));
  }

  /** Undefined when launches may go on. */
  holding(key: BackoffKey): (Holding & { readonly remainingMs: number }) | undefined {
    const known = this.#held.get(nameOf(key));
    if (known === undefined) return undefined;
    if (known.generation !== key.generation) {
      this.#held.delete(nameOf(key));
      return undefined;
    }
    const remainingMs = known.untilMs - this.#clock.monotonic();
    return remainingMs <= 0 ? undefined : { ...known, remainingMs };
  }

  /** Pools and classes that are gone take no room. */
  retain(keys: Iterable<BackoffKey>): void {
    const kept = new Set([...keys].map(nameOf));
    for (const name of this.#held.keys()) if (!kept.has(name)) this.#held.delete(name);
  }
}

// ---------------------------------------------------------------------------------------------------

function nameOf({ nodePool, nodeClass }: BackoffKey): string {
  return `${nodePool}\n${nodeClass}`;
}
