/**
 * Keeps a mistake from buying a fleet: at most so many new claims in a minute, and none while too many of the last
 * ones fail to launch. Off unless asked for. When it bites, it says so on the pool.
 */
import { conditionOf } from '../../state/index.ts';
import type { Clock } from '../../world.ts';
import type { ControllerContext } from '../context.ts';

const MINUTE_MS = 60_000;

/** When claims were created in the last minute, by whomever: one budget for the whole process. */
export class LaunchBudget {
  readonly #clock: Clock;
  #takenMs: number[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How many of the wanted may be created now; they count from here on. */
  take(wanted: number, perMinute: number): number {
    if (perMinute <= 0) return wanted;
    const now = this.#clock.monotonic();
    this.#takenMs = this.#takenMs.filter((atMs) => now - atMs < MINUTE_MS);
    const granted = Math.min(wanted, Math.max(0, perMinute - this.#takenMs.length));
    for (let each = 0; each < granted; each++) this.#takenMs.push(now);
    return granted;
  }

  giveBack(count: number): void {
    this.#takenMs.length = Math.max(0, this.#takenMs.length - count);
  }
}

/** A claim to be made. */
export interface ForPool {
  readonly nodePool: string;
}

export class LaunchGuard {
  readonly #context: ControllerContext;

  constructor(context: ControllerContext) {
    this.#context = context;
  }

  /** Those of the claims that may be created now. */
  allow<T extends ForPool>(
    claims: readonly T[],
    tell: (pool: string, reason: string, message: string) => void,
  ): readonly T[] {
    const { maxFailingLaunches, maxLaunchesPerMinute } = this.#context.settings;
    if (claims.length === 0) return claims;
    const failing = maxFailingLaunches > 0 ? this.#failing() : 0;
    if (maxFailingLaunches > 0 && failing >= maxFailingLaunches) {
      const message = `${failing} claims fail to launch, at most ${maxFailingLaunches} may; no new claim is created until some succeed or are gone`;
      for (const pool of poolsOf(claims)) tell(pool, 'LaunchesStopped', message);
      return [];
    }
    const room = this.#context.launches.take(claims.length, maxLaunchesPerMinute);
    if (room >= claims.length) return claims;
    const message = `${claims.length - room} of ${claims.length} planned claims wait: at most ${maxLaunchesPerMinute} may be created in a minute`;
    for (const pool of poolsOf(claims.slice(room))) tell(pool, 'LaunchesLimited', message);
    return claims.slice(0, room);
  }

  /** Of those that were allowed, some were not even tried. What was tried counts, whatever became of it. */
  notTried(count: number): void {
    this.#context.launches.giveBack(count);
  }

  #failing(): number {
    return this.#context.cluster.unlaunched().filter(({ claim }) => {
      const launched = claim === undefined ? undefined : conditionOf(claim, 'Launched');
      return (
        launched !== undefined && launched.status !== 'True' && launched.reason !== 'AwaitingReconciliation'
      );
    }).length;
  }
}

// ---------------------------------------------------------------------------------------------------

function poolsOf(claims: readonly ForPool[]): readonly string[] {
  return [...new Set(claims.map(({ nodePool }) => nodePool))];
}
