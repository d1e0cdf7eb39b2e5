/**
 * The public price list: pay as you go, spot and the old low-priority meters, Linux and Windows, mixed as in the real
 * one. Prices on demand are facts (families.table.ts); the discounts of the other meters are one plausible case.
 */
import { createHash } from 'node:crypto';
import { type FieldOf, FilterError, type FilterOptions, parseFilter } from './odata-filter.ts';
import { isOffered, REGIONS, type Region, shortName, type VmSize } from './size-family.ts';

export interface RetailPrice {
  readonly currencyCode: string;
  readonly tierMinimumUnits: number;
  readonly retailPrice: number;
  readonly unitPrice: number;
  readonly armRegionName: string;
  readonly location: string;
  readonly effectiveStartDate: string;
  readonly meterId: string;
  readonly meterName: string;
  readonly productId: string;
  readonly skuId: string;
  readonly productName: string;
  readonly skuName: string;
  readonly serviceName: string;
  readonly serviceId: string;
  readonly serviceFamily: string;
  readonly unitOfMeasure: string;
  readonly type: 'Consumption' | 'Reservation';
  readonly isPrimaryMeterRegion: boolean;
  readonly armSkuName: string;
  readonly reservationTerm?: string;
}

export interface PricePage {
  readonly BillingCurrency: string;
  readonly CustomerEntityId: 'Default';
  readonly CustomerEntityType: 'Retail';
  readonly Items: readonly RetailPrice[];
  readonly NextPageLink: string | null;
  readonly Count: number;
}

export interface PriceQuery {
  /** `$filter`; the service's own spelling of fields, texts compared with case. */
  readonly filter?: string;
  readonly currencyCode?: string;
  readonly skip?: number;
  /** `https://host:port/api/retail/prices`. */
  readonly url: string;
  /** Kept in the links. */
  readonly apiVersion?: string;
}

export const PRICES_PER_PAGE = 1000;

export const RETAIL_PRICES_PATH = '/api/retail/prices';

export class RetailPrices {
  readonly #items: readonly RetailPrice[];
  readonly #changed = new Map<string, number>();
  #changes = 0;

  constructor(sizes: readonly VmSize[]) {
    this.#items = REGIONS.flatMap((region) =>
      sizes.filter((size) => isOffered(size, region)).flatMap((size) => metersOf(size, region)),
    );
  }

  /** Sets a price per hour from now on. */
  set(size: string, region: Region, capacity: 'Spot' | 'Regular', pricePerHour: number): void {
    this.#changed.set(changeKey(region, size, capacity), pricePerHour);
    this.#changes += 1;
  }

  /** How often a price was set. */
  get changes(): number {
    return this.#changes;
  }

  /** The price of a Linux VM per hour now; undefined: it is not sold there. */
  priceOf(size: string, region: Region, capacity: 'Spot' | 'Regular'): number | undefined {
    const suffix = capacity === 'Spot' ? ' Spot' : '';
    const found = this.#items.find(
      ({ armSkuName, armRegionName, type, productName, skuName, meterName }) =>
        armSkuName.toLowerCase() === size.toLowerCase() &&
        armRegionName === region &&
        type === 'Consumption' &&
        !productName.endsWith(' Windows') &&
        (suffix === '' ? !/ (?:Spot|Low Priority)$/.test(skuName) : meterName.endsWith(suffix)),
    );
    return found === undefined ? undefined : this.#current(found).retailPrice;
  }

  /** Throws FilterError. */
  page(query: PriceQuery): PricePage {
    const predicate = query.filter ? parseFilter(query.filter, FILTER) : () => true;
    const matching = this.#items.filter((item) => predicate(fieldsOf(item)));
    const skip = query.skip ?? 0;
    const items = matching.slice(skip, skip + PRICES_PER_PAGE).map((item) => this.#current(item));
    const more = skip + items.length < matching.length;
    return {
      BillingCurrency: query.currencyCode ?? 'USD',
      CustomerEntityId: 'Default',
      CustomerEntityType: 'Retail',
      Items: items,
      NextPageLink: more ? nextLink(query, skip + items.length) : null,
      Count: items.length,
    };
  }

  #current(item: RetailPrice): RetailPrice {
    if (item.productName.endsWith(' Windows') || item.meterName.endsWith(' Low Priority')) return item;
    const capacity = item.skuName.endsWith(' Spot') ? 'Spot' : 'Regular';
    const price = this.#changed.get(changeKey(item.armRegionName, item.armSkuName, capacity));
    return price === undefined || item.type !== 'Consumption'
      ? item
      : { ...item, retailPrice: price, unitPrice: price };
  }
}

