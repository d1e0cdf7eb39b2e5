/** The World of this process with its log and metrics; loaded only by verbs that need it. */
import { pinoLog } from '../kube/log.ts';
import { promMetrics } from '../kube/metrics.ts';
import type { World } from '../world.ts';
import { systemClock, systemWorld } from './system-world.ts';

const STANDARD_ERROR = 2;

export async function createWorld(): Promise<World> {
  // Standard output is for results; what happens on the way goes to standard error.
  const log = pinoLog({
    level: 'warn',
    destination: STANDARD_ERROR,
    now: systemClock.now,
    logger: 'chandler',
  });
  return systemWorld({ log, metrics: promMetrics({ processMetrics: false }) });
}
