/** The World of a benchmark: real time, a log that keeps nothing below errors. */
import { systemClock, systemFetch, systemRandom } from '../src/cli/system-world.ts';
import type { Log, World } from '../src/world.ts';
import { virtualWorld } from '../test/world/virtual-world.ts';

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
