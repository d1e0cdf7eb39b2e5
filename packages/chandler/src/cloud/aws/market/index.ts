/** Entry point: what EC2 sells and for how much, kept up to date. */
export { DueRead, type DueReadOptions } from './due-read.ts';
export { markUnavailable, type UnavailableMarks } from './mark-unavailable.ts';
export {
  AwsMarket,
  type AwsMarketInput,
  type PlacementGroupReader,
  TYPES_REFRESH_MS,
  TYPES_RETRY_MS,
} from './market.ts';
export { marketMetrics } from './market-metrics.ts';
export { PRICES_REFRESH_MS, PRICES_RETRY_MS, PriceRefresh, type PriceRefreshInput } from './price-refresh.ts';
