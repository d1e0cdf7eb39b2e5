/**
 * Retries an operation after its Retry-After, or with exponential backoff, within a timeout. The caller decides which
 * errors are retried.
 */
import type { World } from '@chandler/kube';

export interface RetryOptions {
  /** Timeout of all attempts and waits together. Default five minutes. */
  readonly budgetMs?: number;
  /** The first wait; each next one is twice as long. Default 2 s. */
  readonly firstWaitMs?: number;
  /** Default 30 s. */
  readonly longestWaitMs?: number;
  /** Default: as many as the budget holds. */
  readonly tries?: number;
}

/** Returns `undefined` if the error is final, otherwise the Retry-After of the server, if any. */
export type RetryDecision = (error: unknown) => { readonly waitMs?: number } | undefined;

/** A Retry-After of 0 would be a loop without a pause. */
const MIN_ASKED_MS = 1_000;
export const DEFAULT_BUDGET_MS = 5 * 60_000;

export async function retryCall<T>(
  world: Pick<World, 'clock' | 'random'>,
  call: () => Promise<T>,
  retryDecision: RetryDecision,
  signal: AbortSignal,
  patience: RetryOptions = {},
): Promise<T> {
  const untilMs = world.clock.monotonic() + (patience.budgetMs ?? DEFAULT_BUDGET_MS);
  let waitMs = patience.firstWaitMs ?? 2_000;
  for (let tried = 1; ; tried++) {
    signal.throwIfAborted();
    try {
      return await call();
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      const advice = retryDecision(error);
      if (advice === undefined || tried === patience.tries) throw error;
      const askedMs = advice.waitMs === undefined ? undefined : Math.max(advice.waitMs, MIN_ASKED_MS);
      const pauseMs = askedMs ?? waitMs * (0.75 + world.random.next() / 2);
      // Waiting beyond the timeout would only delay the same failure.
      if (world.clock.monotonic() + pauseMs > untilMs) throw error;
      await world.clock.sleep(pauseMs, signal);
      waitMs = Math.min(waitMs * 2, patience.longestWaitMs ?? 30_000);
    }
  }
}
