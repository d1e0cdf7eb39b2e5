/** A World for tests that talk to a real server: real time; chance from a seed, log and metrics kept as in a virtual one. */
import { systemClock } from '../system-world.ts';
import type { World } from '../world.ts';
import { type VirtualWorld, virtualWorld } from './virtual-world.ts';

export interface RealTimeWorld extends World, Pick<VirtualWorld, 'lines' | 'values'> {}

export function realTimeWorld(seed = 1): RealTimeWorld {
  return { ...virtualWorld({ seed }), clock: systemClock };
}
