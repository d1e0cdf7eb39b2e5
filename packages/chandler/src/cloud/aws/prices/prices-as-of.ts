/** The month of the prices of us-east-1 in `prices.table.ts`. Written by scripts/aws-tables.ts. */
export const PRICES_AS_OF = '2026-07';
