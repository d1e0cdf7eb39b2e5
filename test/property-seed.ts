/**
 * Property tests use the same values in every run, so that a run fails for what was changed and for nothing else.
 * CHANDLER_PROPERTY_SEED is another seed; `npm run test:properties` tries many.
 */
import fc from 'fast-check';

const DEFAULT_SEED = 20_261_117;
const { CHANDLER_PROPERTY_SEED: chosen } = process.env;

fc.configureGlobal({ seed: chosen === undefined ? DEFAULT_SEED : Number(chosen) });
