/**
 * What a size costs: from the price list that Azure publishes, read every twelve hours; until that was had once, or
 * in clouds that publish none, from a built-in table. A size without a price costs 999: it is launched when nothing
 * else will do. A list that could not be read changes nothing.
 */
import type { Clock, Fetch, Log } from '@chandler/kube';
import type { BuyableCapacityType, PriceReader } from '../instance-types/offerings.ts';
import { normalLocation } from '../sizes/index.ts';
import { BUILT_IN_PRICES } from './prices.table.ts';
import { type RetailPrices, RetailPricesError, readRetailPrices } from './retail-prices.ts';

export interface PriceListInput {
  readonly clock: Clock;
  readonly log: Log;
  readonly fetch: Fetch;
  readonly region: string;
  /** Whether this cloud has a public price list. Only Azure's public cloud has. */
  readonly published: boolean;
  /** Default the public one. */
  readonly endpoint?: string;
}

export interface KnownPrice {
  /** US dollars per hour. */
  readonly price: number;
  readonly source: 'list' | 'builtIn' | 'missing';
}

export const MISSING_PRICE = 999;
export const PRICES_REFRESH_MS: number = 12 * 60 * 60_000;
/** After a list that could not be read. */
export const PRICES_RETRY_MS: number = 10 * 60_000;
/** Of the built-in table, for regions that are not in it. */
export const FALLBACK_REGION = 'eastus';

export class PriceList implements PriceReader {
  readonly #input: PriceListInput;
  readonly #builtIn: ReadonlyMap<string, number>;
  #onDemand: ReadonlyMap<string, number> | undefined;
  #spot: ReadonlyMap<string, number> | undefined;
  #sequence = 0;
  #dueAtMs: number;
  #refreshing: Promise<boolean> | undefined;

  constructor(input: PriceListInput) {
    // The price list takes the name of a region letter by letter.
    this.#input = { ...input, region: normalLocation(input.region) };
    this.#builtIn = builtInPrices(this.#input.region);
    this.#dueAtMs = input.published ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  }

  /** Grows when a price has changed. */
  get sequence(): number {
    return this.#sequence;
  }

  /** On the monotonic clock; never, where no list is published. */
  get dueAtMs(): number {
    return this.#dueAtMs;
  }

  price(sizeName: string, capacityType: BuyableCapacityType): number {
    return this.known(sizeName, capacityType).price;
  }

  /** With its source. The built-in table has no spot prices, which change too often; the on-demand price is used instead. */
  known(sizeName: string, capacityType: BuyableCapacityType): KnownPrice {
    const list = capacityType === 'spot' ? this.#spot : this.#onDemand;
    const price = (list ?? this.#builtIn).get(sizeName);
    if (price === undefined) return { price: MISSING_PRICE, source: 'missing' };
    return { price, source: list === undefined ? 'builtIn' : 'list' };
  }

  /** Reads the list when it is time, once however many ask. Whether it was read; a failure is logged and returns false. */
  refreshIfDue(): Promise<boolean> {
    if (this.#refreshing !== undefined) return this.#refreshing;
    if (this.#input.clock.monotonic() < this.#dueAtMs) return Promise.resolve(false);
    this.#refreshing = this.#read().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async #read(): Promise<boolean> {
    const { clock, log, fetch, region, endpoint } = this.#input;
    try {
      const prices = await readRetailPrices({ fetch, clock, region, ...(endpoint && { endpoint }) });
      this.#dueAtMs = clock.monotonic() + PRICES_REFRESH_MS;
      this.#take(prices);
      return true;
    } catch (error) {
      if (!(error instanceof RetailPricesError)) throw error;
      this.#dueAtMs = clock.monotonic() + PRICES_RETRY_MS;
      log.warn('prices could not be refreshed; using the previous prices', {
        problem: error.problem,
        error: error.message,
      });
      return false;
    }
  }

  /** An empty half is a mistake of the list, not a region without prices. */
  #take({ onDemand, spot }: RetailPrices): void {
    const { log, region } = this.#input;
    for (const [half, prices] of [['on-demand', onDemand] as const, ['spot', spot] as const]) {
      if (prices.size === 0) log.warn('the price list is empty; using the previous prices', { half, region });
    }
    const newOnDemand = onDemand.size > 0 ? onDemand : this.#onDemand;
    const newSpot = spot.size > 0 ? spot : this.#spot;
    if (samePrices(newOnDemand, this.#onDemand) && samePrices(newSpot, this.#spot)) return;
    this.#onDemand = newOnDemand;
    this.#spot = newSpot;
    this.#sequence += 1;
    log.info('updated prices', { region, onDemand: onDemand.size, spot: spot.size });
  }
}

// ---------------------------------------------------------------------------------------------------------------

function builtInPrices(region: string): ReadonlyMap<string, number> {
  const column = region === 'westeurope' ? 'westeurope' : FALLBACK_REGION;
  const prices = new Map<string, number>();
  for (const { sizes, perUnit, units } of BUILT_IN_PRICES) {
    for (const unit of units) {
      const price = unit * perUnit[column];
      prices.set(`Standard_${sizes.replace('#', String(unit))}`, Number(price.toPrecision(6)));
    }
  }
  return prices;
}

function samePrices(
  first: ReadonlyMap<string, number> | undefined,
  second: ReadonlyMap<string, number> | undefined,
): boolean {
  if (first === second) return true;
  if (first?.size !== second?.size) return false;
  for (const [name, price] of first ?? []) if (second?.get(name) !== price) return false;
  return true;
}
