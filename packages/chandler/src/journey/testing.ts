export { encodeJourney, STAGE_NAMES } from './journey.ts';
