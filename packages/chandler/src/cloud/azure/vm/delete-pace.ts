/**
 * How often deletions are polled: the more are in flight, the less often each, so that deleting a fleet leaves
 * reads for the VMs that are launched. Launches count as well; how often those are polled is decided elsewhere.
 */
import type { Clock } from '@chandler/kube';
import { InFlight } from './in-flight.ts';
import { pollIntervalMs } from './launch-context.ts';

export interface DeletePaceOptions {
  readonly clock: Clock;
  /** Reads of Azure that we may make in a second. */
  readonly readsPerSecond: number;
  /** How many VMs are being launched. */
  readonly launches: () => number;
}

export type DeletePacing = Pick<DeletePace, 'pollIntervalMs' | 'over'>;

export class DeletePace {
  readonly #options: DeletePaceOptions;
  readonly #inFlight: InFlight;

  constructor(options: DeletePaceOptions) {
    this.#options = options;
    this.#inFlight = new InFlight(options.clock);
  }

  /** It was polled just now: when to poll again. */
  pollIntervalMs(part: string): number {
    const { launches, readsPerSecond } = this.#options;
    this.#inFlight.asked(part);
    return pollIntervalMs('vm', this.#inFlight.size + launches(), readsPerSecond);
  }

  over(part: string): void {
    this.#inFlight.over(part);
  }
}
