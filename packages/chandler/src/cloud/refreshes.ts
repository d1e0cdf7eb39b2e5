/** What a cloud reads again when it is due, so that no plan has to wait for it: types, quota, prices. They know when that is. */
import { type Controller, itemBackoff, singleton, type World } from '@chandler/kube';

import type { BackgroundTask } from './provider.ts';

export interface Refreshable {
  /** On the monotonic clock. */
  readonly dueAtMs: number;
  /** Whether it was read now. */
  refreshIfDue(signal: AbortSignal): Promise<boolean>;
}

/** One controller for each, under the name given. */
export function refreshes(
  { world }: { readonly world: World },
  refreshables: Readonly<Record<string, Refreshable>>,
): readonly Controller[] {
  return Object.entries(refreshables).map(([name, refreshable]) =>
    singleton({
      name,
      world,
      everyMs: MAX_WAIT_MS,
      limiter: itemBackoff({ baseMs: 5_000, maxMs: 5 * 60_000 }),
      async run({ signal }) {
        await refreshable.refreshIfDue(signal);
        return { requeueAfterMs: waitMs(world, refreshable) };
      },
    }),
  );
}

/** The same where no controller does it: in replicas that do not lead, and while we only observe. */
export function refreshTasks(
  world: World,
  refreshables: Readonly<Record<string, Refreshable>>,
): readonly BackgroundTask[] {
  return Object.entries(refreshables).map(([name, refreshable]) => ({
    name,
    async run(signal) {
      while (!signal.aborted) {
        await refreshable.refreshIfDue(signal).catch((error: unknown) => {
          if (!signal.aborted) throw error;
        });
        await world.clock.sleep(waitMs(world, refreshable), signal).catch(() => undefined);
      }
    },
  }));
}

// ---------------------------------------------------------------------------------------------------

const MAX_WAIT_MS = 60 * 60_000;
const MIN_WAIT_MS = 1_000;

function waitMs({ clock }: World, { dueAtMs }: Refreshable): number {
  return Math.min(MAX_WAIT_MS, Math.max(MIN_WAIT_MS, dueAtMs - clock.monotonic()));
}
