/**
 * The clock of a run: one turn of the event loop between two steps, in batches, because a run does no I/O.
 */
import { VirtualClock } from '@chandler/kube/testing';
import { real } from './virtual-globals.ts';

export function runClock(startMs: number): VirtualClock {
  return new VirtualClock(startMs, {
    turnsPerStep: 1,
    turnsAtOnce: 64,
    // A remainder below one millisecond would be rounded to zero and never elapse.
    wholeMs: true,
    setImmediate: real.setImmediate,
  });
}
