export { encodeJourney } from './journey.ts';
