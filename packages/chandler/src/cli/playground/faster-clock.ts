/** A clock that runs faster than the clock it is based on: minutes of cluster time pass in seconds. */
import type { Clock } from '@chandler/kube';

/** Both clocks show the same time when this is called. */
export function fasterClock(clock: Clock, speed: number): Clock {
  if (!(speed > 0)) throw new Error(`the speed of a clock must be positive, not ${speed}`);
  if (speed === 1) return clock;
  const startMs = clock.now();
  const startMonotonicMs = clock.monotonic();
  return {
    now: () => Math.round(startMs + (clock.now() - startMs) * speed),
    monotonic: () => startMonotonicMs + (clock.monotonic() - startMonotonicMs) * speed,
    after: (delayMs, task) => clock.after(delayMs / speed, task),
    sleep: (delayMs, signal) => clock.sleep(delayMs / speed, signal),
  };
}
