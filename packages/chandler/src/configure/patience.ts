/** Repeats a call that may succeed later, with growing pauses. */
import type { Clock } from '@chandler/kube';
import { ConfigureError, NotYet } from './resource.ts';

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 15_000;
/** A new identity is known everywhere after a minute or two. */
const LIMIT_MS = 3 * 60_000;

/** @throws {ConfigureError} when the time is over. */
export async function patiently<T>(
  clock: Clock,
  signal: AbortSignal,
  call: (again: (message: string) => NotYet) => Promise<T>,
): Promise<T> {
  const startMs = clock.monotonic();
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      return await call((message) => new NotYet(message));
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof NotYet)) throw error;
      const waitMs = Math.max(error.retryAfterMs ?? pauseMs, FIRST_PAUSE_MS);
      if (clock.monotonic() - startMs + waitMs > LIMIT_MS) throw new ConfigureError(error.message);
      await clock.sleep(waitMs, signal);
    }
  }
}