export { FilterError };

// ---------------------------------------------------------------------------------------------------

function changeKey(region: string, size: string, capacity: 'Spot' | 'Regular'): string {
  return `${region}/${size.toLowerCase()}/${capacity}`;
}

const LOCATIONS: Readonly<Record<Region, string>> = { eastus: 'US East', westeurope: 'EU West' };

interface Meter {
  readonly suffix: '' | ' Spot' | ' Low Priority';
  readonly windows: boolean;
  /** Of the Linux price on demand. */
  readonly factor: number;
}

/** Ordered so that a caller that takes the last row of a size gets a wrong price. */
const METERS: readonly Meter[] = [
  { suffix: '', windows: false, factor: 1 },
  { suffix: ' Spot', windows: false, factor: 0.2 },
  { suffix: ' Low Priority', windows: false, factor: 0.25 },
  { suffix: '', windows: true, factor: 1.92 },
  { suffix: ' Spot', windows: true, factor: 0.38 },
  { suffix: ' Low Priority', windows: true, factor: 0.5 },
];

function metersOf(size: VmSize, region: Region): RetailPrice[] {
  const price = size.pricePerHour[region];
  if (price === undefined) return [];
  const meters = METERS.filter((meter) => meter.suffix === '' || size.family.spot !== false);
  const [consumption, ...rest] = meters.map((meter) => consumptionOf(size, region, price, meter));
  return [consumption!, reservationOf(consumption!, price), ...rest];
}

function consumptionOf(size: VmSize, region: Region, price: number, meter: Meter): RetailPrice {
  const label = shortName(size).replaceAll('_', ' ');
  const productName = `Virtual Machines ${size.family.series} Series${meter.windows ? ' Windows' : ''}`;
  const perHour = Math.round(price * meter.factor * 1e6) / 1e6;
  const meterName = `${label}${meter.suffix}`;
  const productId = `DZH318Z${hex(productName, 5).toUpperCase()}`;
  return {
    currencyCode: 'USD',
    tierMinimumUnits: 0,
    retailPrice: perHour,
    unitPrice: perHour,
    armRegionName: region,
    location: LOCATIONS[region],
    effectiveStartDate: '2026-06-01T00:00:00Z',
    meterId: uuidOf(`${region}/${productName}/${meterName}`),
    meterName,
    productId,
    skuId: `${productId}/${hex(meterName, 4).toUpperCase()}`,
    productName,
    skuName: meterName,
    serviceName: 'Virtual Machines',
    serviceId: 'DZH313Z7MMC8',
    serviceFamily: 'Compute',
    unitOfMeasure: '1 Hour',
    type: 'Consumption',
    isPrimaryMeterRegion: true,
    armSkuName: size.name,
  };
}

/** A year paid in advance: a number that must not be used as a price per hour. */
function reservationOf(item: RetailPrice, price: number): RetailPrice {
  const yearly = Math.round(price * 0.6 * 8760);
  return { ...item, type: 'Reservation', reservationTerm: '1 Year', retailPrice: yearly, unitPrice: yearly };
}

/** The service calls the column `type` and the filter field `priceType`. */
function fieldsOf(item: RetailPrice): FieldOf {
  return (name) => {
    const value = item[(name === 'priceType' ? 'type' : name) as keyof RetailPrice];
    return value === undefined ? undefined : String(value);
  };
}

const FILTER: FilterOptions = {
  fields: new Set([
    'armRegionName',
    'location',
    'meterId',
    'meterName',
    'productId',
    'skuId',
    'productName',
    'skuName',
    'serviceName',
    'serviceId',
    'serviceFamily',
    'priceType',
    'armSkuName',
    'currencyCode',
  ]),
};

function nextLink(query: PriceQuery, skip: number): string {
  const parameters = [
    ...(query.apiVersion === undefined ? [] : [`api-version=${query.apiVersion}`]),
    ...(query.currencyCode === undefined ? [] : [`currencyCode=${encodeURIComponent(query.currencyCode)}`]),
    ...(query.filter === undefined ? [] : [`$filter=${encodeURIComponent(query.filter)}`]),
    `$skip=${skip}`,
  ];
  return `${query.url}?${parameters.join('&')}`;
}

function hex(text: string, length: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, length);
}

function uuidOf(text: string): string {
  const digits = hex(text, 32);
  return [8, 4, 4, 4, 12].map((length, at) => digits.substr([0, 8, 12, 16, 20][at]!, length)).join('-');
}
