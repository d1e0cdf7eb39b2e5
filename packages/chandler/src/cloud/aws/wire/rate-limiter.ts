/**
 * How fast we call AWS. Every bucket of the rates has a queue on the World's clock; an answer that throttles closes it for a time that
 * grows with every further one. A call that would have to wait long is refused here and costs nothing: the caller requeues,
 * instead of thousands of calls waiting in memory.
 */
import type { World } from '@chandler/kube';
import { DEFAULT_LONGEST_WAIT_MS } from './limits.ts';
import { type AwsRateOptions, bucketOf, type RatedCall } from './rate-buckets.ts';
import { RateQueue } from './rate-queue.ts';

export interface AwsRateLimiterOptions extends AwsRateOptions {
  /** How long a call may wait for its turn; beyond that it is refused with HELD_BACK. Default: `DEFAULT_LONGEST_WAIT_MS`. */
  readonly longestWaitMs?: number | undefined;
}

/** Of a call that may be sent. */
export interface Turn {
  /** AWS answered, with whatever. */
  answered(): void;
  /** AWS refused the call because there were too many. */
  throttled(retryAfterMs: number | undefined): void;
}

export class AwsRateLimiter {
  readonly #world: Pick<World, 'clock' | 'random'>;
  readonly #options: AwsRateLimiterOptions;
  /** One per action of the table at most, so it is bounded. */
  readonly #queues = new Map<string, RateQueue>();

  constructor(world: Pick<World, 'clock' | 'random'>, options: AwsRateLimiterOptions = {}) {
    this.#world = world;
    this.#options = options;
  }

  /** Resolves when the call may be sent. @throws {AwsError} HELD_BACK with the time to wait, or the reason of the signal. */
  async pass(call: RatedCall, signal: AbortSignal): Promise<Turn> {
    const { name, requests, instances, instanceCount } = bucketOf(call, this.#options);
    let queue = this.#queues.get(name);
    if (queue === undefined) {
      const { longestWaitMs = DEFAULT_LONGEST_WAIT_MS } = this.#options;
      queue = new RateQueue({ name, requests, instances, longestWaitMs }, this.#world);
      this.#queues.set(name, queue);
    }
    const sentAtMs = await queue.pass(instanceCount, signal);
    return {
      answered: () => queue.answered(sentAtMs),
      throttled: (retryAfterMs) => queue.throttled(sentAtMs, retryAfterMs),
    };
  }
}
