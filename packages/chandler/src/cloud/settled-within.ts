/** Waiting for something that is good to have, but not for long. */
import type { World } from '@chandler/kube';

/** Resolves when the work has ended, in whatever way, or when the time is up. Who made it looks at its outcome. */
export function settledWithin(
  { clock }: Pick<World, 'clock'>,
  timeMs: number,
  work: Promise<unknown>,
): Promise<void> {
  return new Promise((resolve) => {
    const timer = clock.after(timeMs, resolve);
    const done = () => {
      timer.cancel();
      resolve();
    };
    work.then(done, done);
  });
}
