/** A World for tests that talk to a real server: real time, random numbers from a seed, recorded log and metrics. */
import { systemClock } from '../system-world.ts';
import type { World } from '../world.ts';
import { type VirtualWorld, virtualWorld } from './virtual-world.ts';

export interface RealTimeWorld extends World, Pick<VirtualWorld, 'lines' | 'values'> {}

export function realTimeWorld(seed = 1): RealTimeWorld {
  return { ...virtualWorld({ seed }), clock: systemClock };
}
