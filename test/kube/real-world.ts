/** A World for tests that talk to a real server: real time, chance from a seed, log and metrics kept. */
import { systemClock } from '../../src/cli/system-world.ts';
import type { World } from '../../src/world.ts';
import { virtualWorld } from '../world/virtual-world.ts';

export function aWorld(seed = 1): World {
  return { ...virtualWorld({ seed }), clock: systemClock };
}
