/** Waits for a promise, up to a limit. */
import type { Clock } from '@chandler/kube';

/** Whether it settled in time. A rejection in time is thrown. */
export async function atMost(clock: Clock, limitMs: number, work: Promise<unknown>): Promise<boolean> {
  const over = new AbortController();
  const limit = clock.sleep(limitMs, over.signal).then(
    () => false,
    () => true,
  );
  try {
    return await Promise.race([work.then(() => true), limit]);
  } finally {
    over.abort();
  }
}
