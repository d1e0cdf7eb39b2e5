/**
 * The price of every size of the region: the one of the price list, else an estimate. Built once for the same sizes and
 * the same list. Which lists there are, `prices/` knows.
 */
import { median, type PricedSize, priceEstimator } from '../prices/estimate.ts';
import type { SkuFacts } from '../sizes/index.ts';
import type { PriceReader, SizePrice, SizePrices } from './offerings.ts';

export interface RegionPrices {
  readonly of: SizePrices;
  /** Names of the sizes whose price on demand is estimated. */
  readonly estimated: readonly string[];
}

export function regionPrices(skus: Iterable<SkuFacts>, reader: PriceReader): RegionPrices {
  const all = [...skus];
  const priced: PricedSize[] = [];
  const shares: number[] = [];
  for (const size of all) {
    const price = reader.price(size.name, 'on-demand');
    const spot = reader.price(size.name, 'spot');
    if (price === undefined) continue;
    priced.push({ size, price });
    if (spot !== undefined) shares.push(spot / price);
  }
  const estimate = priceEstimator(priced);
  const spotShare = median(shares) ?? 1;
  const estimates = new Map<string, number>();
  for (const sku of all)
    if (reader.price(sku.name, 'on-demand') === undefined) estimates.set(sku.name, estimate(sku));
  const onDemand = (sku: SkuFacts): SizePrice => {
    const price = reader.price(sku.name, 'on-demand');
    if (price !== undefined) return { price, estimated: false };
    return { price: estimates.get(sku.name) ?? estimate(sku), estimated: true };
  };
  return {
    estimated: [...estimates.keys()],
    of: (sku, capacityType) => {
      if (capacityType === 'on-demand') return onDemand(sku);
      const price = reader.price(sku.name, 'spot');
      if (price !== undefined) return { price, estimated: false };
      return { price: Number((onDemand(sku).price * spotShare).toPrecision(6)), estimated: true };
    },
  };
}
