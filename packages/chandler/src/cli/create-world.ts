/** The World of this process with its log and metrics; loaded only by verbs that need it. */
import { pinoLog, promMetrics, systemClock, systemWorld, type World } from '@chandler/kube';

const STANDARD_ERROR = 2;

export async function createWorld(): Promise<World> {
  // Standard output is for results; the log goes to standard error.
  const log = pinoLog({
    level: 'warn',
    destination: STANDARD_ERROR,
    now: systemClock.now,
    logger: 'chandler',
  });
  return systemWorld({ log, metrics: promMetrics({ processMetrics: false }) });
}
