/**
 * Remembers permanent launch failures (a policy, an invalid key, a missing image) and holds back the pool and node
 * class, longer each time. A success, or a new generation of either, resets it.
 */
import type { Clock, KubeObject } from '@chandler/kube';

/** The first failure causes no delay. */
const STEPS_MS: readonly number[] = [0, 60_000, 5 * 60_000, 15 * 60_000, 30 * 60_000];

export interface BackoffKey {
  readonly nodePool: string;
  readonly nodeClass: string;
  /** Of pool and class together: an edit resets the backoff. */
  readonly generation: string;
}

export interface Holding {
  readonly untilMs: number;
  readonly failures: number;
  readonly reason: string;
  /** When it was counted (monotonic). */
  readonly atMs: number;
}

export class LaunchBackoff {
  readonly #clock: Clock;
  readonly #held = new Map<string, Holding & { readonly generation: string }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param free failures in a row that cause no delay. */
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

  /** A failure was counted after this time, so a launch that began earlier adds none. */
  failedSince(key: BackoffKey, sinceMs: number): boolean {
    const known = this.#held.get(nameOf(key));
    return known !== undefined && known.generation === key.generation && known.atMs >= sinceMs;
  }

  succeeded(key: BackoffKey): void {
    this.#held.delete(nameOf(key));
  }

  /** Undefined when launches are allowed. */
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

  /** Deleted pools and classes are forgotten. */
  retain(keys: Iterable<BackoffKey>): void {
    const kept = new Set([...keys].map(nameOf));
    for (const name of this.#held.keys()) if (!kept.has(name)) this.#held.delete(name);
  }
}

/** The creation of an object on the monotonic clock, for `failedSince`. */
export function createdMs(clock: Clock, { metadata }: KubeObject): number {
  const ageMs = clock.now() - Date.parse(metadata.creationTimestamp ?? '');
  return clock.monotonic() - (Number.isNaN(ageMs) ? 0 : ageMs);
}

// ---------------------------------------------------------------------------------------------------

function nameOf({ nodePool, nodeClass }: BackoffKey): string {
  return `${nodePool}\n${nodeClass}`;
}
