/** An answer that takes work: who asks while it is being made waits for the same one, and who asks soon after gets it again. */
import type { Clock } from '@chandler/kube';

export function sharedAnswer<T>(
  clock: Pick<Clock, 'monotonic'>,
  maxAgeMs: number,
  make: () => Promise<T>,
): () => Promise<T> {
  let kept: { readonly answer: T; readonly atMs: number } | undefined;
  let making: Promise<T> | undefined;
  return () => {
    if (kept !== undefined && clock.monotonic() - kept.atMs < maxAgeMs) return Promise.resolve(kept.answer);
    making ??= make()
      .then((answer) => {
        kept = { answer, atMs: clock.monotonic() };
        return answer;
      })
      .finally(() => {
        making = undefined;
      });
    return making;
  };
}
