/** The built-in prices on demand of a region, for the time before Pricing has answered and where it cannot be asked. */

import { partitionOf } from '../wire/region-names.ts';
import { BUILT_IN_PRICES } from './prices.table.ts';
import { PRICE_DATES } from './prices-as-of.ts';

export interface BuiltInPrices {
  readonly prices: ReadonlyMap<string, number>;
  /** Whether they are those of this region; otherwise those of another region that pays in the same currency. */
  readonly ofRegion: boolean;
  /** `the built-in prices of us-east-1 of 2026-07-06`. */
  readonly name: string;
}

export function builtInPrices(region: string): BuiltInPrices {
  const ofRegion = BUILT_IN_PRICES[region] !== undefined;
  const priced = ofRegion ? region : (FALLBACK_REGIONS[partitionOf(region)] ?? 'us-east-1');
  return {
    prices: pricesOf(priced),
    ofRegion,
    name: `the built-in prices of ${priced} of ${PRICE_DATES[priced]}`,
  };
}

/** Regions that have a table of their own. */
export function pricedRegions(): readonly string[] {
  return Object.keys(BUILT_IN_PRICES);
}

/** Where a region of the partition pays in another currency than US dollars. */
export function currencyOf(region: string): 'USD' | 'CNY' {
  return region.startsWith('cn-') ? 'CNY' : 'USD';
}

// ---------------------------------------------------------------------------------------------------------------

/** Of the same partition, and so in the same currency. */
const FALLBACK_REGIONS: Readonly<Record<string, string>> = {
  'aws-cn': 'cn-north-1',
  'aws-us-gov': 'us-gov-west-1',
};
const read = new Map<string, ReadonlyMap<string, number>>();

/** One line per family: `family size:price …`. */
function pricesOf(region: string): ReadonlyMap<string, number> {
  const known = read.get(region);
  if (known !== undefined) return known;
  const prices = new Map<string, number>();
  for (const line of BUILT_IN_PRICES[region]!.trim().split('\n')) {
    const [family, ...sizes] = line.split(' ');
    for (const entry of sizes) {
      const [size, price] = entry.split(':');
      prices.set(`${family}.${size}`, Number(price));
    }
  }
  read.set(region, prices);
  return prices;
}
