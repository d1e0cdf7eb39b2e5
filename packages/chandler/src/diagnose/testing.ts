export { scrubbed } from './dump/scrub.ts';
