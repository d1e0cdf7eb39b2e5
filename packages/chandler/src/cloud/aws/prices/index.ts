/** Entry point: what types cost, on demand and on spot. */
export { type BuiltInPrices, builtInPrices, currencyOf, pricedRegions } from './built-in-prices.ts';
export {
  asksPricing,
  type ProductFilter,
  pricingRegion,
  productFilters,
  type ReadProducts,
  readProducts,
  readSpotHistory,
  SPOT_PRODUCTS,
  type SpotPriceEntry,
} from './price-answers.ts';
export { PriceList, type PriceReader, type SpotPrice } from './price-list.ts';
