/**
 * What a size costs: from the price list that Azure publishes, read every twelve hours; a size that the list does not
 * have keeps the price of an earlier list, else that of a built-in table, which is also for the time before the first list and
 * for clouds that publish none. What a size costs that is in none of them, `estimate.ts` says. A list that could not be
 * read changes nothing.
 */
import type { Clock, Fetch, Log } from '@chandler/kube';
import type { BuyableCapacityType, PriceReader } from '../instance-types/offerings.ts';
import { normalLocation } from '../sizes/index.ts';
import { median } from './estimate.ts';
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
  readonly source: 'list' | 'earlierList' | 'builtIn';
}

export const PRICES_REFRESH_MS: number = 12 * 60 * 60_000;
/** After a list that could not be read. */
export const PRICES_RETRY_MS: number = 10 * 60_000;
/** Of the built-in table, for regions that are not in it. */
export const FALLBACK_REGION = 'eastus';

export class PriceList implements PriceReader {
  readonly #input: PriceListInput;
  readonly #builtIn: ReadonlyMap<string, number>;
  #onDemand: Half = EMPTY_HALF;
  #spot: Half = EMPTY_HALF;
  /** How much higher the prices of the list are than the built-in ones, which are those of another region. */
  #level = 1;
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

  price(sizeName: string, capacityType: BuyableCapacityType): number | undefined {
    return this.known(sizeName, capacityType)?.price;
  }

  /**
   * With its source. The built-in table has no spot prices, which change too often: until a list was read, the on-demand
   * price is used instead.
   */
  known(sizeName: string, capacityType: BuyableCapacityType): KnownPrice | undefined {
    const { listed, everListed } = capacityType === 'spot' ? this.#spot : this.#onDemand;
    const price = everListed.get(sizeName);
    if (price !== undefined) return { price, source: listed.has(sizeName) ? 'list' : 'earlierList' };
    if (capacityType === 'spot' && everListed.size > 0) return undefined;
    const builtIn = this.#builtIn.get(sizeName);
    if (builtIn === undefined) return undefined;
    return { price: this.#level === 1 ? builtIn : rounded(builtIn * this.#level), source: 'builtIn' };
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
      const used = this.#onDemand.everListed.size === 0 ? 'built-in' : 'previous';
      log.warn(`prices could not be refreshed; using the ${used} prices`, {
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
    const halves = [withPrices(this.#onDemand, onDemand), withPrices(this.#spot, spot)] as const;
    if (halves[0] === this.#onDemand && halves[1] === this.#spot) return;
    [this.#onDemand, this.#spot] = halves;
    this.#level = levelOf(this.#onDemand.listed, this.#builtIn);
    this.#sequence += 1;
    log.info('updated prices', { region, onDemand: onDemand.size, spot: spot.size });
  }
}

// ---------------------------------------------------------------------------------------------------------------

/** On demand or spot. */
interface Half {
  /** Of the newest list. */
  readonly listed: ReadonlyMap<string, number>;
  /** And of the lists before it. */
  readonly everListed: ReadonlyMap<string, number>;
}

const EMPTY_HALF: Half = { listed: new Map(), everListed: new Map() };

/** The half itself when nothing has changed. */
function withPrices(half: Half, prices: ReadonlyMap<string, number>): Half {
  if (prices.size === 0 || samePrices(prices, half.listed)) return half;
  return { listed: prices, everListed: new Map([...half.everListed, ...prices]) };
}

function levelOf(listed: ReadonlyMap<string, number>, builtIn: ReadonlyMap<string, number>): number {
  const ratios = [...listed].flatMap(([name, price]) => {
    const known = builtIn.get(name);
    return known === undefined ? [] : [price / known];
  });
  return median(ratios) ?? 1;
}

function rounded(price: number): number {
  return Number(price.toPrecision(6));
}

function builtInPrices(region: string): ReadonlyMap<string, number> {
  const column = region === 'westeurope' ? 'westeurope' : FALLBACK_REGION;
  const prices = new Map<string, number>();
  for (const { sizes, perUnit, units } of BUILT_IN_PRICES) {
    for (const unit of units) {
      const price = unit * perUnit[column];
      prices.set(`Standard_${sizes.replace('#', String(unit))}`, rounded(price));
    }
  }
  return prices;
}

function samePrices(first: ReadonlyMap<string, number>, second: ReadonlyMap<string, number>): boolean {
  if (first.size !== second.size) return false;
  for (const [name, price] of first) if (second.get(name) !== price) return false;
  return true;
}
