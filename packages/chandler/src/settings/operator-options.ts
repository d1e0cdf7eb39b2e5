/** The options that every cloud has: those of Karpenter's core, the guard against runaway launches, and the limit on preferences. */
import { CORE_OPTIONS } from './core-options.ts';
import { LAUNCH_LIMITS } from './launch-limits.ts';
import { PREFERENCE_LIMIT } from './preference-limit.ts';

export const OPERATOR_OPTIONS = { ...CORE_OPTIONS, ...LAUNCH_LIMITS, ...PREFERENCE_LIMIT };
