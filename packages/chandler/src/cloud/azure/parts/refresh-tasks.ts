/** Sizes, prices and quota kept fresh where no controller does it: while we only observe. */
import type { World } from '@chandler/kube';
import type { BackgroundTask } from '../../index.ts';

import type { Refreshable } from '../controllers/refreshes.ts';

const MAX_WAIT_MS = 60 * 60_000;
const MIN_WAIT_MS = 1_000;

export function refreshTasks(
  { clock }: World,
  refreshables: Readonly<Record<string, Refreshable>>,
): readonly BackgroundTask[] {
  return Object.entries(refreshables).map(([name, refreshable]) => ({
    name,
    async run(signal) {
      while (!signal.aborted) {
        await refreshable.refreshIfDue();
        const dueInMs = refreshable.dueAtMs - clock.monotonic();
        const waitMs = Math.min(MAX_WAIT_MS, Math.max(MIN_WAIT_MS, dueInMs));
        await clock.sleep(waitMs, signal).catch(() => undefined);
      }
    },
  }));
}
