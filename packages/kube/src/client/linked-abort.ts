/**
 * Aborts one piece of work: by itself, after a timeout, or when its parent is aborted.
 * Following a signal that is aborted already aborts at once; `release` must be called when the work has ended, or the
 * long-lived parent would remember every piece there ever was.
 */
import type { Clock } from '../world.ts';

export interface LinkedAbort {
  readonly signal: AbortSignal;
  abort(reason: unknown): void;
  /** Releases the parent and the timer. Safe to call twice. */
  release(): void;
}

export interface LinkedAbortOptions {
  /** Timeout, with the reason created then. */
  readonly limit?: {
    readonly clock: Pick<Clock, 'after'>;
    readonly afterMs: number;
    readonly reason: () => unknown;
  };
}

export function linkedAbort(parent?: AbortSignal, options: LinkedAbortOptions = {}): LinkedAbort {
  const { limit } = options;
  const own = new AbortController();
  const follow = () => own.abort(parent?.reason);
  if (parent?.aborted) follow();
  else parent?.addEventListener('abort', follow, { once: true });
  const timer = limit?.clock.after(limit.afterMs, () => own.abort(limit.reason()));
  return {
    signal: own.signal,
    abort: (reason) => own.abort(reason),
    release() {
      timer?.cancel();
      parent?.removeEventListener('abort', follow);
    },
  };
}

/** Resolves when the signal is aborted, at once if it is already. */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
