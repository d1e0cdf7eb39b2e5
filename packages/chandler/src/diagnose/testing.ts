export { broken, findings, TABLES, verdict } from './causes/verdict.fixture.ts';
export { scrubber } from './dump/scrub.ts';
export { claimErrors } from './evidence/cloud-errors.ts';
export type { GatherContext } from './evidence/gather-context.ts';
export { poolsWithClasses } from './evidence/paths/pools-with-classes.ts';
export { AroundReader } from './evidence/plan-input.ts';
