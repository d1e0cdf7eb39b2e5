/** Sizes, quota and prices: read again when they are due, so that no plan has to wait for it. They know when that is. */
import { type Controller, itemBackoff, singleton } from '@chandler/kube';
import type { CloudControllerContext } from '../../index.ts';

/** An `InstanceTypeProvider`, a `QuotaUsage` and a `PriceList` are such. */
export interface Refreshable {
  /** On the monotonic clock. */
  readonly dueAtMs: number;
  refreshIfDue(): Promise<boolean>;
}

const MAX_WAIT_MS = 60 * 60_000;
const MIN_WAIT_MS = 1_000;

/** One controller for each, under the name given: `instancetype`, `quota`, `pricing`. */
export function refreshes(
  { world }: Pick<CloudControllerContext, 'world'>,
  refreshables: Readonly<Record<string, Refreshable>>,
): readonly Controller[] {
  return Object.entries(refreshables).map(([name, refreshable]) =>
    singleton({
      name,
      world,
      everyMs: MAX_WAIT_MS,
      limiter: itemBackoff({ baseMs: 5_000, maxMs: 5 * 60_000 }),
      async run() {
        await refreshable.refreshIfDue();
        const dueInMs = refreshable.dueAtMs - world.clock.monotonic();
        return { requeueAfterMs: Math.min(MAX_WAIT_MS, Math.max(MIN_WAIT_MS, dueInMs)) };
      },
    }),
  );
}
