/** The lower bound on the price of a plan. */
export { type PriceBound, type PriceBoundOptions, priceBound } from './price-bound.ts';
