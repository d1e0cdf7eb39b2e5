/**
 * A clock that runs faster or slower than the clock it is based on, and whose speed can change while timers run. Faster time waits for
 * a process that cannot keep up: between two turns of the event loop at most MAX_TURN_MS pass. Otherwise a busy machine would let
 * leases and heartbeats of nodes expire before anybody could renew them.
 */
import type { Clock, Timer } from '@chandler/kube';

export interface AdjustableClock extends Clock {
  /** How many milliseconds pass here in one of the other clock, if the process keeps up. */
  readonly speed: number;
  /** At most, from now on. Timers that are running end earlier or later; none is lost, and the time never jumps. */
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
  /** Of the other clock, since the last change of the speed: what does not count, because turns took too long. */
  let lostMs = 0;
  let turnStartMs = clock.monotonic();
  let turns: Timer | undefined;
  const maxTurnMs = () => (speed > 1 ? MAX_TURN_MS / speed : Number.POSITIVE_INFINITY);
  const notCounted = () =>
    turns === undefined ? lostMs : lostMs + Math.max(0, clock.monotonic() - turnStartMs - maxTurnMs());
  const now = () => since.nowMs + (clock.now() - since.ofMs - notCounted()) * speed;
  const monotonic = () =>
    since.monotonicMs + (clock.monotonic() - since.ofMonotonicMs - notCounted()) * speed;
  // Only while somebody waits: a process that is done must be able to end.
  const countTurns = () => {
    lostMs = notCounted();
    turns?.cancel();
    turnStartMs = clock.monotonic();
    const isWaiting = speed > 1 && running.size > 0;
    turns = isWaiting ? clock.after(maxTurnMs() / TURNS_COUNTED, countTurns) : undefined;
  };
  const arm = (each: Running) => {
    each.timer = clock.after(Math.max(0, each.dueMs - monotonic()) / speed, () => {
      // Time was lost meanwhile.
      if ((each.dueMs - monotonic()) / speed > 1) return arm(each);
      running.delete(each);
      each.task();
    });
  };
  const after = (delayMs: number, task: () => void): Timer => {
    const each: Running = { dueMs: monotonic() + delayMs, task, timer: undefined };
    running.add(each);
    if (turns === undefined) countTurns();
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
      turnStartMs = since.ofMonotonicMs;
      lostMs = 0;
      countTurns();
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

/** Of this clock. A simulated kubelet renews its lease every 10 s, and a request takes some turns. */
const MAX_TURN_MS = 2_000;
/** In the longest turn that counts in full. */
const TURNS_COUNTED = 4;

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
