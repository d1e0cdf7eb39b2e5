/** Waits until something is so, by asking again every second. Errors of the API server are waited out, too, until the deadline. */
import { type ApiErrorKind, isApiError, type World } from '@chandler/kube';
import { Failure } from '../verb.ts';

export interface Waiting {
  readonly clock: World['clock'];
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/** Undefined: it is so. A text says why not yet. */
export type Look = () => Promise<string | undefined>;

/** @throws {Failure} with the last reason after the timeout. */
export async function until(what: string, { clock, signal, timeoutMs }: Waiting, look: Look): Promise<void> {
  const startMs = clock.monotonic();
  for (;;) {
    const why = await answer(look, signal);
    if (why === undefined) return;
    if (clock.monotonic() - startMs >= timeoutMs)
      throw new Failure(`after ${Math.round(timeoutMs / 1000)} s ${what}: ${why}`);
    await clock.sleep(POLL_MS, signal);
  }
}

// ---------------------------------------------------------------------------------------------------

const POLL_MS = 1_000;
/** These do not pass by themselves. */
const LASTING: readonly ApiErrorKind[] = ['forbidden', 'unauthorized', 'fenced'];

async function answer(look: Look, signal: AbortSignal): Promise<string | undefined> {
  try {
    return await look();
  } catch (error) {
    signal.throwIfAborted();
    if (isApiError(error) && !LASTING.includes(error.kind)) return error.message;
    throw error;
  }
}
