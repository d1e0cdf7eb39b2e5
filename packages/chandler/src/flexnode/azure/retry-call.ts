/**
 * Asks again what may be asked again, on the World's clock: after what the other side said (Retry-After), otherwise a
 * little longer each time, and never beyond the call's own budget. What is worth a second try is the caller's word.
 */
import type { World } from '@chandler/kube';

export interface RetryOptions {
  /** All tries and waits together. Default five minutes. */
  readonly budgetMs?: number;
  /** The first wait; each next one is twice as long. Default 2 s. */
  readonly firstWaitMs?: number;
  /** Default 30 s. */
  readonly longestWaitMs?: number;
  /** Default: as many as the budget holds. */
  readonly tries?: number;
}

/** `undefined`: not worth asking again. Otherwise how long the other side wants us to stay away, if it said so. */
export type RetryDecision = (error: unknown) => { readonly waitMs?: number } | undefined;

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
      const pauseMs = advice.waitMs ?? waitMs * (0.75 + world.random.next() / 2);
      // A wait that ends after the budget only delays the same failure.
      if (world.clock.monotonic() + pauseMs > untilMs) throw error;
      await world.clock.sleep(pauseMs, signal);
      waitMs = Math.min(waitMs * 2, patience.longestWaitMs ?? 30_000);
    }
  }
}
