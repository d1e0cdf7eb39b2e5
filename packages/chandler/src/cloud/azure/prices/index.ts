/** What sizes cost. */
export {
  FALLBACK_REGION,
  type KnownPrice,
  MISSING_PRICE,
  PRICES_REFRESH_MS,
  PRICES_RETRY_MS,
  PriceBook,
  type PriceBookInput,
} from './price-book.ts';
export {
  RETAIL_PRICES_API_VERSION,
  RETAIL_PRICES_ENDPOINT,
  RetailPricesError,
  type RetailPricesProblem,
  readRetailPrices,
} from './retail-prices.ts';
