/** Entry point: what types cost, on demand and on spot. */
export { type BuiltInPrices, builtInPrices, currencyOf, pricedRegions } from './built-in-prices.ts';
export { PriceList, type PriceReader, type SpotPrice } from './price-list.ts';
