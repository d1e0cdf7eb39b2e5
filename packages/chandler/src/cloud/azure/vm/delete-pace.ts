/**
 * How often deletions are looked at: the more are under way, the less often each, so that a fleet that goes leaves
 * reads for the machines that come. Launches count as well; how often they are looked at, they decide without us.
 */
import type { Clock } from '@chandler/kube';
import { lookAgainMs } from './launch-context.ts';
import { UnderWay } from './under-way.ts';

export interface DeletePaceOptions {
  readonly clock: Clock;
  /** Reads of Azure that we may make in a second. */
  readonly readsPerSecond: number;
  /** How many machines are being launched. */
  readonly launches: () => number;
}

export type DeletePacing = Pick<DeletePace, 'lookAgainMs' | 'over'>;

export class DeletePace {
  readonly #options: DeletePaceOptions;
  readonly #underWay: UnderWay;

  constructor(options: DeletePaceOptions) {
    this.#options = options;
    this.#underWay = new UnderWay(options.clock);
  }

  /** It was looked at just now: when to look again. */
  lookAgainMs(part: string): number {
    const { launches, readsPerSecond } = this.#options;
    this.#underWay.asked(part);
    return lookAgainMs('machine', this.#underWay.size + launches(), readsPerSecond);
  }

  over(part: string): void {
    this.#underWay.over(part);
  }
}
