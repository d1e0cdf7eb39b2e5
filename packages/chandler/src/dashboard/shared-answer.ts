/**
 * An answer that takes work: who asks while it is being made waits for the same one, and who asks soon after gets it again. One
 * that took long is given for longer, so that the work is never more than a fifth of the time.
 */
import type { Clock } from '@chandler/kube';

/** @param maxAgeMs how old an answer may be that took no time. */
export function sharedAnswer<T>(
  clock: Pick<Clock, 'monotonic'>,
  maxAgeMs: number,
  make: () => Promise<T>,
): () => Promise<T> {
  let kept: { readonly answer: T; readonly untilMs: number } | undefined;
  let making: Promise<T> | undefined;
  return () => {
    if (kept !== undefined && clock.monotonic() < kept.untilMs) return Promise.resolve(kept.answer);
    const startMs = clock.monotonic();
    making ??= make()
      .then((answer) => {
        const endMs = clock.monotonic();
        kept = { answer, untilMs: endMs + Math.max(maxAgeMs, 4 * (endMs - startMs)) };
        return answer;
      })
      .finally(() => {
        making = undefined;
      });
    return making;
  };
}
