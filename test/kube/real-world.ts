/** A World for tests that talk to a real server: real time, chance from a seed, log and metrics kept. */
import { systemClock, type World } from '@chandler/kube';
import { virtualWorld } from '@chandler/kube/testing';

export function aWorld(seed = 1): World {
  return { ...virtualWorld({ seed }), clock: systemClock };
}
