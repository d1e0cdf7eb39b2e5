/**
 * Writes on a version for which the server has answered with a conflict are not sent again at once: the version is old, and
 * only a newer one from the watch helps. While a watch is behind, all controllers of an object would send such writes again
 * and again. A conflict can also be an accident (a webhook), so the version is tried again: after a quarter of a second,
 * and then after twice as long each time.
 */
import { RecentMap } from '../controller/recent-map.ts';
import type { Clock } from '../world.ts';
import { ApiStatusError } from './api-error.ts';

const FIRST_MS = 250;
const MAX_MS = 8_000;
const MAX_OBJECTS = 10_000;

export class StaleWrites {
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** By path. */
  readonly #conflicts = new RecentMap<Conflict>(MAX_OBJECTS);

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** @throws {ApiStatusError} of the kind `conflict`. */
  assertFresh(path: string, body: object | string | undefined): void {
    const known = this.#conflicts.get(path);
    if (known === undefined || this.#clock.monotonic() >= known.untilMs || versionOf(body) !== known.version)
      return;
    throw new ApiStatusError(
      'conflict',
      `${path} has changed: it was not sent again on version ${known.version}, which is too old`,
    );
  }

  conflicted(path: string, body: object | string | undefined): void {
    const version = versionOf(body);
    if (version === undefined) return;
    const known = this.#conflicts.get(path);
    const pauseMs = known?.version === version ? Math.min(MAX_MS, known.pauseMs * 2) : FIRST_MS;
    this.#conflicts.set(path, { version, pauseMs, untilMs: this.#clock.monotonic() + pauseMs });
  }
}

// ---------------------------------------------------------------------------------------------------

interface Conflict {
  readonly version: string;
  readonly pauseMs: number;
  readonly untilMs: number;
}

/** Undefined for a write that does not depend on a version. */
function versionOf(body: object | string | undefined): string | undefined {
  const parsed = (typeof body === 'string' ? JSON.parse(body) : (body ?? {})) as {
    metadata?: { resourceVersion?: string };
  };
  return parsed.metadata?.resourceVersion;
}
