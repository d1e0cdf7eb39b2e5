/**
 * Remembers permanent launch failures (a policy, an invalid key, a missing image) and holds back the pool and node
 * class, longer each time. A success, or a new generation of either, resets it.
 */
import { type Clock, type KubeObject, RecentMap } from '@chandler/kube';

/** The first failure causes no delay. */
const STEPS_MS: readonly number[] = [0, 60_000, 5 * 60_000, 15 * 60_000, 30 * 60_000];
/** A failure is forgotten after this time: its pool, class or image may be deleted. */
const FORGOTTEN_MS = 24 * 60 * 60_000;
const MAX_CREATIONS = 10_000;

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
  /** When claims of this process were requested (monotonic), by UID. */
  readonly #created = new RecentMap<number>(MAX_CREATIONS);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param free failures in a row that cause no delay. */
  failed(key: BackoffKey, reason: string, free = 1): Holding {
    const known = this.#held.get(nameOf(key));
    const failures = known?.generation === key.generation ? known.failures + 1 : 1;
    const waitMs = STEPS_MS[Math.min(Math.max(0, failures - free), STEPS_MS.length - 1)]!;
    const atMs = this.#clock.monotonic();
    for (const [name, old] of this.#held) if (atMs - old.atMs > FORGOTTEN_MS) this.#held.delete(name);
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

  /** A failure was counted after the claim was created, so this claim adds none. */
  failedSince(key: BackoffKey, claim: KubeObject): boolean {
    const known = this.#held.get(nameOf(key));
    if (known === undefined || known.generation !== key.generation) return false;
    return known.atMs >= this.#createdMs(claim);
  }

  /** The clock of the API server may differ from ours, so its creationTimestamp decides only for older claims. */
  created({ metadata }: KubeObject, atMs: number): void {
    if (metadata.uid !== undefined) this.#created.set(metadata.uid, atMs);
  }

  #createdMs({ metadata }: KubeObject): number {
    const ageMs = this.#clock.now() - Date.parse(metadata.creationTimestamp ?? '');
    return (
      this.#created.get(metadata.uid ?? '') ?? this.#clock.monotonic() - (Number.isNaN(ageMs) ? 0 : ageMs)
    );
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

// ---------------------------------------------------------------------------------------------------

function nameOf({ nodePool, nodeClass }: BackoffKey): string {
  return `${nodePool}\n${nodeClass}`;
}
