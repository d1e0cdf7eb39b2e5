/** A clock that runs faster or slower than the clock it is based on, and whose speed can change while timers run. */
import type { Clock, Timer } from '@chandler/kube';

export interface AdjustableClock extends Clock {
  /** How many milliseconds pass here in one of the other clock. */
  readonly speed: number;
  /** From now on. Timers that are running end earlier or later; none is lost, and the time never jumps. */
  setSpeed(speed: number): void;
}

/** Both clocks show the same time when this is called. */
export function adjustableClock(clock: Clock, initialSpeed: number): AdjustableClock {
  const running = new Set<Running>();
  let speed = positive(initialSpeed);
  let since = {
    ofMs: clock.now(),
    nowMs: clock.now(),
    ofMonotonicMs: clock.monotonic(),
    monotonicMs: clock.monotonic(),
  };
  const now = () => since.nowMs + (clock.now() - since.ofMs) * speed;
  const monotonic = () => since.monotonicMs + (clock.monotonic() - since.ofMonotonicMs) * speed;
  const arm = (each: Running) => {
    each.timer = clock.after(Math.max(0, each.dueMs - monotonic()) / speed, () => {
      running.delete(each);
      each.task();
    });
  };
  const after = (delayMs: number, task: () => void): Timer => {
    const each: Running = { dueMs: monotonic() + delayMs, task, timer: undefined };
    running.add(each);
    arm(each);
    return {
      cancel: () => {
        running.delete(each);
        each.timer?.cancel();
      },
    };
  };
  return {
    get speed() {
      return speed;
    },
    setSpeed(next) {
      since = { ofMs: clock.now(), nowMs: now(), ofMonotonicMs: clock.monotonic(), monotonicMs: monotonic() };
      speed = positive(next);
      for (const each of running) {
        each.timer?.cancel();
        arm(each);
      }
    },
    now: () => Math.round(now()),
    monotonic,
    after,
    sleep: (delayMs, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const onAbort = () => {
          timer.cancel();
          reject(signal?.reason);
        };
        const timer = after(delayMs, () => {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        });
        signal?.addEventListener('abort', onAbort, { once: true });
      }),
  };
}

// ---------------------------------------------------------------------------------------------------

interface Running {
  /** By the clock whose speed changes. */
  readonly dueMs: number;
  readonly task: () => void;
  timer: Timer | undefined;
}

function positive(speed: number): number {
  if (!(speed > 0)) throw new Error(`the speed of a clock must be positive, not ${speed}`);
  return speed;
}
