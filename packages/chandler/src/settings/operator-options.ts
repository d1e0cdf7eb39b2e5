/** The options that every cloud has: those of Karpenter's core, the guard against runaway launches, the limit on preferences, and disruption. */
import { CORE_OPTIONS } from './core-options.ts';
import { DISRUPTION_OPTIONS } from './disruption-options.ts';
import { LAUNCH_LIMITS } from './launch-limits.ts';
import { PREFERENCE_LIMIT } from './preference-limit.ts';

export const OPERATOR_OPTIONS = {
  ...CORE_OPTIONS,
  ...LAUNCH_LIMITS,
  ...PREFERENCE_LIMIT,
  ...DISRUPTION_OPTIONS,
};
