/** What the instances cost according to the cloud's price list, independent of the prices that the controller assumes. */
import type { PlaygroundCloud } from './clouds/playground-cloud.ts';

export interface Cost {
  readonly instances: number;
  /** What the cloud calls an instance. */
  readonly noun: string;
  readonly perHour: number;
  /** Price of one instance, by its name. */
  readonly perHourOf: (instance: string) => number | undefined;
}

export class CostMeter {
  readonly #cloud: Pick<PlaygroundCloud, 'instances' | 'instanceNoun'>;

  constructor(cloud: Pick<PlaygroundCloud, 'instances' | 'instanceNoun'>) {
    this.#cloud = cloud;
  }

  read(): Cost {
    const prices = new Map(this.#cloud.instances().map(({ name, pricePerHour }) => [name, pricePerHour]));
    return {
      instances: prices.size,
      noun: this.#cloud.instanceNoun,
      perHour: [...prices.values()].reduce((sum, price) => sum + price, 0),
      perHourOf: (instance) => prices.get(instance),
    };
  }
}
