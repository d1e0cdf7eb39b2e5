/** A smoke test takes many minutes: a connection that breaks for a moment must not end it, nor keep it from deleting its objects. */
import { type ApiErrorKind, ApiStatusError, type Clock, CredentialsError } from '@chandler/kube';

const POLL_MS = 2_000;
/** As long as a control plane that fails over, or a VPN that reconnects, usually needs. */
const OUTAGE_MS = 90_000;

/** @throws the last error when it lasts longer, and every error that waiting does not help against. */
export async function throughOutages<T>(
  clock: Clock,
  ask: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const startMs = clock.monotonic();
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      signal?.throwIfAborted();
      if (!mayPass(error) || clock.monotonic() - startMs > OUTAGE_MS) throw error;
    }
    await clock.sleep(POLL_MS, signal);
  }
}

// ---------------------------------------------------------------------------------------------------------------

const PASSING: ReadonlySet<ApiErrorKind> = new Set([
  'internal',
  'timeout',
  'tooManyRequests',
  'unavailable',
  'unreachable',
]);

function mayPass(error: unknown): boolean {
  // A plugin that gets tokens needs a connection as well.
  if (error instanceof CredentialsError) return true;
  return error instanceof ApiStatusError && PASSING.has(error.kind);
}
