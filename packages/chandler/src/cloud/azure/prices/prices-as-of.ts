/** The month of the prices in `prices.table.ts`. Change both together. */
export const PRICES_AS_OF = '2026-06';
