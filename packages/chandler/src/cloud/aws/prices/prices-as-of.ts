/** When the prices of `prices.table.ts` were read, by region. Written by scripts/aws-tables.ts. */
export const PRICE_DATES: Readonly<Record<string, string>> = {
  'us-east-1': '2026-07-06',
  'us-gov-east-1': '2026-06-15',
  'us-gov-west-1': '2026-06-15',
  'cn-north-1': '2024-11-06',
};

/** The month of those of us-east-1. */
export const PRICES_AS_OF = '2026-07';
