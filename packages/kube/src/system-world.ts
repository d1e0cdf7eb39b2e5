/**
 * The World of a real process: its clock, its entropy, its network. This file owns the globals
 * that the rest of the code may not touch.
 */
import { randomUUID } from 'node:crypto';
import type { Clock, Fetch, Log, Metrics, Random, Timer, World } from './world.ts';

export function systemWorld(parts: { log: Log; metrics: Metrics }): World {
  return { clock: systemClock, random: systemRandom, fetch: systemFetch, ...parts };
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after: (delayMs, task) => startTimer(delayMs, task),
  sleep: (delayMs, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const onAbort = () => {
        timer.cancel();
        reject(signal?.reason);
      };
      const timer = startTimer(delayMs, () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      });
      signal?.addEventListener('abort', onAbort, { once: true });
    }),
};

export const systemRandom: Random = { next: () => Math.random(), uuid: () => randomUUID() };

export const systemFetch: Fetch = (input, init) => globalThis.fetch(input, init);

// ---------------------------------------------------------------------------------------------------

/** Node runs a longer timer at once; expiry after thirty days is longer. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

function startTimer(delayMs: number, task: () => void): Timer {
  const dueMs = performance.now() + delayMs;
  let handle: NodeJS.Timeout;
  const arm = () => {
    const restMs = dueMs - performance.now();
    handle =
      restMs > LONGEST_TIMER_MS ? setTimeout(arm, LONGEST_TIMER_MS) : setTimeout(task, Math.max(0, restMs));
  };
  arm();
  return { cancel: () => clearTimeout(handle) };
}
