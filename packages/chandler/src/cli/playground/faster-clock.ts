/** A clock that runs faster than the one behind it: minutes of a cluster in seconds of yours. */
import type { Clock } from '@chandler/kube';

/** Both clocks agree at the moment of the call. */
export function fasterClock(clock: Clock, speed: number): Clock {
  if (!(speed > 0)) throw new Error(`a clock cannot run ${speed} times as fast`);
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
