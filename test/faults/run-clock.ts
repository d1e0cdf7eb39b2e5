/** The clock of a run: one turn between two steps, many asked for at once, since nothing in a run does I/O. */
import { VirtualClock } from '@chandler/kube/testing';
import { real } from './virtual-globals.ts';

export function runClock(startMs: number): VirtualClock {
  return new VirtualClock(startMs, {
    turnsPerStep: 1,
    turnsAtOnce: 64,
    // A rest of less than a millisecond would be no time at all, and whoever waits for it would wait for ever.
    wholeMs: true,
    setImmediate: real.setImmediate,
  });
}
