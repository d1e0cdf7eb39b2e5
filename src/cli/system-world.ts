/**
 * The World of a real process: its clock, its entropy, its network. This file owns the globals
 * that the rest of the code may not touch.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleepFor } from 'node:timers/promises';
import type { Clock, Fetch, Log, Metrics, Random, World } from '../world.ts';

export function systemWorld(parts: { log: Log; metrics: Metrics }): World {
  return { clock: systemClock, random: systemRandom, fetch: systemFetch, ...parts };
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(delayMs, task) {
    const handle = setTimeout(task, delayMs);
    return { cancel: () => clearTimeout(handle) };
  },
  async sleep(delayMs, signal) {
    try {
      await sleepFor(delayMs, undefined, signal ? { signal } : {});
    } catch (error) {
      throw signal?.aborted ? signal.reason : error;
    }
  },
};

export const systemRandom: Random = { next: () => Math.random(), uuid: () => randomUUID() };

export const systemFetch: Fetch = (input, init) => globalThis.fetch(input, init);
