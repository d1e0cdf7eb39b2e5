/** The World of a benchmark: real time, and a log that keeps only errors. */
import { type Log, systemClock, systemFetch, systemRandom, type World } from '@chandler/kube';
import { virtualWorld } from '@chandler/kube/testing';

const quiet: Log = {
  debug() {},
  info() {},
  warn() {},
  error: (message) => console.error(message),
  with: () => quiet,
};

export function benchWorld(): World {
  return {
    clock: systemClock,
    random: systemRandom,
    fetch: systemFetch,
    log: quiet,
    metrics: virtualWorld().metrics,
  };
}
