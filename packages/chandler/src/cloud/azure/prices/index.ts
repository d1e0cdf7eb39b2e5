/** What sizes cost. */
export {
  FALLBACK_REGION,
  type KnownPrice,
  PRICES_REFRESH_MS,
  PRICES_RETRY_MS,
  PriceList,
  type PriceListInput,
} from './price-list.ts';
export {
  RETAIL_PRICES_API_VERSION,
  RETAIL_PRICES_ENDPOINT,
  RetailPricesError,
  type RetailPricesProblem,
  readRetailPrices,
} from './retail-prices.ts';
