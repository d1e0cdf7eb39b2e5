/** Loaded on first use: `chandler --help` must not load an SDK. */
export {
  GetProductsCommand,
  PricingClient as Client,
} from '@aws-sdk/client-pricing';
