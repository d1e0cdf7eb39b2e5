/**
 * Prices kept up to date: on demand from Pricing, spot from the history of EC2, each every twelve hours and apart, so that one
 * that fails does not hold up the other. A list that could not be read whole changes nothing: the prices of before stay, at
 * first the built-in ones, and the log says which these are. Pricing has no endpoint in an isolated VPC and in GovCloud, and is not asked there; EC2 is.
 */
import type { World } from '@chandler/kube';
import { CloudError } from '../../index.ts';
import { asCloudError } from '../errors/index.ts';
import {
  asksPricing,
  builtInPrices,
  type PriceList,
  productFilters,
  type ReadProducts,
  readProducts,
  readSpotHistory,
  SPOT_PRODUCTS,
  type SpotPriceEntry,
} from '../prices/index.ts';
import { allPages, type Ec2Calls, type PricingCalls } from '../wire/index.ts';
import { DueRead } from './due-read.ts';

export interface PriceRefreshInput {
  readonly world: Pick<World, 'clock' | 'log'>;
  readonly region: string;
  /** Of the options, at every use. */
  readonly isolatedVpc: () => boolean;
  /** Its endpoint is that of `pricingRegion`. */
  readonly pricing: PricingCalls;
  readonly ec2: Pick<Ec2Calls, 'describeSpotPriceHistory'>;
  readonly prices: PriceList;
}

export const PRICES_REFRESH_MS: number = 12 * 60 * 60_000;
/** After a list that could not be read. */
export const PRICES_RETRY_MS: number = 10 * 60_000;

export class PriceRefresh {
  readonly #input: PriceRefreshInput;
  readonly #onDemand: DueRead;
  readonly #spot: DueRead;
  #saidWhyNot = false;
  /** Since the epoch. */
  readonly #readAtMs = new Map<ListName, number>();

  constructor(input: PriceRefreshInput) {
    this.#input = input;
    const { clock } = input.world;
    const every = { clock, everyMs: PRICES_REFRESH_MS, retryMs: PRICES_RETRY_MS };
    this.#onDemand = new DueRead({ ...every, read: (signal) => this.#readOnDemand(signal) });
    this.#spot = new DueRead({ ...every, read: (signal) => this.#readSpot(signal) });
  }

  /** On the monotonic clock. */
  get dueAtMs(): number {
    return Math.min(this.#onDemand.dueAtMs, this.#spot.dueAtMs);
  }

  /** Reads what is due. Whether all of it was read; a failure is logged, and read again later. */
  async refreshIfDue(signal: AbortSignal): Promise<boolean> {
    const reads = [
      ['on-demand', this.#onDemand],
      ['spot', this.#spot],
    ] as const;
    const results = await Promise.allSettled(reads.map(([, read]) => read.refreshIfDue(signal)));
    signal.throwIfAborted();
    let wasRead = false;
    for (const [index, result] of results.entries()) {
      if (result.status === 'fulfilled') wasRead ||= result.value;
      else this.#report(reads[index]![0], result.reason);
    }
    return wasRead && results.every(({ status }) => status === 'fulfilled');
  }

  /** @throws an error of the program, as it is. */
  #report(list: ListName, reason: unknown): void {
    const { message, reason: code } = asCloudError(reason);
    this.#input.world.log.warn('prices could not be refreshed', {
      list,
      using: this.#used(list),
      reason: code,
      error: message,
    });
  }

  /** Which prices count while a list cannot be read. */
  #used(list: ListName): string {
    const readAtMs = this.#readAtMs.get(list);
    if (readAtMs !== undefined) return `those that were read at ${new Date(readAtMs).toISOString()}`;
    return list === 'spot' ? 'the prices on demand' : builtInPrices(this.#input.region).name;
  }

  async #readOnDemand(signal: AbortSignal): Promise<void> {
    const { world, region, isolatedVpc, prices } = this.#input;
    if (!asksPricing(region, isolatedVpc())) {
      if (!this.#saidWhyNot)
        world.log.info('prices on demand are the built-in ones: Pricing cannot be asked here', {
          region,
          using: this.#used('on-demand'),
          isolatedVpc: isolatedVpc(),
        });
      this.#saidWhyNot = true;
      return;
    }
    const shared = await this.#products('shared', signal);
    const metal = await this.#products('metal', signal);
    const unreadable = shared.unreadable + metal.unreadable;
    if (!prices.updateOnDemand(shared.prices, metal.prices))
      throw incomplete(
        `Pricing lists ${shared.prices.size} shared and ${metal.prices.size} bare metal types`,
      );
    this.#readAtMs.set('on-demand', world.clock.now());
    world.log.info('updated prices on demand', {
      region,
      types: shared.prices.size + metal.prices.size,
      ...(unreadable === 0 ? {} : { unreadable }),
    });
  }

  /** Page by page: the texts of all products together are tens of megabytes. */
  async #products(kind: 'shared' | 'metal', signal: AbortSignal): Promise<ReadProducts> {
    const { pricing, region } = this.#input;
    const pages = await allPages(
      pricing.getProducts,
      {
        ServiceCode: 'AmazonEC2',
        FormatVersion: 'aws_v1',
        Filters: productFilters(region, kind).map((filter) => ({ ...filter })),
        MaxResults: 100,
      },
      ({ PriceList: texts }) => [readProducts(texts ?? [], region)],
      { signal },
    );
    return {
      prices: new Map(pages.flatMap((page) => [...page.prices])),
      unreadable: pages.reduce((sum, page) => sum + page.unreadable, 0),
    };
  }

  async #readSpot(signal: AbortSignal): Promise<void> {
    const { world, ec2, region, prices } = this.#input;
    const entries = await allPages(
      ec2.describeSpotPriceHistory,
      {
        ProductDescriptions: [...SPOT_PRODUCTS],
        StartTime: new Date(world.clock.now()),
        MaxResults: 1000,
      },
      ({ SpotPriceHistory }) => SpotPriceHistory as readonly SpotPriceEntry[] | undefined,
      { signal },
    );
    const found = readSpotHistory(entries);
    if (!prices.updateSpot(found)) throw incomplete(`EC2 lists ${entries.length} spot prices, none usable`);
    this.#readAtMs.set('spot', world.clock.now());
    world.log.info('updated spot prices', { region, prices: found.length, entries: entries.length });
  }
}

type ListName = 'on-demand' | 'spot';

// ---------------------------------------------------------------------------------------------------------------

function incomplete(what: string): CloudError {
  return new CloudError('Unreachable', `${what}: the list is not complete and is not used`, {
    reason: 'PricesIncomplete',
  });
}
