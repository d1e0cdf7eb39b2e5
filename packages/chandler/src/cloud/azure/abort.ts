/** Aborts, as every cloud ends them. */
export { orAbortReason, unlessAborted } from '../index.ts';
