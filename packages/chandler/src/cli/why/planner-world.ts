/** The World of a plan for `why`: only a clock, no log and no network. */
import { type Log, systemClock, systemFetch, type World } from '@chandler/kube';

export type PlannerWorld = Pick<World, 'clock' | 'log' | 'fetch'>;

const quiet = () => undefined;

const NO_LOG: Log = { debug: quiet, info: quiet, warn: quiet, error: quiet, with: () => NO_LOG };

export const PLANNER_WORLD: PlannerWorld = { clock: systemClock, log: NO_LOG, fetch: systemFetch };
