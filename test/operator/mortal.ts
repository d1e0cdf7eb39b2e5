/** A process that can be killed: from then on its timers do not fire and its requests are not sent. */
import type { Clock, Transport, World } from '@chandler/kube';

export interface Mortal {
  readonly world: World;
  readonly transport: Transport;
  kill(): void;
  /** Pauses the process, as a frozen VM: timers that were due meanwhile fire afterwards. */
  pause(forMs: number): void;
}

export function mortal(world: World, wire: Transport): Mortal {
  let dead = false;
  let pausedUntilMs = 0;
  const never = <T>() => new Promise<T>(() => undefined);
  const after: Clock['after'] = (delayMs, task) => {
    let timer = world.clock.after(delayMs, function run() {
      const restMs = pausedUntilMs - world.clock.monotonic();
      if (dead) return;
      if (restMs > 0) timer = world.clock.after(restMs, run);
      else task();
    });
    return { cancel: () => timer.cancel() };
  };
  const clock: Clock = {
    now: () => world.clock.now(),
    monotonic: () => world.clock.monotonic(),
    after,
    sleep: (delayMs, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const timer = after(delayMs, () => {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        });
        const onAbort = () => {
          timer.cancel();
          reject(signal?.reason);
        };
        signal?.addEventListener('abort', onAbort, { once: true });
      }),
  };
  const awake = async () => {
    const restMs = pausedUntilMs - world.clock.monotonic();
    if (restMs > 0) await world.clock.sleep(restMs);
  };
  return {
    world: { ...world, clock },
    async transport(request) {
      if (dead) return never();
      await awake();
      const answer = await wire(request);
      if (dead) return never();
      await awake();
      return answer;
    },
    kill() {
      dead = true;
    },
    pause(forMs) {
      pausedUntilMs = world.clock.monotonic() + forMs;
    },
  };
}
