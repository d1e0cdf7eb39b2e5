/**
 * Keeps a mistake from buying a fleet: at most so many new claims in a minute, and none while too many of the last
 * ones fail to launch. Off unless asked for. When it bites, it says so on the pool.
 */
import { conditionOf } from '../../state/index.ts';
import type { ControllerContext } from '../context.ts';

const MINUTE_MS = 60_000;

/** A claim to be made. */
export interface ForPool {
  readonly nodePool: string;
}

export class LaunchGuard {
  readonly #context: ControllerContext;
  #launchesMs: number[] = [];

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
    if (maxLaunchesPerMinute <= 0) return claims;
    const now = this.#context.world.clock.monotonic();
    this.#launchesMs = this.#launchesMs.filter((atMs) => now - atMs < MINUTE_MS);
    const room = Math.max(0, maxLaunchesPerMinute - this.#launchesMs.length);
    if (room >= claims.length) return claims;
    const message = `${claims.length - room} of ${claims.length} planned claims wait: at most ${maxLaunchesPerMinute} may be created in a minute`;
    for (const pool of poolsOf(claims.slice(room))) tell(pool, 'LaunchesLimited', message);
    return claims.slice(0, room);
  }

  launched(): void {
    if (this.#context.settings.maxLaunchesPerMinute > 0)
      this.#launchesMs.push(this.#context.world.clock.monotonic());
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
