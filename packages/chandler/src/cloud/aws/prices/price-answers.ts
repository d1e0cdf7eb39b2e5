/**
 * What to ask Pricing and EC2 for prices, and how their answers are read. Nothing is sent here. An entry that cannot be read
 * is left out and counted: one strange product must not cost all others their prices.
 */
import { partitionOf } from '../wire/region-names.ts';
import { currencyOf } from './built-in-prices.ts';
import type { SpotPrice } from './price-list.ts';

/** Whether prices on demand can be asked for at all. */
export function asksPricing(region: string, isolatedVpc: boolean): boolean {
  return !isolatedVpc && WITH_PRICING.has(partitionOf(region));
}

/** The region whose endpoint of Pricing serves this one. */
export function pricingRegion(region: string): string {
  const [, served] = PRICING_REGIONS.find(([prefix]) => region.startsWith(prefix)) ?? [];
  return served ?? 'us-east-1';
}

/** A filter of GetProducts. */
export interface ProductFilter {
  readonly Type: 'TERM_MATCH';
  readonly Field: string;
  readonly Value: string;
}

/** Two questions: bare metal is a product family of its own, priced as dedicated. */
export function productFilters(region: string, kind: 'shared' | 'metal'): readonly ProductFilter[] {
  const values: Readonly<Record<string, string>> = {
    regionCode: region,
    serviceCode: 'AmazonEC2',
    preInstalledSw: 'NA',
    operatingSystem: 'Linux',
    capacitystatus: 'Used',
    marketoption: 'OnDemand',
    ...(kind === 'shared'
      ? { tenancy: 'Shared', productFamily: 'Compute Instance' }
      : { tenancy: 'Dedicated', productFamily: 'Compute Instance (bare metal)' }),
  };
  return Object.entries(values).map(([Field, Value]) => ({ Type: 'TERM_MATCH', Field, Value }));
}

/** `ProductDescriptions` of DescribeSpotPriceHistory. */
export const SPOT_PRODUCTS: readonly string[] = ['Linux/UNIX', 'Linux/UNIX (Amazon VPC)'];

export interface ReadProducts {
  readonly prices: ReadonlyMap<string, number>;
  /** Entries that are no product with an instance type, or no JSON. */
  readonly unreadable: number;
}

/** @param priceList `PriceList` of GetProducts: texts of JSON, which the SDK gives as `String` objects. */
export function readProducts(priceList: readonly unknown[], region: string): ReadProducts {
  const currency = currencyOf(region);
  const prices = new Map<string, number>();
  let unreadable = 0;
  for (const entry of priceList) {
    const product = productOf(entry);
    const name = product?.product?.attributes?.instanceType;
    if (typeof name !== 'string' || name === '') {
      unreadable += 1;
      continue;
    }
    const price = priceOf(product, currency);
    if (price !== undefined) prices.set(name, price);
  }
  return { prices, unreadable };
}

/** An entry of `SpotPriceHistory`. */
export interface SpotPriceEntry {
  readonly InstanceType?: string | undefined;
  readonly AvailabilityZone?: string | undefined;
  readonly SpotPrice?: string | undefined;
  readonly Timestamp?: Date | undefined;
}

/** The newest price of each type and zone. */
export function readSpotHistory(entries: Iterable<SpotPriceEntry>): readonly SpotPrice[] {
  const newest = new Map<string, { readonly price: SpotPrice; readonly atMs: number }>();
  for (const { InstanceType: instanceType, AvailabilityZone: zone, SpotPrice: text, Timestamp } of entries) {
    const price = Number(text);
    if (instanceType === undefined || zone === undefined || Timestamp === undefined || !isPrice(price))
      continue;
    const key = `${instanceType} ${zone}`;
    const atMs = Timestamp.getTime();
    if ((newest.get(key)?.atMs ?? Number.NEGATIVE_INFINITY) >= atMs) continue;
    newest.set(key, { price: { instanceType, zone, price }, atMs });
  }
  return [...newest.values()].map(({ price }) => price);
}

// ---------------------------------------------------------------------------------------------------------------

/** Elsewhere Pricing has no endpoint, and credentials are not valid in another partition. */
const WITH_PRICING: ReadonlySet<string> = new Set(['aws', 'aws-cn']);

const PRICING_REGIONS: readonly (readonly [prefix: string, region: string])[] = [
  ['ap-', 'ap-south-1'],
  ['cn-', 'cn-northwest-1'],
  ['eu-', 'eu-central-1'],
];

/** A price of zero is that of something else, such as what a reservation already covers. */
function isPrice(price: number): boolean {
  return price > 0 && price < Number.POSITIVE_INFINITY;
}

/** The part of a product that is read. */
interface Product {
  readonly product?: { readonly attributes?: { readonly instanceType?: unknown } };
  readonly terms?: { readonly OnDemand?: Readonly<Record<string, Term | null>> } | null;
}

interface Term {
  readonly priceDimensions?: Readonly<
    Record<string, { readonly pricePerUnit?: Readonly<Record<string, unknown>> | null } | null>
  > | null;
}

function productOf(entry: unknown): Product | undefined {
  try {
    const isText = typeof entry === 'string' || entry instanceof String;
    const value: unknown = isText ? JSON.parse(entry.toString()) : entry;
    return typeof value === 'object' && value !== null ? (value as Product) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function priceOf(product: Product | undefined, currency: string): number | undefined {
  for (const term of Object.values(product?.terms?.OnDemand ?? {})) {
    for (const dimension of Object.values(term?.priceDimensions ?? {})) {
      const price = Number(dimension?.pricePerUnit?.[currency]);
      if (isPrice(price)) return price;
    }
  }
  return undefined;
}
